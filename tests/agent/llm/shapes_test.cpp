// What sets one OpenAI-compatible server apart from the next: addresses, keys, usage, errors, as each writes them.
#include <algorithm>

#include "agent/llm/codec.h"
#include "tests/agent/llm/builders.h"
#include "tests/catch.h"

namespace parityd::agent {
namespace {

using nlohmann::json;
using Kind = ReplyErrorKind;

/// A body written over several lines, also where a string in it goes on.
tl::expected<Reply, ApiError> decode(std::string body, int status = 200) {
  std::replace(body.begin(), body.end(), '\n', ' ');
  return decode_chat(testing::provider_at("https://api.example.com/v1"), {}, testing::prompt_of("one"),
                     {.status = status, .headers = {}, .body = body});
}

ApiError error_of(int status, const std::string& body) {
  const auto reply = decode(body, status);
  REQUIRE_FALSE(reply.has_value());
  return reply.error();
}

}  // namespace

TEST_CASE("OpenAI: a reasoning model may spend the whole token limit on hidden reasoning") {
  const auto reply = decode(R"({"id": "chatcmpl-9", "object": "chat.completion", "model": "gpt-5-mini-2026-01-01",
    "service_tier": "flex", "choices": [{"index": 0, "finish_reason": "length", "message": {"role": "assistant",
    "content": "", "refusal": null, "annotations": []}}], "usage": {"prompt_tokens": 2000, "completion_tokens": 1000,
    "total_tokens": 3000, "prompt_tokens_details": {"cached_tokens": 1024, "cache_write_tokens": 512, "audio_tokens": 0},
    "completion_tokens_details": {"reasoning_tokens": 1000, "accepted_prediction_tokens": 0}}})");
  REQUIRE(reply);
  CHECK(reply->finish == Finish::length);
  CHECK(reply->text.empty());
  CHECK(reply->usage.reasoning_tokens == 1000);
  CHECK(reply->usage.cache_write_tokens == 512);
  CHECK(reply->cost_nano_dollars == (2000 - 1024 - 512) * 1000 + 1024 * 250 + 512 * 1250 + 1000 * 2000);
}

TEST_CASE("OpenAI: the field that a model refuses is named, then omitted or renamed") {
  const ApiError value = error_of(
      400, R"({"error": {"message": "Unsupported value: 'temperature' does not support 0.5 with this model. Only the
    default (1) value is supported.", "type": "invalid_request_error", "param": "temperature",
    "code": "unsupported_value"}})");
  CHECK(value.refused_field == "temperature");
  const ApiError name =
      error_of(400, R"({"error": {"message": "Unsupported parameter: 'max_tokens' is not supported with this model. Use
    'max_completion_tokens' instead.", "type": "invalid_request_error", "param": "max_tokens",
    "code": "unsupported_parameter"}})");
  CHECK(name.refused_field == "max_tokens");
  CHECK(error_of(400, R"({"error": {"message": "Unrecognized request argument supplied: seed", "param": null}})")
            .refused_field == "seed");
  CHECK(error_of(400, R"({"error": {"message": "temperature must be at most 2", "param": "temperature"}})")
            .refused_field.empty());

  ProviderConfig config = testing::provider_at("https://api.example.com/v1");
  CHECK_FALSE(leave_out(config, "temperature"));  // it was not sent
  config.temperature = 0.5;
  config.capabilities = {.token_limit_field = "max_tokens",
                         .temperature = true,
                         .seed = true,
                         .reasoning_effort = "none",
                         .service_tier = "flex"};
  for (const char* field : {"temperature", "seed", "reasoning_effort", "service_tier", "max_tokens"}) {
    CHECK(leave_out(config, field));
  }
  CHECK_FALSE(leave_out(config, "model"));
  const json sent = json::parse(encode_chat(config, {}, testing::prompt_of("one")).body);
  CHECK(sent.size() == 3);
  CHECK(sent.contains("max_completion_tokens"));
}

TEST_CASE("OpenAI: a flex request refused for lack of capacity costs nothing and is retried") {
  const ApiError error = error_of(429, R"({"error": {"message": "Resource unavailable, try again later.",
    "type": "requests", "param": null, "code": "resource_unavailable"}})");
  CHECK(error.kind == Kind::rate_limited);
  CHECK(error.retryable);
  CHECK_FALSE(error.billed);
}

TEST_CASE("Azure: the key has its own header, and the address of a deployment ends in a query") {
  ProviderConfig config =
      testing::provider_at("https://r.openai.azure.com/openai/deployments/d?api-version=2024-10-21");
  config.key_header = "api-key";
  const auto request = encode_chat(config, Secret("the-key"), testing::prompt_of("one"));
  CHECK(request.url == "https://r.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21");
  CHECK(request.headers.front() == std::pair<std::string, std::string>("api-key", "the-key"));
  config.base_url = "https://r.openai.azure.com/openai/v1/";
  CHECK(encode_chat(config, {}, testing::prompt_of("one")).url ==
        "https://r.openai.azure.com/openai/v1/chat/completions");
}

TEST_CASE("Azure: a filtered prompt is a fault of the prompt, a missing deployment is not") {
  const auto filtered = decode(R"({"error": {"message": "The response was filtered due to the prompt triggering Azure
    OpenAI's content management policy.", "type": null, "param": "prompt", "code": "content_filter", "status": 400,
    "innererror": {"code": "ResponsibleAIPolicyViolation", "content_filter_result": {"hate": {"filtered": true}}}}})",
                               400);
  REQUIRE(filtered);
  CHECK(filtered->finish == Finish::filter);
  CHECK(error_of(404, R"({"error": {"code": "DeploymentNotFound", "message": "does not exist"}})").kind ==
        Kind::configuration);
  CHECK(error_of(401, R"({"statusCode": 401, "message": "Unauthorized. Access token is missing."})").kind ==
        Kind::authentication);
}

TEST_CASE("vLLM: errors have no code, reasoning has its own field and the finish reason may be missing") {
  CHECK(error_of(400, R"({"object": "error", "message": "This model's maximum context length is 4096 tokens. However,
    you requested 9000 tokens.", "type": "BadRequestError", "param": null, "code": 400})")
            .kind == Kind::too_large);
  CHECK(error_of(404, R"({"error": {"message": "The model `x` does not exist.", "type": "NotFoundError",
    "param": "model", "code": 404}})")
            .kind == Kind::configuration);
  const auto reply = decode(R"({"id": "chatcmpl-1", "object": "chat.completion", "model": "q", "choices": [{"index": 0,
    "message": {"role": "assistant", "reasoning": "thinking aloud", "content": "done", "tool_calls": []},
    "logprobs": null, "finish_reason": null, "stop_reason": null}], "usage": {"prompt_tokens": 9,
    "total_tokens": 12, "completion_tokens": 3, "prompt_tokens_details": null}, "kv_transfer_params": null})");
  REQUIRE(reply);
  CHECK(reply->text == "done");
  CHECK(reply->usage.completion_tokens == 3);
}

TEST_CASE("llama.cpp: error codes are numbers, and a server that is loading is waited for") {
  const ApiError loading =
      error_of(503, R"({"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}})");
  CHECK(loading.kind == Kind::unavailable);
  CHECK(loading.retryable);
  CHECK(error_of(400, R"({"error": {"code": 400, "message": "the request exceeds the available context size",
    "type": "exceed_context_size_error", "n_prompt_tokens": 9000, "n_ctx": 4096}})")
            .kind == Kind::too_large);
  const ApiError unable =
      error_of(501, R"({"error": {"code": 501, "message": "not supported", "type": "not_supported_error"}})");
  CHECK(unable.kind == Kind::configuration);
  CHECK_FALSE(unable.retryable);
}

TEST_CASE("Ollama: a model that is not pulled stops the provider") {
  const ApiError error = error_of(404, R"({"error": {"message": "model \"qwen\" not found, try pulling it first",
    "type": "not_found_error", "param": null, "code": null}})");
  CHECK(error.kind == Kind::configuration);
  CHECK(error.message.find("try pulling it first") != std::string::npos);
}

TEST_CASE("OpenRouter: the charged cost is read, and errors may arrive inside a 200") {
  const auto reply = decode(R"({"id": "gen-1", "provider": "X", "model": "a/b", "object": "chat.completion",
    "choices": [{"logprobs": null, "finish_reason": "stop", "native_finish_reason": "STOP", "index": 0,
    "message": {"role": "assistant", "content": "ok", "refusal": null, "reasoning": null}}],
    "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15, "cost": 0.00123,
    "cost_details": {"upstream_inference_cost": null}}})");
  REQUIRE(reply);
  CHECK(reply->cost_nano_dollars == 1'230'000);
  const ApiError lost = error_of(200, R"({"error": {"code": 502, "message": "Provider returned error"}})");
  CHECK(lost.kind == Kind::unavailable);
  CHECK(lost.retryable);
  const ApiError poor = error_of(200, R"({"error": {"code": 402, "message": "Insufficient credits"}})");
  CHECK(poor.kind == Kind::money);
  CHECK_FALSE(poor.retryable);
  CHECK(error_of(402, R"({"error": {"code": 402, "message": "Insufficient credits"}})").kind == Kind::money);
  const auto flagged = decode(R"({"error": {"code": 403, "message": "requires moderation", "metadata":
    {"reasons": ["violence"], "flagged_input": "…", "provider_name": "X", "model_slug": "a/b"}}})",
                              403);
  REQUIRE(flagged);
  CHECK(flagged->finish == Finish::filter);
}

TEST_CASE("Gemini: an array with one error gives the retry delay") {
  const ApiError error = error_of(429, R"([{"error": {"code": 429, "message": "Quota exceeded for requests",
    "status": "RESOURCE_EXHAUSTED", "details": [{"@type": "type.googleapis.com/google.rpc.Help"},
    {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7.5s"}]}}])");
  CHECK(error.kind == Kind::rate_limited);
  CHECK(error.asked_wait == std::chrono::milliseconds(7500));
}

TEST_CASE("DeepSeek: cached tokens are counted under their own names") {
  const auto reply = decode(R"({"choices": [{"message": {"content": "ok", "reasoning_content": "hm"},
    "finish_reason": "stop"}], "usage": {"prompt_tokens": 100, "completion_tokens": 1, "prompt_cache_hit_tokens": 60,
    "prompt_cache_miss_tokens": 40}})");
  REQUIRE(reply);
  CHECK(reply->text == "ok");
  CHECK(reply->usage.cached_tokens == 60);
}

}  // namespace parityd::agent
