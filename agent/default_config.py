"""Makes the configuration that is installed, every key explained, out of the pages docs/configuration*.md:
default_config.py docs > parityd.toml"""

import pathlib
import re
import sys
import textwrap

HEADER = """\
# parityd's configuration. parityd needs none: every line that is commented out says what holds without it.
# Made from the pages docs/configuration*.md, which say more. Copy it to /etc/parityd/parityd.toml for the service, or
# to ~/.config/parityd/parityd.toml, and change what you want changed; `parityd doctor` checks it.
"""
GROUPS = (
    "Instead of device, workers, fork_parents, launch and cpu_share of [executor]: one such table a group of workers."
)
WIDTH = 110
# The complete example comes first, that of the groups second.
PARTS = ("-example", "-executor", "-oracle", "-providers", "")
# Tables of which there are none unless somebody writes them.
OPTIONAL = ("provider.", "executor.group")


def meanings(page: str) -> dict[str, str]:
    """Of each key the last column of its row, and the range where there is one."""
    found = {}
    for key, rest in re.findall(r"^\| `([a-z_.A-Z]+)` \|(.*)\|$", page, re.MULTILINE):
        cells = [cell.strip() for cell in rest.split("|")]
        text = cells[-1]
        if len(cells) == 3 and cells[1] and cells[1] != "see above":
            text = f"{text} ({cells[1]})" if text else cells[1]
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text.replace("`", ""))
        found[key] = text[:1].upper() + text[1:]
    return found


def examples(page: str) -> list[str]:
    """The complete one, then the one of groups."""
    return re.findall(r"```toml\n(.*?)```", page, re.DOTALL)[:2]


def comment(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False)


def documented(table: str, key: str) -> str:
    return re.sub(r"^provider\.mine", "provider.NAME", f"{table}.{key}")


def key_of(line: str) -> str | None:
    match = re.match(r"(?:# )?([a-z_]+) = ", line)
    return match and match[1]


def lines_of(example: str, explained: dict[str, str]) -> list[str]:
    lines, table, told = [], "", set()
    for line in example.splitlines():
        if heading := re.match(r"(\[+)([a-z_.]+)\]+", line):
            table = heading[2]
            optional = table.startswith(OPTIONAL)
            lines += ["", ("#" if optional else "") + heading[0]]
        elif key := key_of(line):
            name = documented(table, key)
            if name not in told:
                lines += ["", *comment(explained[name]), "#" + re.sub(r"\s+#.*$", "", line.removeprefix("# "))]
            told.add(name)
    return lines


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    page = "".join((folder / f"configuration{part}.md").read_text(encoding="utf-8") for part in PARTS)
    explained = meanings(page)
    complete, groups = examples(page)
    lines = lines_of(complete, explained)
    of_groups = "[[executor.group]]\n" + groups[groups.index("[[") :].replace("[[executor.group]]", "")
    lines += ["", "", *comment(GROUPS), *lines_of(of_groups, explained)]
    sys.stdout.write(HEADER + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
