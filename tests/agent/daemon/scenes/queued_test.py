"""Only what is queued, without a provider: invalid programs are dropped with their reason; occurrences that are
attributed blame what makes them vanish; findings of programs that replace torch's code are held."""

import json

from scene import WRONG, Scene, main

BLAMED = "lowering aten.sin.default"


def wrong_until_sin_is_replaced(operators: str) -> str:
    return f"operators {operators}\n# fake: {WRONG}\n# fake: cured by aten.sin.default"


class Queue(Scene):
    def occurrences(self) -> list[tuple[int, str, str]]:
        query = "SELECT finding, why, blamed_pass FROM occurrences ORDER BY program"
        return self.database().execute(query).fetchall()


def invalid(queue: Queue) -> None:
    failing = "raise eager ValueError shapes do not fit\n# fake: raise inductor ValueError shapes do not fit"
    summary = queue.judge(failing, "sleep 0.01")
    assert (summary["programs"], summary["valid"], summary["repaired"]) == (2, 1, 0), summary
    query = "SELECT state, verdict, why FROM programs ORDER BY id"
    dropped, kept = queue.database().execute(query).fetchall()
    assert dropped == ("finished", "invalid", "this provider cannot repair"), dropped
    assert kept[:2] == ("finished", "consistent"), kept
    assert queue.database().execute("SELECT count(*) FROM replies").fetchone() == (0,)


def neighbour(queue: Queue) -> None:
    """Another graph that the finding's neutraliser cures is an occurrence, and blames it."""
    queue.judge(wrong_until_sin_is_replaced("aten.sin.default,aten.add.Tensor"))
    queue.judge(wrong_until_sin_is_replaced("aten.sin.default,aten.mul.Tensor"))
    first, second = queue.occurrences()
    assert first == (1, "the first", BLAMED), first
    assert second == (1, f"it vanishes with the neutraliser of finding 1: {BLAMED}", BLAMED), second


def fiftieth(queue: Queue) -> None:
    """It gets every confirmation round and is attributed; the others are taken by their signature."""
    deed = wrong_until_sin_is_replaced("aten.sin.default,aten.add.Tensor")
    queue.judge(deed)
    queue.judge(*[deed] * 49)
    rows = queue.occurrences()
    assert len(rows) == 50, len(rows)
    assert {finding for finding, _, _ in rows} == {1}, rows
    blaming = [why for _, why, blamed in rows if blamed]
    assert len(blaming) == 2 and blaming[0] == "the first" and "the same signature" in blaming[1], rows
    assert {blamed for _, _, blamed in rows} == {"", BLAMED}, rows


def patched(queue: Queue) -> None:
    """What replaces torch's own code is a finding, but never one to file."""
    queue.judge(f"{WRONG}\n# fake: replaces torch.relu", f"{WRONG}\n# fake: operators aten.sin.default")
    held, other = sorted(json.loads(queue.run("findings", "--json")), key=lambda finding: finding["id"])
    assert held["disposition"] == "held(patched)", held
    assert other["disposition"] != "held(patched)", other


if __name__ == "__main__":
    cases = (fiftieth, invalid, neighbour, patched)
    main({case.__name__: case for case in cases}, lambda parityd, folder: Queue(parityd, folder, replies=0))
