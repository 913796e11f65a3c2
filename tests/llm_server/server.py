"""A stand-in for LLM APIs, OpenAI's chat completions and Anthropic's messages: recorded replies, scripted faults, a
journal for audits.

    server.py --port 0 --replies DIR [--by-strategy] [--script FILE.json] [--journal FILE] [--key KEY]
        [--letters DIR] [--takes LOW HIGH] [--llama WINDOW [--loading SECONDS]]

Prints "listening on PORT". Replies are the *.md of DIR in name order, again from the start when all are used;
--by-strategy answers a strategy's prompt with the files named after it ("views-03.md", or "s3-03.md": the third).
"@number@" in a file becomes how many were sent before, so that a few files are replies without end.
--letters DIR: what no rule answers, repairs included, is written to DIR and waits there for its answer (letters.py).
--takes LOW HIGH: an answer whose rule says no delay comes after so many seconds, drawn anew each time.
--llama WINDOW: chat completions are llama.cpp's, with a window of so many tokens (llama.py); it loads its model first.
A repair prompt that nobody scripted gets no program. A request that the real API would refuse gets its 400.

A script is a list of rules; the first whose "match" stands in the last user message, if that has more characters than
"longer", and that has "times" left (default 1) answers; with "every" only each so manieth time. What a rule may hold,
all optional:
    status, headers         of the answer (200)
    reply, reply_file       text of the model's message, in a completion of the real shape
    finish, refusal, usage  of that completion; usage null leaves it out
    tier                    the service tier that it names
    body                    the answer's bytes instead of a completion
    repeat                  the body that many times, to make it large
    gzip                    true: compressed
    together                wait until so many requests of this rule are here at once; 500 when they never are
    delay, drip             seconds before the first byte; seconds between a body's single bytes
    cut                     close after that many bytes of the body; -1: before any answer

A "body" that is an object, {"message", "code", "param"}, becomes an error in the shape of the API that was asked. The
list of models (a GET of ".../models") follows the rules whose "match" is "/models".

It stands in for GitHub's list of issues too: a GET of ".../issues?..." gets the body of the first rule whose "match"
stands in the address, else an empty list.
"""

import argparse
import contextlib
import gzip
import hashlib
import http.server
import json
import os
import pathlib
import random
import sys
import threading
import time

from apis import ChatCompletions, Refused, api_of, key_given
from letters import Letters
from llama import LlamaServer, TooLong

HERE = pathlib.Path(__file__).parent
STRATEGIES = ["operators", "dtypes", "views", "dynamic", "training", "control", "patterns", "edge"]
TOGETHER_SECONDS = 120
REPAIR = "failed in eager mode"  # stands in every repair prompt


class Script:
    """What to answer, in order; shared by the connections' threads."""

    def __init__(
        self, replies: pathlib.Path | None, rules: list[dict], by_strategy: bool, folder: pathlib.Path
    ) -> None:
        self.files = sorted(replies.glob("*.md")) if replies else []
        self.rules, self.folder, self.by_strategy = rules, folder, by_strategy
        self.used: dict[str, int] = {}
        self.lock = threading.Lock()
        for rule in rules:
            if "together" in rule:
                rule["barrier"] = threading.Barrier(rule["together"])

    def rule_for(self, prompt: str, named: bool = False) -> dict | None:
        """With `named` only a rule that says what it matches."""
        for rule in self.rules:
            if named and "match" not in rule:
                continue
            fits = rule.get("match", "") in prompt and len(prompt) > rule.get("longer", -1)
            if fits and rule.get("times", 1) > 0 and self.its_turn(rule):
                rule["times"] = rule.get("times", 1) - 1
                return rule
        return None

    @staticmethod
    def its_turn(rule: dict) -> bool:
        rule["asked"] = rule.get("asked", 0) + 1
        return rule["asked"] % rule.get("every", 1) == 0

    def prefixes_of(self, prompt: str) -> tuple[str, ...]:
        for number, name in enumerate(STRATEGIES, 1):
            text = (HERE.parents[1] / "prompts" / "strategies" / f"{name}.md").read_text()
            if text.split("---\n", 2)[2].strip().splitlines()[0] in prompt:
                return (f"s{number}-", f"{name}-")
        return ("",)

    def next_file(self, prompt: str) -> tuple[str, str] | None:
        """Its text and name."""
        prefixes = self.prefixes_of(prompt) if self.by_strategy else ("",)
        files = [file for file in self.files if file.name.startswith(prefixes)]
        if not files:
            return None
        place = self.used.get(prefixes[0], 0)
        self.used[prefixes[0]] = place + 1
        file = files[place % len(files)]
        return file.read_text().replace("@number@", str(place)), file.name

    def answer(self, prompt: str, purpose: str, from_files: bool) -> tuple[dict, str, str]:
        """The rule, the reply's text and where it came from."""
        with self.lock:
            rule = self.rule_for(prompt)
            if rule is None:
                file = self.next_file(prompt) if from_files and purpose != "repair" else None
                return {}, *(file or ("I cannot mend this.", ""))
            if "reply_file" in rule:
                return rule, (self.folder / rule["reply_file"]).read_text(), rule["reply_file"]
            return rule, rule.get("reply", ""), "script"


class Journal:
    """One JSON object a line: each request as it came, each answer once its last byte was written."""

    def __init__(self, file: pathlib.Path | None) -> None:
        self.stream = file.open("a") if file else None
        self.lock = threading.Lock()
        self.requests = 0

    def number(self) -> int:
        with self.lock:
            self.requests += 1
            return self.requests

    def write(self, **entry: object) -> None:
        if self.stream:
            with self.lock:
                print(json.dumps(entry), file=self.stream, flush=True)


def all_here(rule: dict) -> bool:
    try:
        if "barrier" in rule:
            rule["barrier"].wait(TOGETHER_SECONDS)
    except threading.BrokenBarrierError:
        return False
    return True


def handler_class(
    script: Script,
    journal: Journal,
    key: str,
    takes: tuple[float, float],
    llama: LlamaServer | None,
    letters: Letters | None,
) -> type:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            if self.still_loads():
                return
            if self.path.partition("?")[0].endswith("/models"):
                with script.lock:
                    rule = script.rule_for("/models", named=True) or {}
                models = {"object": "list", "data": [{"id": "stand-in", "object": "model"}]}
                models = llama.models() if llama else models
                self.send(rule.get("status", 200), rule.get("body", json.dumps(models)).encode(), rule)
            elif "/issues?" in self.path:
                self.issues()
            else:
                self.error(ChatCompletions, 404, f"Invalid URL (GET {self.path})")

        def issues(self) -> None:
            given = self.headers.get("Authorization", "").removeprefix("Bearer ")
            journal.write(event="request", n=journal.number(), path=self.path, token=bool(given))
            if given and given != key:
                self.send(401, b'{"message": "Bad credentials"}')
                return
            with script.lock:
                rule = script.rule_for(self.path) or {}
            self.send(rule.get("status", 200), rule.get("body", "[]").encode(), rule)

        def do_POST(self) -> None:
            number = journal.number()
            raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            given = key_given(self.headers)
            if self.still_loads():
                return
            api = llama or api_of(self.path)
            if api is None:
                self.error(ChatCompletions, 404, f"Invalid URL (POST {self.path})")
                return
            if key and given != key:
                journal.write(event="refused", n=number, status=401)
                message = f"Incorrect API key provided: {given[:8]}******{given[-4:]}."
                self.error(api, 401, message, "invalid_api_key")
                return
            try:
                if self.headers.get("Content-Type") != "application/json":
                    raise Refused("Content-Type: expected application/json")
                body = json.loads(raw)
                prompt = api.prompt(body, self.headers)
            except TooLong as error:
                journal.write(event="refused", n=number, status=400, why=str(error))
                self.send(400, json.dumps(llama.error(400, str(error), None, None, **error.fields)).encode())
                return
            except (ValueError, Refused) as error:
                journal.write(event="refused", n=number, status=400, why=str(error))
                self.error(api, 400, str(error))
                return
            with llama.slot if llama else contextlib.nullcontext():
                self.reply(api, number, raw, body, prompt)

        def still_loads(self) -> bool:
            loads = llama is not None and llama.loads()
            if loads:
                self.error(llama, 503, "Loading model")
            return loads

        def reply(self, api: type, number: int, raw: bytes, body: dict, prompt: str) -> None:
            purpose = "repair" if REPAIR in prompt else "generate"
            journal.write(
                event="request", n=number, purpose=purpose, sha=hashlib.sha256(raw).hexdigest(), prompt=prompt
            )
            rule, text, origin = script.answer(prompt, purpose, letters is None)
            if not rule and letters:
                text, origin = letters.answer(body)
            time.sleep(rule["delay"] if "delay" in rule else random.uniform(*takes))
            if not all_here(rule):
                self.error(api, 500, "the others did not come in time")
                return
            status = rule.get("status", 200)
            payload, usage = rule.get("body"), None
            if isinstance(payload, dict):
                payload = json.dumps(api.error(status, payload["message"], payload.get("code"), payload.get("param")))
            elif payload is None:
                answer = api.answer(number, body, text, rule)
                payload, usage = json.dumps(answer), answer.get("usage")
            self.send(status, payload.encode() * rule.get("repeat", 1), rule)
            if status == 200 and rule.get("cut") is None:
                journal.write(event="sent", n=number, file=origin, usage=usage)

        def send(self, status: int, payload: bytes, rule: dict | None = None) -> None:
            rule = rule or {}
            cut = rule.get("cut")
            refused = llama is not None and status >= 400
            self.close_connection = self.close_connection or cut is not None or refused
            if cut == -1:
                return
            headers = {"Content-Type": "application/json", **rule.get("headers", {})}
            headers |= {"Connection": "close"} if refused else {}
            if rule.get("gzip"):
                payload, headers["Content-Encoding"] = gzip.compress(payload), "gzip"
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.write(payload[:cut], rule.get("drip", 0))

        def write(self, payload: bytes, drip: float) -> None:
            if not drip:
                self.wfile.write(payload)
            for byte in payload if drip else b"":
                self.wfile.write(bytes([byte]))
                self.wfile.flush()
                time.sleep(drip)

        def error(self, api: type, status: int, message: str, code: str | None = None) -> None:
            self.send(status, json.dumps(api.error(status, message, code, None)).encode())

        def log_message(self, *arguments: object) -> None:
            pass

    return Handler


def end_with_stdin() -> None:
    """A test that is killed leaves no server behind: its end of the pipe is closed for it."""
    sys.stdin.buffer.read()
    os._exit(0)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: object, client_address: object) -> None:
        pass  # a client that went away in the middle


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--replies", type=pathlib.Path)
    parser.add_argument("--by-strategy", action="store_true")
    parser.add_argument("--script", type=pathlib.Path)
    parser.add_argument("--journal", type=pathlib.Path)
    parser.add_argument("--key", default="", help="the one key that is accepted; empty: none is asked for")
    parser.add_argument("--takes", type=float, nargs=2, default=(0, 0), metavar=("LOW", "HIGH"))
    parser.add_argument("--letters", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--llama", type=int, metavar="WINDOW")
    parser.add_argument("--loading", type=float, default=0, metavar="SECONDS")
    parser.add_argument("--until-stdin-ends", action="store_true", help="for tests that may be killed")
    arguments = parser.parse_args()
    rules = json.loads(arguments.script.read_text()) if arguments.script else []
    folder = arguments.script.parent if arguments.script else HERE
    script = Script(arguments.replies, rules, arguments.by_strategy, folder)
    llama = LlamaServer(arguments.llama, arguments.loading) if arguments.llama else None
    letters = Letters(arguments.letters) if arguments.letters else None
    journal = Journal(arguments.journal)
    handler = handler_class(script, journal, arguments.key, tuple(arguments.takes), llama, letters)
    server = Server(("127.0.0.1", arguments.port), handler)
    if arguments.until_stdin_ends:
        threading.Thread(target=end_with_stdin, daemon=True).start()
    print(f"listening on {server.server_port}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        sys.exit(0)


if __name__ == "__main__":
    main()
