#!/usr/bin/env python3
"""Makes the pictures of the page's screens from the shipped sample: make_screens.py PARITYD

Needs chromium, and writes screen-NAME.png beside itself."""

import collections
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator

HERE = pathlib.Path(__file__).resolve().parent
SCREENS = {"overview": ("", 900), "findings": ("findings", 720), "finding": ("finding/2", 1120)}
WIDTH = 1180
COLOURS = 240
LARGEST_SUM = 600_000
SETTLED = "--virtual-time-budget=8000"  # milliseconds, long enough for the page's first two refreshes


def chunks(picture: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 8
    while at < len(picture):
        length, name = struct.unpack(">I4s", picture[at : at + 8])
        yield name, picture[at + 8 : at + 8 + length]
        at += length + 12


def rows_of(picture: bytes) -> tuple[int, int, list[bytes]]:
    """Width, bytes a pixel, and the rows of a PNG with 8 bits a channel, their filters undone."""
    parts: dict[bytes, bytes] = collections.defaultdict(bytes)
    for name, content in chunks(picture):
        parts[name] += content
    width, height, depth, colour = struct.unpack(">IIBB", parts[b"IHDR"][:10])
    step = {2: 3, 6: 4}[colour]
    assert depth == 8
    data, size = zlib.decompress(parts[b"IDAT"]), width * step
    rows, above = [], bytes(size)
    for number in range(height):
        kind, *row = data[number * (size + 1) : (number + 1) * (size + 1)]
        for at in range(size if kind else 0):
            left, corner = (row[at - step], above[at - step]) if at >= step else (0, 0)
            up = above[at]
            near = min((left, up, corner), key=lambda value, sum=left + up - corner: abs(sum - value))
            row[at] = (row[at] + (0, left, up, (left + up) // 2, near)[kind]) & 255
        above = bytes(row)
        rows.append(above)
    return width, step, rows


def chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def with_palette(picture: bytes) -> bytes:
    """The same picture in its most frequent colours, each other one replaced by the nearest of them."""
    width, step, rows = rows_of(picture)
    pixels = [[row[at : at + 3] for at in range(0, len(row), step)] for row in rows]
    counts = collections.Counter(pixel for row in pixels for pixel in row)
    palette = [colour for colour, _ in counts.most_common(COLOURS)]

    def nearest(colour: bytes) -> int:
        far = [sum((one - other) ** 2 for one, other in zip(colour, each, strict=True)) for each in palette]
        return far.index(min(far))

    place = {colour: nearest(colour) for colour in counts}
    lines = b"".join(b"\0" + bytes(place[pixel] for pixel in row) for row in pixels)
    header = struct.pack(">IIBBBBB", width, len(rows), 8, 3, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"PLTE", b"".join(palette)) + chunk(b"IDAT", zlib.compress(lines, 9))
    return picture[:8] + body + chunk(b"IEND", b"")


def photograph(address: str, height: int, folder: pathlib.Path, picture: pathlib.Path) -> None:
    taken = folder / "taken.png"
    options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", SETTLED]
    options += [f"--user-data-dir={folder}/profile", f"--window-size={WIDTH},{height}", f"--screenshot={taken}"]
    subprocess.run(["chromium", *options, address], check=True, capture_output=True, timeout=300)
    picture.write_bytes(with_palette(taken.read_bytes()))


def main() -> None:
    (parityd,) = sys.argv[1:]
    assert shutil.which("chromium"), "chromium is not installed"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        environment = dict(os.environ, XDG_CACHE_HOME=name, HOME=name)
        with subprocess.Popen([parityd, "demo"], env=environment, stdout=subprocess.PIPE, text=True) as demo:
            try:
                found = (re.search(r"http://\S+", line) for line in iter(demo.stdout.readline, ""))
                page = next(match.group() for match in found if match)
                for screen, (place, height) in SCREENS.items():
                    photograph(f"{page}/#/{place}", height, folder, HERE / f"screen-{screen}.png")
            finally:
                demo.send_signal(signal.SIGINT)
    sizes = {picture.name: picture.stat().st_size for picture in sorted(HERE.glob("screen-*.png"))}
    print("\n".join(f"{size:8} {picture}" for picture, size in sizes.items()))
    assert sum(sizes.values()) < LARGEST_SUM, "the pictures are too large"


if __name__ == "__main__":
    main()
