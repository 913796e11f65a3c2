"""Sources refer only to what a reader has: every page of docs/ they name is there, and nothing is a section of a text
that is not in the repository: references_test.py ROOT."""

import pathlib
import re
import sys

FOLDERS = ("agent", "cmake", "docs", "executor", "oracle", "prompts", "store", "tests")
SUFFIXES = {".cpp", ".cu", ".cuh", ".cmake", ".h", ".md", ".py", ".sql", ".txt"}
ELSEWHERE = re.compile(r"§ ?\d|\bDESIGN\b|\bguide (?:llm|operations|oracle|rule|style|torch)\b")
PAGE = re.compile(r"\bdocs/([a-z-]+\.md)\b")


def files(root: pathlib.Path) -> list[pathlib.Path]:
    found = [root / "README.md"]
    for folder in FOLDERS:
        found += (file for file in (root / folder).rglob("*") if file.suffix in SUFFIXES)
    own = pathlib.Path(__file__).resolve()
    return [file for file in found if file.resolve() != own and "corpus" not in file.parts]


def main(root: pathlib.Path) -> int:
    wrong = []
    for file in files(root):
        for number, line in enumerate(file.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            names = [found.group() for found in ELSEWHERE.finditer(line)]
            names += [page for page in PAGE.findall(line) if not (root / "docs" / page).exists()]
            wrong += (f"{file.relative_to(root)}:{number}: {name}: no reader has it" for name in names)
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
