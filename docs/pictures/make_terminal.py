#!/usr/bin/env python3
"""Records commands on the shipped sample as an animated picture of a terminal: make_terminal.py PARITYD

Writes terminal.svg beside itself. The commands run in a pseudo terminal; what does not fit on the screen is cut."""

import fcntl
import html
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios

HERE = pathlib.Path(__file__).resolve().parent
# What is typed, the seconds that its output stays, and how the first line that is shown begins.
SCENES = (
    ("parityd findings --limit 16", 7, ""),
    ("parityd show 2", 9, ""),
    ("parityd show 2", 6, "Program, reduced"),
    ("parityd draft 2", 6, ""),
    ("parityd draft 2", 9, "```python"),
)
COLUMNS, LINES = 112, 21
LETTER, LINE, EDGE, BAR = 7.2, 17, 14, 30
TYPING = 0.05  # seconds a letter
LARGEST = 60_000
SGR = re.compile(r"\x1b\[([0-9;]*)m")
STYLE = """
svg { --back: #ffffff; --text: #1f2328; --bar: #eaeef2; --frame: #d0d7de; --dim: #59636e; --red: #b3261e;
      --green: #1a7f37; --yellow: #7d5700; --blue: #0550ae; --magenta: #8250df; --cyan: #1b6f7a; }
@media (prefers-color-scheme: dark) {
  svg { --back: #0d1117; --text: #e6edf3; --bar: #21262d; --frame: #30363d; --dim: #9198a1; --red: #ff7b72;
        --green: #56d364; --yellow: #e3b341; --blue: #79c0ff; --magenta: #d2a8ff; --cyan: #76e3ea; }
}
text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: var(--text);
       white-space: pre; }
.bold { font-weight: 700; } .dim { fill: var(--dim); } .red { fill: var(--red); } .green { fill: var(--green); }
.yellow { fill: var(--yellow); } .blue { fill: var(--blue); }
.magenta { fill: var(--magenta); } .cyan { fill: var(--cyan); }
.scene { opacity: 0; } .cover { fill: var(--back); }
@media (prefers-reduced-motion: reduce) {
  g, rect { animation: none !important; }
  .still { opacity: 1; }
  .cover { opacity: 0; }
}
"""
CLASSES = {1: "bold", 2: "dim", 31: "red", 32: "green", 33: "yellow", 34: "blue", 35: "magenta", 36: "cyan", 90: "dim"}


def said(parityd: str, words: list[str], state: str) -> str:
    """What a command writes to a terminal as wide as the picture."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 1000, COLUMNS, 0, 0))
    environment = dict(os.environ, STATE_DIRECTORY=state, TERM="xterm-256color", PAGER="cat", LC_ALL="C.UTF-8")
    environment.pop("NO_COLOR", None)
    text = b""
    with subprocess.Popen([parityd, *words], stdin=theirs, stdout=theirs, stderr=theirs, env=environment):
        os.close(theirs)
        try:
            while part := os.read(ours, 65536):
                text += part
        except OSError:
            pass  # the other end is closed
    os.close(ours)
    return text.decode().replace("\r\n", "\n")


def spans(line: str) -> str:
    """A line with its colours as SVG."""
    done, classes, at, length = "", set(), 0, 0
    for mark in [*SGR.finditer(line), None]:
        text = line[at : mark.start() if mark else len(line)][: COLUMNS - length]
        length += len(text)
        if text:
            shown = html.escape(text, quote=False)
            done += f'<tspan class="{" ".join(sorted(classes))}">{shown}</tspan>' if classes else shown
        if mark:
            at = mark.end()
            for code in map(int, filter(None, mark[1].split(";") or ["0"])):
                classes = classes | {CLASSES[code]} if code in CLASSES else set() if code == 0 else classes
            if not mark[1]:
                classes = set()
    return done


def screen(output: str, first: str) -> list[str]:
    lines = output.rstrip("\n").split("\n")
    begin = next((number for number, line in enumerate(lines) if SGR.sub("", line).startswith(first)), 0)
    shown = lines[begin : begin + LINES - 2]
    return shown if begin + len(shown) == len(lines) else [*shown[:-1], "…"]


def scene(number: int, typed: str, lines: list[str], begin: float, seconds: float, total: float) -> tuple[str, str]:
    """Its elements and the rules that move them."""
    end, done = begin + seconds, begin + TYPING * len(typed) + 0.3

    def share(second: float) -> str:
        return f"{100 * second / total:.3f}%"

    top, edge = BAR + LINE, EDGE + LETTER * 2
    rows = (
        f'<text x="{EDGE}" y="{top + LINE * (row + 1)}">{spans(line)}</text>' for row, line in enumerate(lines) if line
    )
    still = " still" if number == 0 else ""
    body = f"""<g class="scene s{number}{still}">
<text x="{EDGE}" y="{top}"><tspan class="green">$</tspan> {typed}</text>
<rect class="cover c{number}" x="{edge}" y="{top - 13}" width="{LETTER * (len(typed) + 1)}" height="{LINE}"/>
<g class="o{number}">
{chr(10).join(rows)}
</g></g>"""
    rules = f""".s{number} {{ animation: s{number} {total}s step-end infinite; }}
.c{number} {{ animation: c{number} {total}s linear infinite; }}
.o{number} {{ animation: o{number} {total}s step-end infinite; }}
@keyframes s{number} {{ 0% {{ opacity: 0; }} {share(begin)} {{ opacity: 1; }} {share(end)} {{ opacity: 0; }} }}
@keyframes c{number} {{ 0%, {share(begin)} {{ transform: none; animation-timing-function: steps({len(typed)}); }}
  {share(done - 0.3)}, 100% {{ transform: translateX({LETTER * len(typed)}px); }} }}
@keyframes o{number} {{ 0% {{ opacity: 0; }} {share(done)} {{ opacity: 1; }} {share(end)}, 100% {{ opacity: 0; }} }}"""
    return body, rules


def picture(recorded: list[tuple[str, float, list[str]]]) -> str:
    total, at, bodies, rules = sum(seconds for _, seconds, _ in recorded), 0.0, [], []
    for number, (typed, seconds, lines) in enumerate(recorded):
        body, rule = scene(number, typed, lines, at, seconds, total)
        bodies.append(body)
        rules.append(rule)
        at += seconds
    width, height = round(EDGE * 2 + LETTER * COLUMNS), BAR + LINE * LINES + EDGE
    dots = "".join(f'<circle cx="{20 + 18 * dot}" cy="15" r="5" fill="var(--frame)"/>' for dot in range(3))
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">
<title>parityd on the command line</title>
<style>{STYLE}{chr(10).join(rules)}
</style>
<clipPath id="frame"><rect width="{width}" height="{height}" rx="8"/></clipPath>
<g clip-path="url(#frame)"><rect width="{width}" height="{height}" fill="var(--back)"/>
<rect width="{width}" height="{BAR}" fill="var(--bar)"/>{dots}
{chr(10).join(bodies)}
</g><rect x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="8" fill="none" stroke="var(--frame)"/>
</svg>
"""


def main() -> None:
    (parityd,) = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        environment = dict(os.environ, XDG_CACHE_HOME=name)
        subprocess.run([parityd, "demo", "--no-page"], env=environment, check=True, capture_output=True)
        state = f"{name}/parityd/demo"
        recorded = []
        for typed, seconds, first in SCENES:
            output = said(parityd, typed.split()[1:], state).replace(name, "~/.cache")
            recorded.append((typed, float(seconds), screen(output, first)))
    svg = picture(recorded)
    assert len(svg.encode()) < LARGEST, f"{len(svg.encode())} bytes are too many"
    (HERE / "terminal.svg").write_text(svg, encoding="utf-8")
    print(f"terminal.svg: {len(svg.encode())} bytes")


if __name__ == "__main__":
    main()
