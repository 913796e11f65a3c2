"""The worker's end of the channel: JSON lines out, JSON lines in, and a heartbeat that can be stopped."""

import json
import os
import threading
from collections.abc import Iterator
from typing import Any

BEAT_SECONDS = 0.05


class Channel:
    def __init__(self, read: int, write: int) -> None:
        for descriptor in (read, write):
            os.set_inheritable(descriptor, False)
        self.input = os.fdopen(read, "rb", buffering=0)
        self.output = write
        self.lock = threading.Lock()
        self.quiet: threading.Event | None = None
        self.beats: threading.Thread | None = None
        self.beat_seconds = BEAT_SECONDS

    def send(self, **message: Any) -> None:
        self.send_bytes(json.dumps(message).encode() + b"\n")

    def send_bytes(self, data: bytes) -> None:
        with self.lock:
            while data:
                data = data[os.write(self.output, data) :]

    def messages(self) -> Iterator[dict]:
        rest = b""
        while more := self.input.read(1 << 16):
            *lines, rest = (rest + more).split(b"\n")
            yield from (json.loads(line) for line in lines)

    def start_beats(self) -> None:
        quiet = self.quiet = threading.Event()

        def beat() -> None:
            while not quiet.wait(self.beat_seconds):
                self.send_bytes(b'{"type":"beat"}\n')  # byte by byte as a worker's

        self.beats = threading.Thread(target=beat, daemon=True)
        self.beats.start()

    def stop_beats(self) -> None:
        self.quiet.set()
        self.beats.join()
