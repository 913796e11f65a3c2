"""An API and builtin behind one daemon: what goes on when the API stops, costs too much or says nothing new."""

import json
import pathlib

from scene import PROGRAM, Scene, main

ALL_OPTIONS = {"train": False, "grad": False, "backward": False, "dynamic": False, "fullgraph": False, "calls": 1}
ALL_OPTIONS |= {"mode": "inductor", "mark_dynamic": [], "dynamo_config": {}}


def two_providers(scene: Scene, budget: str = "") -> None:
    text = scene.config.read_text().replace('provider = "standin"', 'provider = ["standin", "builtin"]')
    scene.config.write_text(text + f"\n[budget]\n{budget}\n")


def run(scene: Scene, *options: str) -> tuple[dict, str]:
    """The summary, and everything that was said."""
    out = scene.run("run", "--json", *options)
    return json.loads(next(line for line in out.splitlines() if line.startswith("{"))), out


def by_provider(scene: Scene) -> dict[str, int]:
    return dict(scene.database().execute("SELECT provider, count(*) FROM replies GROUP BY provider"))


def charged(scene: Scene, provider: str) -> int:
    query = "SELECT coalesce(sum(charged_nano_dollars), 0) FROM replies WHERE provider = ?"
    return scene.database().execute(query, (provider,)).fetchone()[0]


def refused_key(parityd: str, folder: pathlib.Path) -> None:
    """fault 28"""
    refusal = {"status": 401, "times": 1000, "body": {"message": "no such key", "code": "invalid_api_key"}}
    scene = Scene(parityd, folder, 0, rules=[refusal])
    two_providers(scene)
    summary, said = run(scene, "--programs", "8")
    assert summary["programs"] == 8, summary
    assert summary["ended"] == "done", summary
    assert "not asked again until a reload or restart: provider standin: HTTP 401: no such key" in said, said
    counts = by_provider(scene)
    assert 1 <= counts["standin"] <= 4, counts  # what was in flight when it was refused
    assert counts["builtin"] >= 8, counts
    assert charged(scene, "standin") == 0
    levels = scene.database().execute("SELECT level FROM events WHERE what = 'provider_stopped'").fetchall()
    assert levels == [("error",)], levels


def spent_budget(parityd: str, folder: pathlib.Path) -> None:
    """fault 35: one reply's reservation fits, what it cost leaves no room for another, before and after a restart."""
    usage = {"prompt_tokens": 1000, "completion_tokens": 4000}
    scene = Scene(parityd, folder, 5, rules=[{"reply": "no program", "usage": usage, "times": 1000}])
    two_providers(scene, "dollars_per_day = 0.0055")
    first, said = run(scene, "--programs", "6")
    assert first["programs"] == 6, first
    asked = by_provider(scene)["standin"]
    assert asked >= 1
    assert charged(scene, "standin") <= 5_500_000, charged(scene, "standin")
    assert "dollars_per_day" in said, said
    second, _ = run(scene, "--programs", "4")
    assert second["programs"] == 4, second
    assert by_provider(scene)["standin"] == asked, by_provider(scene)


def same_program(parityd: str, folder: pathlib.Path) -> None:
    """fault 34: an API that always writes the same program, each time laid out otherwise, is given up on; the program
    runs once. It sets all options that strategies would set for it."""
    text = PROGRAM.format(deed="sleep 0.02", number=1) + f"\n\nOPTIONS = {ALL_OPTIONS}\n"
    layouts = [text, text + "\n\n# the same\n", text.replace("x + 1", "(x  +  1)"), text]
    rules = [{"reply": f"```python\n{layout}```\n", "times": 1} for layout in layouts[:-1]]
    rules.append({"reply": f"```python\n{layouts[-1]}```\n", "times": 1000})
    scene = Scene(parityd, folder, 1, rules=rules)
    two_providers(scene)
    summary, said = run(scene, "--programs", "4")
    assert summary["programs"] == 4, summary
    why = "not asked again until a reload or restart: provider standin: 30 replies in a row contained no new program"
    assert why in said, said
    query = "SELECT class, count(*) FROM replies WHERE provider = 'standin' GROUP BY class"
    classes = dict(scene.database().execute(query))
    assert classes.pop("program") == 1, classes
    assert classes["duplicate"] >= 30, classes
    query = "SELECT count(*) FROM programs p JOIN replies r ON r.id = p.reply WHERE r.provider = 'standin'"
    assert scene.database().execute(query).fetchone()[0] == 1


def invalid_program() -> str:
    """Long enough for its repair to be trimmed."""
    lines = "\n".join(f'    "{number:064}",' for number in range(120))
    deed = "raise eager ValueError shapes do not fit\n# fake: raise inductor ValueError shapes"
    text = PROGRAM.format(deed=deed, number=1)
    return f"```python\n{text}\n\nNOTES = [\n{lines}\n]\n```\n"


def repaired_where(parityd: str, folder: pathlib.Path, longest: int) -> tuple[dict, Scene]:
    """One invalid program, whose repair's prompt is refused beyond that length."""
    repair = "failed in eager mode"
    refusal = {"status": 400, "body": {"message": "too many tokens", "code": "context_length_exceeded"}}
    mended = f"```python\n{PROGRAM.format(deed='sleep 0.02', number=2)}```\n"
    rules = [
        {"match": repair, "longer": longest, "times": 1000, **refusal},
        {"match": repair, "reply": mended, "times": 1000},
        {"reply": invalid_program()},
    ]
    scene = Scene(parityd, folder, 1, rules=rules)
    summary, _ = run(scene, "--programs", "1")
    return summary, scene


def too_long(parityd: str, folder: pathlib.Path) -> None:
    """fault 29"""
    (folder / "window").mkdir()
    summary, scene = repaired_where(parityd, folder / "window", 6000)
    assert summary["repaired"] == 1, summary
    repairs = "SELECT state, error FROM replies WHERE purpose = 'repair' ORDER BY id"
    rows = scene.database().execute(repairs).fetchall()
    assert [state for state, _ in rows] == ["failed", "answered"], rows
    assert charged(scene, "standin") < 10_000_000, charged(scene, "standin")
    (folder / "small").mkdir()
    summary, scene = repaired_where(parityd, folder / "small", 100)
    assert summary["repaired"] == 0, summary
    rows = scene.database().execute(repairs).fetchall()
    assert [state for state, _ in rows] == ["failed", "failed"], rows
    (why,) = scene.database().execute("SELECT why FROM programs").fetchone()
    assert "too_large: HTTP 400: too many tokens" in why, why


def replayed(scene: Scene) -> list[str]:
    query = "SELECT model FROM replies WHERE provider = 'builtin' ORDER BY id"
    return [model for (model,) in scene.database().execute(query)]


def corpus_place(parityd: str, folder: pathlib.Path) -> None:
    """Beside another provider, over a restart: the corpus comes in its own order and nothing is left out."""
    scenes = {}
    for name, providers in (
        ("mixed", '["standin", { name = "builtin", weight = 1 }]'),
        ("alone", '"builtin"'),
    ):
        (folder / name).mkdir()
        scenes[name] = Scene(parityd, folder / name, 40)
        config = scenes[name].config
        config.write_text(config.read_text().replace('provider = "standin"', f"provider = {providers}"))
    for _ in range(2):
        run(scenes["mixed"], "--programs", "10")
    assert by_provider(scenes["mixed"])["standin"] >= 4, by_provider(scenes["mixed"])
    mixed = replayed(scenes["mixed"])
    assert len(mixed) >= 6, mixed
    run(scenes["alone"], "--programs", str(len(mixed)))
    assert replayed(scenes["alone"])[: len(mixed)] == mixed, (replayed(scenes["alone"]), mixed)


def bred(parityd: str, folder: pathlib.Path) -> None:
    """Nothing but what the daemon breeds; where it may not, the run says so at once."""
    scene = Scene(parityd, folder, 1)
    refused = scene.run("run", "--provider", "bred", expect=3)
    assert "run.mutant_share is 0" in refused, refused
    scene.config.write_text(scene.config.read_text().replace("mutant_share = 0", "mutant_share = 0.5"))
    scene.run("run", "--provider", "bred", "--programs", "4")
    origins = dict(scene.database().execute("SELECT origin, count(*) FROM programs GROUP BY 1").fetchall())
    assert sum(origins.values()) == 4 and not set(origins) - {"composed", "mutant"}, origins


if __name__ == "__main__":
    main({case.__name__: case for case in (bred, corpus_place, refused_key, same_program, spent_budget, too_long)})
