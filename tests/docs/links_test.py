"""The pages hold together: each link leads somewhere, each page is in the index, the README stays short."""

import pathlib
import sys

import pages

LONGEST_README = 200
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
    missing = {page.name for page in docs} - {"README.md", *index}
    mistakes += [f"docs/README.md does not list {name}" for name in sorted(missing)]
    lines = len(shown[0].read_text().splitlines())
    if lines > LONGEST_README:
        mistakes.append(f"README.md has {lines} lines, more than {LONGEST_README}")
    assert not mistakes, "\n".join(mistakes)
    print(f"{len(shown)} pages")


if __name__ == "__main__":
    main()
