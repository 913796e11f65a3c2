"""Graphs of forms that agreed before are not compiled but in a share of the programs; what only eager kernels show in
their place is no difference, what the code shows as well is a finding of the compiled run."""

import argparse
import json
import pathlib
import sys
import tempfile

from scene import Scene

WRONG = "value eager=1.0 inductor=2.0 reference=1.0 inductor_fp64=2.0 inductor_precise=2.0 aot_eager=1.0"
PROGRAM = """{deeds}import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x + {number}


def get_inputs():
    return [torch.ones(3)]
"""
RULES = "SELECT rule FROM programs WHERE text LIKE ?"
GRAPHS = """SELECT graphs FROM examinations WHERE purpose = 'screen' AND program =
    (SELECT id FROM programs WHERE text LIKE ?) ORDER BY id"""


def configure(scene: Scene) -> None:
    """One after another, and none is compiled to see what the others hide."""
    text = scene.config.read_text().replace("workers = 2", "workers = 1").replace("in_flight = 4", "in_flight = 1")
    scene.config.write_text(f"{text}\n[oracle]\ncompile_share = 1\ncompile_sample = 0\n")


def answered(scene: Scene, number: int, *deeds: str) -> str:
    """Queues a model's reply of one program; what finds its text."""
    lines = "".join(f"# fake: {deed}\n" for deed in deeds)
    reply = f"```python\n{PROGRAM.format(deeds=lines, number=number)}```\n"
    (scene.folder / "replies" / f"{number:03}.md").write_text(reply)
    return f"%x + {number}\n%"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parityd", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        scene = Scene(arguments.parityd, pathlib.Path(name), replies=6)
        configure(scene)
        first = answered(scene, 0, "forms 1 2")
        again = answered(scene, 1, "forms 2 1")
        more = answered(scene, 2, "forms 1 2 3")
        graphs_alone = answered(scene, 3, "forms 1 3", f"graph {WRONG}")
        fault = answered(scene, 4, "forms 2 3", WRONG)
        unlike = answered(scene, 5, "forms 4", WRONG)
        said = scene.run("run", "--programs", "6")

        def told(which: str) -> tuple[str, list[str]]:
            database = scene.database()
            found = database.execute(RULES, (which,)).fetchone()
            rule = found[0] if found else ""
            return rule, [row[0] for row in database.execute(GRAPHS, (which,))]

        assert told(first) == ("consistent", ["compiled"]), (told(first), said)
        assert told(again) == ("consistent.interpreted", ["interpreted"]), told(again)
        assert told(more) == ("consistent", ["compiled"]), told(more)
        assert told(graphs_alone) == ("consistent", ["interpreted", "sampled"]), told(graphs_alone)
        assert told(fault)[1] == ["interpreted", "sampled"], told(fault)
        assert told(unlike)[1] == ["compiled"], told(unlike)
        counts = {row["graphs"]: row for row in json.loads(scene.run("stats", "--json"))["graphs"]}
        expected = {"graphs": "interpreted", "screens": 3, "suspects": 2, "inconsistent": 1}
        assert counts["interpreted"] == expected, counts
        assert "not compiled, run by eager kernels" in scene.run("stats"), scene.run("stats")
        (finding,) = json.loads(scene.run("findings", "--json"))
        assert finding["occurrences"] == 2, finding
        scene.end()


if __name__ == "__main__":
    sys.exit(main())
