"""`parityd verify` on an installation whose workers are fake: a change of torch mends a finding and breaks one of the
programs that were consistent."""

import argparse
import ctypes
import json
import os
import pathlib
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "daemon" / "scenes"))

from scene import ROOT, WRONG, Scene

TORCH = "9.9"
FINE = "value eager=1.0"
CHANGED = "torch/_inductor/lowering.py"


def installed(parityd: str, folder: pathlib.Path) -> str:
    """The built programs beside shared files of which the worker's are the fake one's."""
    for name in ("parityd", "parityd-worker"):
        built, own = pathlib.Path(parityd).with_name(name), folder / "bin" / name
        own.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(built, own)
        except OSError:  # another file system
            shutil.copy2(built, own)
    shared = folder / "share" / "parityd"
    for name in ("oracle", "executor/confine"):
        (shared / name).mkdir(parents=True)
    for name in ("prompts", "store", "executor/shared", "executor/syntax"):
        shutil.copytree(ROOT / name, shared / name)
    shutil.copytree(ROOT / "tests" / "fake_worker", shared / "executor" / "worker")
    return str(folder / "bin" / "parityd")


def source_hash() -> str:
    """Of worker sources of which nothing is compiled but the table of modes (executor/worker_build.cpp)."""
    sources = b"modes.json\0" + (ROOT / "executor/shared/modes.json").read_bytes() + b"\0"
    xxhash = ctypes.CDLL("libxxhash.so.0")
    xxhash.XXH3_64bits.argtypes, xxhash.XXH3_64bits.restype = (ctypes.c_char_p, ctypes.c_size_t), ctypes.c_uint64
    return f"{xxhash.XXH3_64bits(sources, len(sources)):016x}"


def write(file: pathlib.Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


class VerifyScene(Scene):
    def __init__(self, parityd: str, folder: pathlib.Path, **api: object) -> None:
        super().__init__(installed(parityd, folder / "installed"), folder, replies=0, **api)
        python = folder / f"python-torch-{TORCH}"
        python.symlink_to(sys.executable)
        lines = self.config.read_text().replace(sys.executable, str(python)).splitlines()
        self.config.write_text("\n".join(line for line in lines if not line.startswith("launch =")))
        site = folder / "site-packages"
        write(site / "torch" / "version.py", f"__version__ = '{TORCH}'\n")
        write(site / CHANGED, "")
        description = {
            "python": str(python),
            "torch": TORCH,
            "torch_version_file": str(site / "torch" / "version.py"),
            "python_version": "3",
            "source_hash": source_hash(),
            "cuda": False,
        }
        write(folder / "cache" / "parityd" / "workers" / "fake" / "worker.json", json.dumps(description))
        self.overlay = folder / "overlay"
        write(self.overlay / CHANGED, "# mended\n")

    def verify(self, finding: int, *options: str, expect: int) -> str:
        return self.run("verify", str(finding), "--overlay", str(self.overlay), *options, expect=expect)


def told(said: str) -> dict:
    return json.JSONDecoder().raw_decode(said[said.index("{") :])[0]


def names(report: dict) -> list[str]:
    return [check["name"] for check in report["checks"]]


def check(scene: VerifyScene) -> None:
    elsewhere = "# fake: operators aten.sin.default"
    scene.judge(f"{WRONG}\n# fake: overlaid {FINE}", FINE, f"{FINE}\n# fake: overlaid {WRONG}\n{elsewhere}")
    (finding,) = json.loads(scene.run("findings", "--json"))
    with scene.database() as database:
        programs = database.execute("SELECT id, text FROM programs WHERE verdict = 'consistent' ORDER BY id").fetchall()
    (broken,) = [number for number, text in programs if "overlaid" in text]

    report = told(scene.verify(finding["id"], "--json", expect=1))
    before = ["import", "vanishes", "occurrences", "variants", "what fired"]
    assert report["changed"] == [CHANGED] and names(report) == [*before, "programs"], report
    assert report["result"] == "breaks", report
    last = report["checks"][-1]
    assert (last["ran"], last["failed"], last["failing"]) == (2, 1, [f"program {broken}"]), last
    assert "overlaid" in last["program"], last

    write(scene.overlay / CHANGED, "# fake: no import\n")
    unable = told(scene.verify(finding["id"], "--json", expect=1))
    assert unable["result"] == "does_not_import" and names(unable) == ["import"], unable
    assert "lowering: ImportError: the fake worker was asked" in unable["checks"][0]["told"], unable
    write(scene.overlay / CHANGED, "# mended\n")

    said = scene.verify(finding["id"], expect=1)
    assert "the finding vanishes: consistent in" in said and "result: breaks" in said, said
    assert f"1 of 2 that were consistent differ now; program {broken}: " in said, said
    assert "; 1 call add" in said, said

    nothing = told(scene.verify(finding["id"], "--programs", "0", "--json", expect=1))
    assert nothing["result"] == "too_few" and nothing["checks"][-1]["ran"] == 0, nothing

    scene.judge(*(f"{FINE}\n# {number}" for number in range(9)))
    enough = told(scene.verify(finding["id"], "--programs", "10", "--json", expect=0))  # related ones come first
    assert names(enough) == [*before, "programs", "samples", "corpus"] and enough["result"] == "accepted", enough
    assert enough["also_gone"] == [] and all(check["failed"] == 0 for check in enough["checks"]), enough
    assert told(scene.verify(finding["id"], "--json", expect=1))["checks"][-1]["ran"] == 11


def check_failures(scene: VerifyScene) -> None:
    """Each of these fails one check, and those after it do not run."""
    mended = f"{WRONG}\n# fake: overlaid {FINE}"
    off = "# fake: overlaid fired lowering:aten.sub"
    cases = (
        (WRONG, FINE, "stays", "vanishes"),
        (f"{mended}\n{off}", f"{FINE}\n{off}", "switched_off", "what fired"),
        (f"{mended}\n# fake: overlaid sample raised: TypeError", FINE, "breaks", "samples"),
    )
    for number, (program, fine, result, name) in enumerate(cases):
        called = f"# fake: operators aten.cos{number}.default"
        scene.judge(f"{program}\n{called}", *(f"{fine}\n{called}\n# {other}" for other in range(10)))
        newest = max(finding["id"] for finding in json.loads(scene.run("findings", "--json")))
        report = told(scene.verify(newest, "--programs", "10", "--json", expect=1))
        assert (report["result"], names(report)[-1]) == (result, name), report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parityd", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scene = VerifyScene(arguments.parityd, pathlib.Path(folder))
        try:
            check(scene)
            check_failures(scene)
        finally:
            scene.end()


if __name__ == "__main__":
    sys.exit(main())
