"""Known findings are masked: programs that show only one cost no confirmation, what one hid becomes a separate program,
and what cannot be split goes on as if nothing had been masked."""

import argparse
import json
import pathlib
import sys
import tempfile

from scene import WRONG, Scene

KNOWN = f"# fake: operators aten.sin.default\n# fake: cured by aten.sin.default\n# fake: {WRONG}\n"
ALONE = KNOWN
HIDDEN = f"{KNOWN}# fake: second output\n# fake: left second output\n# fake: left {WRONG}\n"
TOGETHER = f"{KNOWN}# fake: left {WRONG}\n"
PROGRAM = """{deeds}import torch


class Model(torch.nn.Module):
    def forward(self, x):
        a = x + {number}
        b = torch.sin(x)
        return a, b


def get_inputs():
    return [torch.ones(3)]
"""


def configure(scene: Scene, share: float) -> None:
    text = scene.config.read_text()
    scene.config.write_text(f"{text}\n[oracle]\nstep_over_share = {share}\n")


def reply(scene: Scene, number: int, deeds: str) -> None:
    text = PROGRAM.format(deeds=deeds, number=number)
    (scene.folder / "replies" / f"{number:03}.md").write_text(f"```python\n{text}```\n")


def examined(scene: Scene, number: int) -> tuple[dict, list[tuple[str, str]]]:
    """The program of that number as a model wrote it, and what it went through with which neutralisers."""
    database = scene.database()
    row = database.execute(
        "SELECT id, verdict, rule, why, explanation, new_features FROM programs WHERE origin = 'reply' AND text LIKE ?",
        (f"%x + {number}\n%",),
    ).fetchone()
    steps = database.execute("SELECT purpose, neutralisers FROM examinations WHERE program = ? ORDER BY id", row[:1])
    return dict(zip(("id", "verdict", "rule", "why", "explanation", "features"), row, strict=True)), steps.fetchall()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parityd", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        scene = Scene(arguments.parityd, pathlib.Path(name), replies=3)
        configure(scene, 1)
        (scene.folder / "first.py").write_text(PROGRAM.format(deeds=KNOWN, number=100))
        scene.run("import", str(scene.folder / "first.py"))
        scene.run("run", "--provider", "none", "--drain")
        (found,) = json.loads(scene.run("findings", "--json"))
        assert found["neutraliser"] == "lowering aten.sin.default", found
        for number, deeds in enumerate((ALONE, HIDDEN, TOGETHER)):
            reply(scene, number, deeds)
        said = scene.run("run", "--programs", "3")
        on = "lowering aten.sin.default"

        alone, steps = examined(scene, 0)
        assert steps == [("screen", on)], (steps, said)
        assert (alone["verdict"], alone["rule"]) == ("consistent", "consistent.stepped_over"), alone
        assert "lowering of aten.sin" in alone["explanation"] and alone["features"] == 0, alone

        hidden, steps = examined(scene, 1)
        assert steps == [("screen", on), ("masked", on)], steps
        assert hidden["verdict"] == "inconsistent" and "1 separate program" in hidden["why"], hidden
        rest = (
            scene.database()
            .execute(
                "SELECT p.id, p.text, group_concat(e.neutralisers, '') FROM programs p "
                "JOIN examinations e ON e.program = p.id WHERE p.origin = 'residual' AND p.source = ? GROUP BY p.id",
                (f"output 1 of program {hidden['id']}",),
            )
            .fetchall()
        )
        assert len(rest) == 1 and "x + 1" not in rest[0][1] and rest[0][2] == "", rest

        together, steps = examined(scene, 2)
        assert steps[:3] == [("screen", on), ("masked", on), ("controls", "")], steps
        assert together["verdict"] == "inconsistent" and together["why"] == "the same raw signature", together
        confirmed = scene.database().execute(
            "SELECT count(*) FROM examinations WHERE neutralisers <> '' "
            "AND purpose NOT IN ('screen', 'masked', 'residual')"
        )
        assert confirmed.fetchone() == (0,)
        scene.end()


if __name__ == "__main__":
    sys.exit(main())
