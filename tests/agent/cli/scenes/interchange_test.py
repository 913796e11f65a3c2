"""Programs and findings as JSON Lines: what one database exports another takes in; wrong lines are named."""

import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "daemon" / "scenes"))

from scene import PROGRAM, WRONG, Scene, main

OPTIONS = "OPTIONS = {'dynamic': True, 'calls': 2}\n"
SHOWN = f"{WRONG}\n# fake: operators aten.sin.default"


def lines_of(file: pathlib.Path) -> list[dict]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def scene(parityd: str, folder: pathlib.Path) -> Scene:
    folder.mkdir()
    made = Scene(parityd, folder, replies=0)
    made.end()
    return made


def programs(place: Scene) -> set[tuple]:
    return set(place.database().execute("SELECT identity, text, options, verdict, kind FROM programs").fetchall())


def exported(parityd: str, folder: pathlib.Path) -> tuple[Scene, pathlib.Path]:
    """Three programs, one with options of its own, one of them a finding."""
    place, file = scene(parityd, folder / "one"), folder / "all.jsonl"
    own = place.folder / "own.py"
    own.write_text(PROGRAM.format(deed="sleep 0.01", number=77) + "\n\n" + OPTIONS)
    place.run("import", str(own))
    place.judge(SHOWN, "sleep 0.01")
    said = place.run("export", "--jsonl", str(file))
    assert said.startswith("3 programs, 1 finding in "), said
    return place, file


def round_trip(parityd: str, folder: pathlib.Path) -> None:
    one, file = exported(parityd, folder)
    header, *records = lines_of(file)
    assert (header["format"], header["version"]) == ("parityd", 1), header
    assert [record["record"] for record in records] == ["program"] * 3 + ["finding"], records
    two = scene(parityd, folder / "two")
    # None may be drawn anew for programs that ran without: `[modes]` here would write some into every one.
    modes = two.config.read_text().replace("inductor = 100", "inductor = 0", 1).replace("backward = 0", "backward = 1")
    two.config.write_text(modes)
    assert "queued 4 programs" in two.run("import", str(file))
    two.run("run", "--provider", "none", "--drain")
    assert programs(one) <= programs(two), (programs(one), programs(two))
    assert len(json.loads(two.run("findings", "--json"))) == 1
    sources = {source for (source,) in two.database().execute("SELECT source FROM programs")}
    assert "all.jsonl:2" in sources, sources
    alone = one.run("export", "1", "--jsonl", "-", "--only", "findings")
    assert [json.loads(line).get("record") for line in alone.splitlines()] == [None, "finding"], alone


def unwritable(parityd: str, folder: pathlib.Path) -> None:
    """Lines that cannot be written are said so, and nothing half written stays."""
    place, _ = exported(parityd, folder)
    command = [parityd, "--state", str(place.folder / "state"), "--config", str(place.config), "export", "--jsonl", "-"]
    with pathlib.Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, text=True, env=place.environment, check=False
        )
    assert done.returncode == 3, done
    assert "standard output: cannot be written" in done.stderr, done
    taken = folder / "taken"
    taken.mkdir()
    assert f"{taken}: cannot be written" in place.run("export", "--jsonl", str(taken), expect=3)
    assert not taken.with_suffix(".new").exists()


def wrong_lines(parityd: str, folder: pathlib.Path) -> None:
    place, file = scene(parityd, folder / "one"), folder / "mixed.jsonl"
    good = json.dumps({"program": PROGRAM.format(deed="sleep 0.01", number=1), "unknown_key": 3})
    more = json.dumps({"record": "program", "program": PROGRAM.format(deed="sleep 0.01", number=2), "options": {}})
    wrong = ["{broken", "[1]", '{"record": "weather"}', '{"record": "program"}', '{"program": 7}', '{"program": ""}']
    wrong += [json.dumps({"program": "x", "options": 3}), json.dumps({"program": "x" * (300 << 10)})]
    wrong += [json.dumps({"program": "x", "more": "x" * (17 << 20)})]
    deep = "[" * 400_000 + "]" * 400_000
    wrong += [f'{{"program": "x", "options": {{"a": {deep}}}}}', f'{{"record": {deep}}}']
    # As a finding's line is that names ten thousand programs.
    finding = {"record": "finding", "reduced": PROGRAM.format(deed="sleep 0.01", number=3), "options": {}}
    long = json.dumps(finding | {"programs": "x" * (2 << 20)})
    file.write_text("\n".join([good, "", *wrong, more, long]) + "\n")
    said = place.run("import", str(file), expect=1)
    for number in range(3, 3 + len(wrong)):
        assert f"mixed.jsonl:{number}: " in said, (number, said)
    assert f"queued 3 programs, {len(wrong)} lines rejected" in said, said
    place.run("run", "--provider", "none", "--drain")
    assert len(programs(place)) == 3, programs(place)
    file.write_text('{"format": "parityd", "version": 2}\n' + more + "\n")
    said = place.run("import", str(file), expect=1)
    assert "mixed.jsonl:1: has version 2, but this parityd reads only" in said and "queued 0 programs" in said, said
    place.run("import", str(folder / "absent.jsonl"), expect=2)


def many(parityd: str, folder: pathlib.Path) -> None:
    """More lines than are parsed at a time, nearly all of them one program: `--drain` waits for the last of them."""
    place, file = scene(parityd, folder / "one"), folder / "many.jsonl"
    texts = [PROGRAM.format(deed="sleep 0.01", number=number) for number in (1, 2)]
    file.write_text("".join(json.dumps({"program": text}) + "\n" for text in [texts[0]] * 300 + [texts[1]]))
    assert "queued 301 programs" in place.run("import", str(file))
    assert json.loads(place.run("status", "--json"))["requests_waiting"] == 301
    place.run("run", "--provider", "none", "--drain")
    assert json.loads(place.run("status", "--json"))["requests_waiting"] == 0
    assert len(programs(place)) == 2, programs(place)


if __name__ == "__main__":
    main({case.__name__: case for case in (round_trip, wrong_lines, many, unwritable)})
