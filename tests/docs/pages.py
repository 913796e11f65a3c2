"""What the documents show: commands in fences ```sh and ```console, links, lines."""

import pathlib
import re
import shlex
from dataclasses import dataclass

FENCE = re.compile(r"^\s*```(\w*)\s*$")
NEEDS = re.compile(r"\bneeds (torch|a GPU|root|a network|Slurm|systemd|a build|a container engine|a key|a daemon)\b")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
BARE = re.compile(r"^ {4}(parityd|sqlite3|ctest|cmake|python3?|\./bootstrap)\b")  # a command outside of a fence


@dataclass
class Command:
    page: pathlib.Path
    line: int
    text: str  # as it stands, without prompt and comment
    needs: str  # why it is not run; empty: it is
    exit_code: int

    def __str__(self) -> str:
        return f"{self.page.name}:{self.line}: {self.text}"


def comment_of(text: str) -> tuple[str, str]:
    """The command, and what its comment says."""
    quote = ""
    for at, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter == "#" and text[at - 1 : at].isspace():
            return text[:at].rstrip(), text[at + 1 :].strip()
    return text.rstrip(), ""


def command(page: pathlib.Path, number: int, text: str, root: bool) -> Command:
    text, comment = comment_of(text)
    needs = NEEDS.search(comment)
    code = re.search(r"\bexit code (\d)\b", comment)
    reason = "root" if root else needs.group(1) if needs else ""
    return Command(page, number, text, reason, int(code.group(1)) if code else 0)


def commands(page: pathlib.Path) -> list[Command]:
    """In ```console lines behind `$` and, as root, behind `#`; in ```sh every line that is no comment."""
    found, fence, opened = [], None, 0
    for number, line in enumerate(page.read_text().splitlines(), 1):
        mark = FENCE.match(line)
        if mark:
            fence = None if fence is not None else mark.group(1)
            opened = number
        elif fence in ("bash", "shell") and number == opened + 1 and not line.startswith("#!"):
            raise AssertionError(
                f"{page.name}:{number}: nobody tries a command in a fence `{fence}`; it is for scripts"
            )
        elif fence == "sh" and line.strip() and not line.startswith("#"):
            found.append(command(page, number, line, root=False))
        elif fence == "console" and line[:2] in ("$ ", "# "):
            found.append(command(page, number, line[2:], root=line.startswith("#")))
        elif fence is None and BARE.match(line):
            raise AssertionError(f"{page.name}:{number}: nobody tries a command outside of a fence: {line.strip()}")
    assert fence is None, f"{page.name}: a fence is not closed"
    return found


def simple_commands(text: str) -> list[list[str]]:
    """The words of each command of a line: `a | b && c` are three. Redirections and assignments are left out."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    all_words: list[list[str]] = [[]]
    skip = False
    for word in lexer:
        if set(word) <= set("|&;()") or word == "<(":
            all_words.append([])
        elif set(word) <= set("<>"):
            skip = True
        elif skip:
            skip = False
        elif all_words[-1] or not re.match(r"^[A-Za-z_]+=", word):
            all_words[-1].append(word)
    return [words for words in all_words if words]


def anchors(page: pathlib.Path) -> set[str]:
    """As GitHub makes them of headings."""
    found = set()
    for line in page.read_text().splitlines():
        if line.startswith("#"):
            heading = re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower())
            found.add(heading.replace(" ", "-"))
    return found


def links(page: pathlib.Path) -> list[str]:
    """Relative ones, outside of fences."""
    found, fenced = [], False
    for line in page.read_text().splitlines():
        fenced ^= bool(FENCE.match(line))
        found += [] if fenced else [link for link in LINK.findall(line) if "://" not in link]
    return found
