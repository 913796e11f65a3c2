"""Drives the stand-in with the vendors' own Python clients, which refuse every answer that is not their API's.

Skips where `openai` and `anthropic` are not installed; PARITYD_CLIENTS_PYTHON names an interpreter that has them.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
KEY = "the-right-key"
MESSAGES = [{"role": "user", "content": "write one"}]


def go_to_named_python() -> None:
    python = os.environ.pop("PARITYD_CLIENTS_PYTHON", "")
    if python:
        os.execv(python, [python, __file__])


go_to_named_python()
try:
    import anthropic
    import openai
except ImportError as missing:
    print(f"SKIPPED: {missing}: pip install openai anthropic, or set PARITYD_CLIENTS_PYTHON")
    sys.exit(0)

# status, error: what each client must raise for it
ERRORS = [
    (400, openai.BadRequestError, anthropic.BadRequestError),
    (401, openai.AuthenticationError, anthropic.AuthenticationError),
    (403, openai.PermissionDeniedError, anthropic.PermissionDeniedError),
    (404, openai.NotFoundError, anthropic.NotFoundError),
    (429, openai.RateLimitError, anthropic.RateLimitError),
    (500, openai.InternalServerError, anthropic.InternalServerError),
    (529, openai.InternalServerError, anthropic.InternalServerError),
]


def rules() -> list[dict]:
    scripted = [
        {"match": f"status {status}", "status": status, "times": 2, "body": {"message": "what happened", "code": "c"}}
        for status, _, _ in ERRORS
    ]
    cut = {"match": "write a long one", "reply": "", "times": 1}
    return [
        *scripted,
        {"match": "refuse in chat", "reply": "", "refusal": "I will not."},
        {"match": "refuse in messages", "reply": "", "refusal": "It will not."},
        cut | {"finish": "length"},
        cut | {"finish": "max_tokens"},
        {"match": "write one", "reply": "a program", "times": 100},
    ]


class Server:
    def __init__(self, folder: pathlib.Path) -> None:
        script = folder / "script.json"
        script.write_text(json.dumps(rules()))
        command = [sys.executable, str(HERE / "server.py"), "--script", str(script), "--key", KEY, "--until-stdin-ends"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.url = f"http://127.0.0.1:{self.process.stdout.readline().split()[-1]}"

    def __enter__(self) -> str:
        return self.url

    def __exit__(self, *_: object) -> None:
        self.process.stdin.close()
        self.process.wait()


def raised(call: object, expected: type[Exception]) -> Exception:
    try:
        call()
    except expected as error:
        return error
    raise AssertionError(f"{expected.__name__} was not raised")


def check_chat(url: str) -> None:
    def client(key: str) -> openai.OpenAI:
        return openai.OpenAI(base_url=f"{url}/v1", api_key=key, max_retries=0, _strict_response_validation=True)

    def ask(text: str, key: str = KEY) -> openai.types.chat.ChatCompletion:
        messages = [{"role": "system", "content": "You write programs."}, {"role": "user", "content": text}]
        return client(key).chat.completions.create(model="stand-in", messages=messages, max_completion_tokens=50)

    done = ask("write one")
    assert done.choices[0].message.content == "a program"
    assert done.choices[0].finish_reason == "stop"
    assert done.usage.total_tokens == done.usage.prompt_tokens + done.usage.completion_tokens > 0
    assert ask("refuse in chat").choices[0].message.refusal == "I will not."
    assert ask("write a long one").choices[0].finish_reason == "length"
    for status, expected, _ in ERRORS:
        error = raised(lambda status=status: ask(f"status {status}"), expected)
        assert error.status_code == status, error
        assert error.code == "c", error.body
    raised(lambda: ask("write one", "another-key"), openai.AuthenticationError)
    refused = lambda: client(KEY).chat.completions.create(model="m", messages=MESSAGES, max_tokens=5, top_logprobs=2)  # noqa: E731
    assert "top_logprobs" in str(raised(refused, openai.BadRequestError))


def check_messages(url: str) -> None:
    def ask(text: str, key: str = KEY) -> anthropic.types.Message:
        client = anthropic.Anthropic(base_url=url, api_key=key, max_retries=0, _strict_response_validation=True)
        fixed = {"type": "text", "text": "You write programs. " * 9, "cache_control": {"type": "ephemeral"}}
        messages = [{"role": "user", "content": text}]
        return client.messages.create(model="stand-in", max_tokens=50, system=[fixed], messages=messages)

    done = ask("write one")
    assert done.content[0].text == "a program"
    assert done.stop_reason == "end_turn"
    assert done.usage.cache_read_input_tokens > 0, "what another request wrote to the cache is read"
    assert done.usage.input_tokens > 0
    assert done.usage.output_tokens > 0
    refusal = ask("refuse in messages")
    assert refusal.stop_reason == "refusal"
    assert refusal.stop_details.explanation == "It will not."
    assert ask("write a long one").stop_reason == "max_tokens"
    for status, _, expected in ERRORS:
        error = raised(lambda status=status: ask(f"status {status}"), expected)
        assert error.status_code == status, error
        assert error.body["error"]["message"] == "what happened", error.body
    raised(lambda: ask("write one", "another-key"), anthropic.AuthenticationError)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, Server(pathlib.Path(folder)) as url:
        check_chat(url)
        check_messages(url)
    print(f"the stand-in is what openai {openai.__version__} and anthropic {anthropic.__version__} expect")


if __name__ == "__main__":
    main()
