"""Titles and summaries by a model, around a real daemon with fake workers and a stand-in API: a good reply stands, one
with an invented number and a request that is refused leave the template's words, with an event that says why; nobody is
asked twice; without a writer nothing is asked."""

import argparse
import json
import pathlib
import tempfile

from scene import PROGRAM, WRONG, Scene

DEED = "operators aten.{}\n# fake: " + WRONG
GOOD = {"title": "upsample_nearest2d: other values than eager", "summary": "Compiled returns 2.0, eager 1.0."}
INVENTED = {"title": "cumsum: other values than eager", "summary": "It is off by 4321."}
RULES = [
    {"match": "aten.upsample_nearest2d", "reply": json.dumps(GOOD), "times": 9},
    {"match": "aten.cumsum", "reply": json.dumps(INVENTED), "times": 9},
    {"match": "aten.topk", "status": 400, "body": '{"error": {"message": "no"}}', "times": 9},
]


class WordingScene(Scene):
    def find(self, number: int, operators: str) -> None:
        file = self.folder / f"suspect{number}.py"
        file.write_text(PROGRAM.format(deed=DEED.format(operators), number=number))
        self.run("import", str(file))
        self.run("run", "--provider", "none", "--drain")

    def asked(self) -> int:
        """Requests about drafts."""
        lines = self.journal.read_text().splitlines() if self.journal.exists() else []
        return sum(json.loads(line)["event"] == "request" for line in lines)

    def events(self, what: str) -> list[str]:
        with self.database() as database:
            return [text for (text,) in database.execute("SELECT text FROM events WHERE what = ? ORDER BY id", (what,))]

    def draft(self, operator: str) -> dict:
        found = [f for f in json.loads(self.run("findings", "--json")) if operator in f["signature"]]
        assert len(found) == 1, found
        assert found[0]["disposition"] == "ready", found
        return json.loads(self.run("draft", str(found[0]["id"]), "--json"))


def check(scene: WordingScene) -> None:
    plain = scene.config.read_text() + '\n[known]\nmax_age = "36500d"\n'
    scene.config.write_text(plain)
    scene.find(1, "upsample_nearest2d.vec")
    assert scene.asked() == 0, "nobody is configured to write"
    before = scene.draft("upsample_nearest2d")

    scene.config.write_text(plain + '\n[draft]\nwriter = "standin"\n')
    scene.find(2, "cumsum.default")
    assert scene.asked() == 2, scene.journal.read_text()
    draft = scene.draft("upsample_nearest2d")
    assert draft["title"] == "[inductor] " + GOOD["title"], draft["title"]
    assert "Compiled returns 2.0, eager 1.0." in draft["body"], draft["body"]
    assert "written by a model (`standin, stand-in`)" in draft["body"], draft["body"]
    assert draft["repro"] == before["repro"] and draft["title"] != before["title"]
    kept = scene.draft("cumsum")
    assert "4321" not in kept["body"] and "written by a model" not in kept["body"], kept["body"]
    assert any("the number 4321 is not among the facts" in text for text in scene.events("draft_not_worded"))

    scene.find(3, "topk.default")
    assert scene.asked() == 3, "those asked about before are not asked about again"
    assert any("the request failed" in text for text in scene.events("draft_not_worded"))
    with scene.database() as database:
        rows = database.execute("SELECT purpose, class FROM replies ORDER BY id").fetchall()
    assert [row[0] for row in rows] == ["draft"] * 3, rows
    assert [row[1] for row in rows[:2]] == ["draft"] * 2, rows


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--parityd", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scene = WordingScene(arguments.parityd, pathlib.Path(folder), replies=1, rules=RULES)
        try:
            check(scene)
        finally:
            scene.end()
    print("fine")


if __name__ == "__main__":
    main()
