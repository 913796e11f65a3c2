"""The pages hold together: each link leads somewhere, each page is in the index once, none is long."""

import pathlib
import sys

import pages

LONGEST = 200
ROOT_PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md")


def main() -> None:
    root = pathlib.Path(sys.argv[1])
    mistakes = []
    docs = sorted((root / "docs").glob("*.md"))
    shown = [*(root / name for name in ROOT_PAGES), *docs]
    for page in shown:
        for link in pages.links(page):
            file, _, anchor = link.partition("#")
            target = (page.parent / file).resolve() if file else page
            if not target.exists():
                mistakes.append(f"{page.name}: nothing is at {link}")
            elif anchor and anchor not in pages.anchors(target):
                mistakes.append(f"{page.name}: {target.name} has no heading for #{anchor}")
    index = pages.links(root / "docs/README.md")
    for page in docs:
        if page.name != "README.md" and index.count(page.name) != 1:
            mistakes.append(f"docs/README.md lists {page.name} {index.count(page.name)} times")
    for page in (shown[0], *docs):
        lines = len(page.read_text().splitlines())
        if lines > LONGEST:
            mistakes.append(f"{page.name} has {lines} lines, more than {LONGEST}")
    assert not mistakes, "\n".join(mistakes)
    print(f"{len(shown)} pages")


if __name__ == "__main__":
    main()
