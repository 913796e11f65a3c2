"""A stand-in for an OpenAI-compatible chat completions API: recorded replies, scripted faults, a journal for audits.

    server.py --port 0 --replies DIR [--by-strategy] [--script FILE.json] [--journal FILE] [--key KEY]

Prints "listening on PORT". Replies are the *.md of DIR in name order, again from the start when all are used. A
script is a list of rules {"match", "times", "status", "headers", "body", "reply", "reply_file", "delay", "cut"}: the
first rule whose "match" stands in the last user message and that has times left answers. A repair prompt that nobody
scripted gets no program.
"""

import argparse
import hashlib
import http.server
import json
import pathlib
import sys
import threading
import time

HERE = pathlib.Path(__file__).parent
STRATEGIES = ["operators", "dtypes", "views", "dynamic", "training", "control", "patterns", "edge"]


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

    def rule_for(self, prompt: str) -> dict | None:
        for rule in self.rules:
            if rule.get("match", "") in prompt and rule.get("times", 1) > 0:
                rule["times"] = rule.get("times", 1) - 1
                return rule
        return None

    def strategy_of(self, prompt: str) -> str:
        for number, name in enumerate(STRATEGIES, 1):
            text = (HERE.parents[1] / "prompts" / "strategies" / f"{name}.md").read_text()
            if text.split("---\n", 2)[2].strip().splitlines()[0] in prompt:
                return f"s{number}-"
        return ""

    def next_file(self, prompt: str) -> pathlib.Path | None:
        group = self.strategy_of(prompt) if self.by_strategy else ""
        files = [file for file in self.files if file.name.startswith(group)]
        if not files:
            return None
        place = self.used.get(group, 0)
        self.used[group] = place + 1
        return files[place % len(files)]

    def answer(self, prompt: str, purpose: str) -> tuple[dict, str, str]:
        """The rule, the reply's text and where it came from."""
        with self.lock:
            rule = self.rule_for(prompt) or {}
            if "reply_file" in rule:
                return rule, (self.folder / rule["reply_file"]).read_text(), rule["reply_file"]
            if rule:
                return rule, rule.get("reply", ""), "script"
            file = None if purpose == "repair" else self.next_file(prompt)
            return {}, file.read_text() if file else "I cannot mend this.", file.name if file else ""


class Journal:
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


def last_user_message(body: dict) -> str:
    if not isinstance(body.get("model"), str):
        raise Refused("model: expected a string")
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise Refused("messages: expected a non-empty array")
    for message in messages:
        if message.get("role") not in ("system", "developer", "user", "assistant") or "content" not in message:
            raise Refused("messages: each needs a role and a content")
    if "max_tokens" not in body and "max_completion_tokens" not in body:
        raise Refused("max_completion_tokens: missing")
    return next((m["content"] for m in reversed(messages) if m["role"] == "user"), "")


def completion(number: int, body: dict, text: str) -> dict:
    prompt_tokens = sum(len(m["content"]) for m in body["messages"]) // 4
    tokens = max(1, len(text) // 4)
    return {
        "id": f"chatcmpl-{number:08}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": body["model"],
        "system_fingerprint": "fp_standin",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text, "refusal": None},
                "logprobs": None,
                "finish_reason": "stop",
            }
        ],
        "usage": {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": tokens,
            "total_tokens": prompt_tokens + tokens,
            "prompt_tokens_details": {"cached_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 0},
        },
    }


def handler_class(script: Script, journal: Journal, key: str) -> type:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            number = journal.number()
            raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            given = self.headers.get("Authorization", "").removeprefix("Bearer ")
            if key and given != key:
                self.error(401, f"Incorrect API key provided: {given[:8]}***.", "invalid_api_key")
                return
            try:
                body = json.loads(raw)
                prompt = last_user_message(body)
            except (ValueError, Refused) as error:
                self.error(400, str(error), "invalid_request_error")
                return
            purpose = "repair" if "failed in eager mode" in prompt else "generate"
            journal.write(
                event="request", n=number, purpose=purpose, sha=hashlib.sha256(raw).hexdigest(), prompt=prompt
            )
            rule, text, origin = script.answer(prompt, purpose)
            time.sleep(rule.get("delay", 0))
            status = rule.get("status", 200)
            payload = rule.get("body") or json.dumps(completion(number, body, text))
            self.send(status, payload.encode(), rule.get("headers", {}), rule.get("cut"))
            if status == 200 and rule.get("cut") is None:
                journal.write(event="sent", n=number, file=origin)

        def send(self, status: int, payload: bytes, headers: dict, cut: int | None = None) -> None:
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload[:cut])
            self.wfile.flush()
            self.close_connection = self.close_connection or cut is not None

        def error(self, status: int, message: str, code: str) -> None:
            body = {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": code}}
            self.send(status, json.dumps(body).encode(), {})

        def log_message(self, *arguments: object) -> None:
            pass

    return Handler


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: object, client_address: object) -> None:
        pass  # a client that went away in the middle


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--replies", type=pathlib.Path)
    parser.add_argument("--by-strategy", action="store_true")
    parser.add_argument("--script", type=pathlib.Path)
    parser.add_argument("--journal", type=pathlib.Path)
    parser.add_argument("--key", default="")
    arguments = parser.parse_args()
    rules = json.loads(arguments.script.read_text()) if arguments.script else []
    folder = arguments.script.parent if arguments.script else HERE
    script = Script(arguments.replies, rules, arguments.by_strategy, folder)
    server = Server(("127.0.0.1", arguments.port), handler_class(script, Journal(arguments.journal), arguments.key))
    print(f"listening on {server.server_port}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        sys.exit(0)


if __name__ == "__main__":
    main()
