"""llama.cpp's server, as far as it differs from OpenAI's API (seen of its release 11434, by hand)."""

import http.client
import os
import threading
import time

from apis import ChatCompletions, text_in


class TooLong(Exception):
    """A prompt that the window does not hold."""

    def __init__(self, tokens: int, window: int) -> None:
        super().__init__(
            f"request ({tokens} tokens) exceeds the available context size ({window} tokens), try increasing it"
        )
        self.fields = {"type": "exceed_context_size_error", "n_prompt_tokens": tokens, "n_ctx": window}


class LlamaServer:
    """One slot: requests wait for each other. What a prompt begins with stays in its cache until the next."""

    def __init__(self, window: int, loading: float) -> None:
        self.window = window
        self.slot = threading.Lock()
        self._ready_at = time.monotonic() + loading
        self._cached = ""

    def loads(self) -> bool:
        return time.monotonic() < self._ready_at

    def prompt(self, body: dict, headers: http.client.HTTPMessage) -> str:
        text = ChatCompletions.prompt(body, headers)
        tokens = len(self._whole(body)) // 4
        if tokens >= self.window:
            raise TooLong(tokens, self.window)
        return text

    @staticmethod
    def _whole(body: dict) -> str:
        return "".join(text_in(message["content"]) for message in body["messages"])

    def answer(self, number: int, body: dict, text: str, rule: dict) -> dict:
        answer = ChatCompletions.answer(number, body, text, rule)
        prompt = self._whole(body)
        cached = len(os.path.commonprefix([prompt, self._cached])) // 4
        self._cached = prompt
        asked, told = len(prompt) // 4, answer["usage"]["completion_tokens"]
        room = self.window - asked
        if told > room:
            answer["choices"][0]["message"]["content"] = text[: 4 * room]
            answer["choices"][0]["finish_reason"] = "length"
            told = room
        answer["choices"][0].pop("logprobs")
        answer["choices"][0]["message"].pop("refusal")
        answer.pop("service_tier", None)
        usage = {"prompt_tokens": asked, "completion_tokens": told, "total_tokens": asked + told}
        return answer | {
            "model": "stand-in.gguf",
            "system_fingerprint": "b0-unknown",
            "usage": usage | {"prompt_tokens_details": {"cached_tokens": cached}},
            "timings": {"cache_n": cached, "prompt_n": asked - cached, "predicted_n": told},
        }

    @staticmethod
    def error(status: int, message: str, code: str | None, param: str | None, **fields: object) -> dict:
        kinds = {400: "invalid_request_error", 404: "not_found_error", 503: "unavailable_error"}
        return {"error": {"message": message, "type": kinds.get(status, "server_error"), "code": status, **fields}}

    def models(self) -> dict:
        told = {"id": "stand-in.gguf", "object": "model", "owned_by": "llamacpp", "meta": {"n_ctx": self.window}}
        return {"models": [{"name": "stand-in.gguf", "type": "model"}], "object": "list", "data": [told]}
