"""The APIs that the stand-in speaks: what each refuses in a request, and the shapes of its answers and errors."""

import http.client
import time

CHAT_FIELDS = {
    "model": str,
    "messages": list,
    "max_tokens": int,
    "max_completion_tokens": int,
    "temperature": (int, float),
    "seed": int,
    "reasoning_effort": str,
    "service_tier": str,
    "stream": bool,
    "n": int,
}
MESSAGES_FIELDS = {
    "model": str,
    "messages": list,
    "max_tokens": int,
    "system": (str, list),
    "temperature": (int, float),
    "output_config": dict,
    "service_tier": str,
    "metadata": dict,
}
ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


class Refused(Exception):
    """A request whose shape is wrong; the text names the field."""


def check_fields(body: object, fields: dict) -> None:
    if not isinstance(body, dict):
        raise Refused("expected a JSON object")
    for name, value in body.items():
        if name not in fields:
            raise Refused(f"Unrecognized request argument supplied: {name}")
        if not isinstance(value, fields[name]) or (isinstance(value, bool) and fields[name] is not bool):
            raise Refused(f"{name}: wrong type")
    for name in ("model", "messages"):
        if not body.get(name):
            raise Refused(f"{name}: missing")


def text_in(content: object) -> str:
    """Of a message: a string, or text blocks."""
    if isinstance(content, str):
        text = content
    elif isinstance(content, list) and all(isinstance(b, dict) and b.get("type") == "text" for b in content):
        text = "".join(block["text"] for block in content)
    else:
        raise Refused("content must be text")
    if not text:
        raise Refused("content must not be empty")
    return text


def check_messages(messages: list, roles: tuple[str, ...]) -> str:
    """The last user message's text."""
    for message in messages:
        if not isinstance(message, dict) or set(message) != {"role", "content"}:
            raise Refused("messages: each needs a role and a content")
        if message["role"] not in roles:
            raise Refused(f"messages: no such role: {message['role']}")
        text_in(message["content"])
    if messages[-1]["role"] != "user":
        raise Refused("messages: the last one must be the user's")
    return text_in(messages[-1]["content"])


class ChatCompletions:
    """OpenAI's shapes."""

    @staticmethod
    def prompt(body: object, headers: http.client.HTTPMessage) -> str:
        check_fields(body, CHAT_FIELDS)
        if ("max_tokens" in body) == ("max_completion_tokens" in body):
            raise Refused("expected one of max_tokens and max_completion_tokens")
        return check_messages(body["messages"], ("system", "developer", "user", "assistant"))

    @staticmethod
    def answer(number: int, body: dict, text: str, rule: dict) -> dict:
        prompt_tokens = sum(len(text_in(m["content"])) for m in body["messages"]) // 4
        tokens = max(1, len(text) // 4)
        usage = {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": tokens,
            "total_tokens": prompt_tokens + tokens,
            "prompt_tokens_details": {"cached_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 0},
        }
        message = {"role": "assistant", "content": text or None, "refusal": rule.get("refusal")}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": rule.get("finish", "stop")}
        answer = {
            "id": f"chatcmpl-{number:08}",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": body["model"],
            "system_fingerprint": "fp_standin",
            "service_tier": rule.get("tier"),
            "choices": [choice],
            "usage": rule.get("usage", usage),
        }
        return {name: value for name, value in answer.items() if value is not None}

    @staticmethod
    def error(status: int, message: str, code: str | None, param: str | None) -> dict:
        kind = ERROR_TYPES.get(status, "server_error")
        return {"error": {"message": message, "type": kind, "param": param, "code": code}}


class Messages:
    """Anthropic's."""

    @staticmethod
    def prompt(body: object, headers: http.client.HTTPMessage) -> str:
        if not headers.get("anthropic-version"):
            raise Refused("anthropic-version: header is required")
        check_fields(body, MESSAGES_FIELDS)
        if "max_tokens" not in body:
            raise Refused("max_tokens: Field required")
        for block in body.get("system", []) if isinstance(body.get("system"), list) else []:
            if set(block) - {"type", "text", "cache_control"} or not block.get("text"):
                raise Refused("system: each block needs a type and a text")
            if block.get("cache_control", {"type": "ephemeral"}) != {"type": "ephemeral"}:
                raise Refused("system: cache_control: no such type")
        return check_messages(body["messages"], ("user", "assistant"))

    @staticmethod
    def answer(number: int, body: dict, text: str, rule: dict) -> dict:
        """The system text, where a breakpoint ends it, is written to the cache by the first request and read by all
        others; the size below which nothing is cached does not hold here."""
        system = body.get("system", [])
        marked = isinstance(system, list) and any("cache_control" in block for block in system)
        fixed = len(text_in(system)) // 4 if system else 0
        asked = sum(len(text_in(m["content"])) for m in body["messages"]) // 4
        usage = {
            "input_tokens": asked + (0 if marked else fixed),
            "cache_creation_input_tokens": fixed if marked and number == 1 else 0,
            "cache_read_input_tokens": fixed if marked and number > 1 else 0,
            "output_tokens": max(1, len(text) // 4),
            "service_tier": rule.get("tier", "standard"),
        }
        refusal = {"type": "refusal", "category": "general_harms", "explanation": rule.get("refusal")}
        return {
            "id": f"msg_{number:024}",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": [{"type": "text", "text": text}] if text else [],
            "stop_reason": rule.get("finish", "refusal" if "refusal" in rule else "end_turn"),
            "stop_sequence": None,
            "stop_details": refusal if "refusal" in rule else None,
            "usage": rule.get("usage", usage),
        }

    @staticmethod
    def error(status: int, message: str, code: str | None, param: str | None) -> dict:
        kind = code if code in ERROR_TYPES.values() else ERROR_TYPES.get(status, "api_error")
        return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_standin"}


def api_of(path: str) -> type | None:
    path = path.partition("?")[0]
    return ChatCompletions if path.endswith("/chat/completions") else Messages if path.endswith("/messages") else None


def key_given(headers: http.client.HTTPMessage) -> str:
    for name in ("x-api-key", "api-key"):
        if headers.get(name):
            return headers[name]
    return headers.get("Authorization", "").removeprefix("Bearer ")
