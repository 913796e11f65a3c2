"""A stand-in for an OpenAI-compatible chat completions API: recorded replies, scripted faults, a journal for audits.

    server.py --port 0 --replies DIR [--by-strategy] [--script FILE.json] [--journal FILE] [--key KEY]

Prints "listening on PORT". Replies are the *.md of DIR in name order, again from the start when all are used;
--by-strategy answers a strategy's prompt with the files named after it ("views-03.md", or "s3-03.md": the third).
A repair prompt that nobody scripted gets no program. A request that the real API would refuse gets its 400.

A script is a list of rules; the first whose "match" stands in the last user message and that has "times" left (default
1) answers. What a rule may hold, all optional:
    status, headers         of the answer (200)
    reply, reply_file       text of the model's message, in a completion of the real shape
    finish, refusal, usage  of that completion; usage null leaves it out
    body                    the answer's bytes instead of a completion
    repeat                  the body that many times, to make it large
    gzip                    true: compressed
    together                wait until so many requests of this rule are here at once; 500 when they never are
    delay, drip             seconds before the first byte; seconds between a body's single bytes
    cut                     close after that many bytes of the body; -1: before any answer

It stands in for GitHub's list of issues too: a GET of ".../issues?..." gets the body of the first rule whose "match"
stands in the address, else an empty list.
"""

import argparse
import gzip
import hashlib
import http.server
import json
import os
import pathlib
import sys
import threading
import time

HERE = pathlib.Path(__file__).parent
STRATEGIES = ["operators", "dtypes", "views", "dynamic", "training", "control", "patterns", "edge"]
TOGETHER_SECONDS = 20
REPAIR = "failed in eager mode"  # stands in every repair prompt
FIELDS = {
    "model": str,
    "messages": list,
    "max_tokens": int,
    "max_completion_tokens": int,
    "temperature": (int, float),
    "seed": int,
    "reasoning_effort": str,
    "service_tier": str,
}


class Refused(Exception):
    """A request whose shape is wrong; the text names the field."""


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

    def rule_for(self, prompt: str) -> dict | None:
        for rule in self.rules:
            if rule.get("match", "") in prompt and rule.get("times", 1) > 0:
                rule["times"] = rule.get("times", 1) - 1
                return rule
        return None

    def prefixes_of(self, prompt: str) -> tuple[str, ...]:
        for number, name in enumerate(STRATEGIES, 1):
            text = (HERE.parents[1] / "prompts" / "strategies" / f"{name}.md").read_text()
            if text.split("---\n", 2)[2].strip().splitlines()[0] in prompt:
                return (f"s{number}-", f"{name}-")
        return ("",)

    def next_file(self, prompt: str) -> pathlib.Path | None:
        prefixes = self.prefixes_of(prompt) if self.by_strategy else ("",)
        files = [file for file in self.files if file.name.startswith(prefixes)]
        if not files:
            return None
        place = self.used.get(prefixes[0], 0)
        self.used[prefixes[0]] = place + 1
        return files[place % len(files)]

    def answer(self, prompt: str, purpose: str) -> tuple[dict, str, str]:
        """The rule, the reply's text and where it came from."""
        with self.lock:
            rule = self.rule_for(prompt)
            if rule is None:
                file = None if purpose == "repair" else self.next_file(prompt)
                return {}, file.read_text() if file else "I cannot mend this.", file.name if file else ""
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


def last_user_message(body: object) -> str:
    if not isinstance(body, dict):
        raise Refused("expected a JSON object")
    for name, value in body.items():
        if name not in FIELDS:
            raise Refused(f"Unrecognized request argument supplied: {name}")
        if not isinstance(value, FIELDS[name]) or isinstance(value, bool):
            raise Refused(f"{name}: wrong type")
    for name in ("model", "messages"):
        if not body.get(name):
            raise Refused(f"{name}: missing")
    for message in body["messages"]:
        if not isinstance(message, dict) or set(message) != {"role", "content"}:
            raise Refused("messages: each needs a role and a content")
        if message["role"] not in ("system", "developer", "user", "assistant"):
            raise Refused(f"messages: no such role: {message['role']}")
        if not isinstance(message["content"], str) or not message["content"]:
            raise Refused("messages: content must be text")
    if ("max_tokens" in body) == ("max_completion_tokens" in body):
        raise Refused("expected one of max_tokens and max_completion_tokens")
    if body["messages"][-1]["role"] != "user":
        raise Refused("messages: the last one must be the user's")
    return body["messages"][-1]["content"]


def completion(number: int, body: dict, text: str, rule: dict) -> dict:
    prompt_tokens = sum(len(m["content"]) for m in body["messages"]) // 4
    tokens = max(1, len(text) // 4)
    usage = {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": tokens,
        "total_tokens": prompt_tokens + tokens,
        "prompt_tokens_details": {"cached_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0},
    }
    answer = {
        "id": f"chatcmpl-{number:08}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": body["model"],
        "system_fingerprint": "fp_standin",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text or None, "refusal": rule.get("refusal")},
                "logprobs": None,
                "finish_reason": rule.get("finish", "stop"),
            }
        ],
        "usage": rule.get("usage", usage),
    }
    return {name: value for name, value in answer.items() if value is not None}


def all_here(rule: dict) -> bool:
    try:
        if "barrier" in rule:
            rule["barrier"].wait(TOGETHER_SECONDS)
    except threading.BrokenBarrierError:
        return False
    return True


def handler_class(script: Script, journal: Journal, key: str) -> type:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            if self.path.endswith("/models"):
                self.send(200, json.dumps({"object": "list", "data": [{"id": "stand-in", "object": "model"}]}).encode())
            elif "/issues?" in self.path:
                self.issues()
            else:
                self.error(404, f"Invalid URL (GET {self.path})", "invalid_request_error")

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
            given = self.headers.get("Authorization", "").removeprefix("Bearer ")
            if not self.path.endswith("/chat/completions"):
                self.error(404, f"Invalid URL (POST {self.path})", "invalid_request_error")
                return
            if key and given != key:
                journal.write(event="refused", n=number, status=401)
                self.error(401, f"Incorrect API key provided: {given[:8]}******{given[-4:]}.", "invalid_api_key")
                return
            try:
                if self.headers.get("Content-Type") != "application/json":
                    raise Refused("Content-Type: expected application/json")
                body = json.loads(raw)
                prompt = last_user_message(body)
            except (ValueError, Refused) as error:
                journal.write(event="refused", n=number, status=400, why=str(error))
                self.error(400, str(error), "invalid_request_error")
                return
            self.reply(number, raw, body, prompt)

        def reply(self, number: int, raw: bytes, body: dict, prompt: str) -> None:
            purpose = "repair" if REPAIR in prompt else "generate"
            journal.write(
                event="request", n=number, purpose=purpose, sha=hashlib.sha256(raw).hexdigest(), prompt=prompt
            )
            rule, text, origin = script.answer(prompt, purpose)
            time.sleep(rule.get("delay", 0))
            if not all_here(rule):
                self.error(500, "the others did not come in time", "server_error")
                return
            payload = (rule["body"] if "body" in rule else json.dumps(completion(number, body, text, rule))).encode()
            status = rule.get("status", 200)
            self.send(status, payload * rule.get("repeat", 1), rule)
            if status == 200 and rule.get("cut") is None:
                journal.write(event="sent", n=number, file=origin)

        def send(self, status: int, payload: bytes, rule: dict | None = None) -> None:
            rule = rule or {}
            cut = rule.get("cut")
            self.close_connection = self.close_connection or cut is not None
            if cut == -1:
                return
            headers = {"Content-Type": "application/json", **rule.get("headers", {})}
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

        def error(self, status: int, message: str, code: str) -> None:
            body = {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": code}}
            self.send(status, json.dumps(body).encode())

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
    parser.add_argument("--until-stdin-ends", action="store_true", help="for tests that may be killed")
    arguments = parser.parse_args()
    rules = json.loads(arguments.script.read_text()) if arguments.script else []
    folder = arguments.script.parent if arguments.script else HERE
    script = Script(arguments.replies, rules, arguments.by_strategy, folder)
    server = Server(("127.0.0.1", arguments.port), handler_class(script, Journal(arguments.journal), arguments.key))
    if arguments.until_stdin_ends:
        threading.Thread(target=end_with_stdin, daemon=True).start()
    print(f"listening on {server.server_port}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        sys.exit(0)


if __name__ == "__main__":
    main()
