"""Requests that a person or another program answers: one file for each request, one for its answer."""

import hashlib
import pathlib
import time

from apis import text_in

SECONDS_BETWEEN_LOOKS = 0.5


class Letters:
    """`NAME.md` in a folder is a request, all its messages; `NAME.answer.md` beside it is its answer. A request that
    was answered before gets the same answer again. Waits in the thread that asks."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def answer(self, body: dict) -> tuple[str, str]:
        """The answer's text and its file's name. Whoever writes it moves a whole file into place."""
        text = "\n\n".join(f"=== {name}\n\n{content}" for name, content in messages(body))
        name = hashlib.sha256(text.encode()).hexdigest()[:12]
        answer = self.folder / f"{name}.answer.md"
        written = self.folder / f"{name}.tmp"
        written.write_text(text)
        written.rename(self.folder / f"{name}.md")
        while not answer.exists():
            time.sleep(SECONDS_BETWEEN_LOOKS)
        return answer.read_text(), answer.name


def messages(body: dict) -> list[tuple[str, str]]:
    """Of either API: who says what."""
    first = [{"role": "system", "content": body["system"]}] if "system" in body else []
    return [(message["role"], text_in(message["content"])) for message in first + body["messages"]]
