// The Anthropic messages codec on stored bytes: what is sent, what a reply says, what it costs, what an error means.
#include "agent/llm/codec.h"
#include "agent/llm/price.h"
#include "tests/agent/llm/builders.h"
#include "tests/catch.h"

namespace parityd::agent {
namespace {

using nlohmann::json;

ProviderConfig anthropic() {
  ProviderConfig config = testing::provider_at("https://api.example.com/v1");
  config.kind = "anthropic";
  config.key_header = "x-api-key";
  return config;
}

/// As the API writes it; members of `top` are added or replace what is there.
std::string message(const json& top = json::object()) {
  json body = json::parse(R"({"id": "msg_01XFDUDYJgAACzvnptvVoYEL", "type": "message", "role": "assistant",
    "model": "claude-haiku-5-5", "content": [{"type": "thinking", "thinking": "Hm.", "signature": "x"},
      {"type": "text", "text": "Hel"}, {"type": "text", "text": "lo"}],
    "stop_reason": "end_turn", "stop_sequence": null, "stop_details": null,
    "usage": {"input_tokens": 300, "cache_creation_input_tokens": 500, "cache_read_input_tokens": 2000,
      "cache_creation": {"ephemeral_5m_input_tokens": 500, "ephemeral_1h_input_tokens": 0}, "output_tokens": 600,
      "output_tokens_details": {"thinking_tokens": 100}, "service_tier": "standard"}})");
  body.merge_patch(top);
  return body.dump();
}

tl::expected<Reply, ApiError> decode(const std::string& body, int status = 200) {
  return decode_messages(anthropic(), Secret("sk-ant-api03-abcdefgh"), testing::prompt_of("one"),
                         {.status = status, .headers = {}, .body = body});
}

ApiError error_of(int status, const std::string& type, const std::string& message) {
  const json body{{"type", "error"}, {"error", {{"type", type}, {"message", message}}}, {"request_id", "req_01"}};
  const auto reply = decode(body.dump(), status);
  REQUIRE_FALSE(reply.has_value());
  return reply.error();
}

}  // namespace

TEST_CASE(
    "Messages API: a request has key and version in headers and the fixed text first with a cache breakpoint at its "
    "end") {
  const auto request = encode_messages(anthropic(), Secret("the-key-itself"), testing::prompt_of("Write one."));
  CHECK(request.url == "https://api.example.com/v1/messages");
  CHECK(request.headers == std::vector<std::pair<std::string, std::string>>{{"x-api-key", "the-key-itself"},
                                                                            {"content-type", "application/json"},
                                                                            {"anthropic-version", "2023-06-01"}});
  CHECK(json::parse(request.body) == json::parse(R"({"model": "small", "max_tokens": 1000,
    "system": [{"type": "text", "text": "You write programs.", "cache_control": {"type": "ephemeral"}}],
    "messages": [{"role": "user", "content": "Write one."}]})"));
}

TEST_CASE("Messages API: optional fields are data, and unsupported fields are never sent") {
  ProviderConfig config = anthropic();
  config.temperature = 0.5;
  config.capabilities.seed = true;
  const auto sent = [&] { return json::parse(encode_messages(config, {}, testing::prompt_of("one")).body); };
  CHECK_FALSE(sent().contains("temperature"));
  CHECK_FALSE(sent().contains("seed"));
  config.capabilities.temperature = true;
  config.capabilities.reasoning_effort = "low";
  config.capabilities.service_tier = "standard_only";
  CHECK(sent().at("temperature") == 0.5);
  CHECK(sent().at("output_config") == json({{"effort", "low"}}));
  CHECK(sent().at("service_tier") == "standard_only");
  config.key_header = "authorization";
  CHECK(encode_messages(config, Secret("k"), testing::prompt_of("one")).headers.front().second == "Bearer k");
  CHECK_FALSE(
      json::parse(encode_messages(config, {}, {.messages = {{Message::Role::user, "draft"}}}).body).contains("system"));
}

TEST_CASE("Messages API: a reply has its text without thinking, its usage with the cached part, and the cost") {
  const auto reply = decode(message());
  REQUIRE(reply);
  CHECK(reply->text == "Hello");
  CHECK(reply->finish == Finish::stop);
  CHECK(reply->model == "claude-haiku-5-5");
  CHECK(reply->usage.prompt_tokens == 2800);  // input_tokens leaves the cache's part out
  CHECK(reply->usage.cached_tokens == 2000);
  CHECK(reply->usage.cache_write_tokens == 500);
  CHECK(reply->usage.completion_tokens == 600);
  CHECK(reply->usage.reasoning_tokens == 100);
  CHECK(reply->usage.tier == "standard");
  CHECK(reply->cost_nano_dollars == 300 * 1000 + 2000 * 250 + 500 * 1250 + 600 * 2000);
}

TEST_CASE("Messages API: stop reasons are mapped to finish reasons") {
  const auto finish = [](const char* reason) { return decode(message({{"stop_reason", reason}}))->finish; };
  CHECK(finish("stop_sequence") == Finish::stop);
  CHECK(finish("pause_turn") == Finish::stop);
  CHECK(finish("max_tokens") == Finish::length);
  CHECK(finish("model_context_window_exceeded") == Finish::length);
  const json details{{"type", "refusal"}, {"category", "frontier_llm"}, {"explanation", "no"}};
  const auto refused =
      decode(message({{"stop_reason", "refusal"}, {"stop_details", details}, {"content", json::array()}}));
  REQUIRE(refused);
  CHECK(refused->finish == Finish::refusal);
  CHECK(refused->text.empty());
  CHECK(refused->cost_nano_dollars > 0);  // it is billed
}

TEST_CASE("Messages API: missing usage is estimated, and an answer that is not a message was charged") {
  const auto reply = decode(message({{"usage", nullptr}}));
  REQUIRE(reply);
  CHECK(reply->usage.estimated);
  CHECK(reply->cost_nano_dollars > 0);
  for (const char* body : {"", "{}", R"({"type": "message"})", R"({"content": "text"})", "[]"}) {
    CAPTURE(body);
    const auto none = decode(body);
    REQUIRE_FALSE(none);
    CHECK(none.error().kind == ReplyErrorKind::malformed);
    CHECK(none.error().billed);
  }
}

TEST_CASE("Messages API: errors are classified") {
  using Kind = ReplyErrorKind;
  CHECK(error_of(401, "authentication_error", "invalid x-api-key").kind == Kind::authentication);
  CHECK(error_of(403, "permission_error", "not yours").kind == Kind::authentication);
  CHECK(error_of(404, "not_found_error", "model: nobody").kind == Kind::configuration);
  CHECK(error_of(413, "request_too_large", "too large").kind == Kind::too_large);
  CHECK(error_of(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum").kind ==
        Kind::too_large);
  CHECK(error_of(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API.").kind ==
        Kind::money);
  CHECK(error_of(400, "invalid_request_error", "You have reached your specified API usage limits.").kind ==
        Kind::money);
  CHECK(error_of(429, "rate_limit_error", "slow down").kind == Kind::rate_limited);
  for (const auto& [status, type] : {std::pair(500, "api_error"), {529, "overloaded_error"}, {504, "timeout_error"}}) {
    const ApiError error = error_of(status, type, "later");
    CHECK(error.kind == Kind::unavailable);
    CHECK(error.retryable);
    CHECK_FALSE(error.billed);
  }
  CHECK(error_of(400, "invalid_request_error", "`temperature` is deprecated for this model.").refused_field ==
        "temperature");
  CHECK(error_of(401, "authentication_error", "invalid x-api-key: sk-ant-api03-abcdefgh").message ==
        "HTTP 401: invalid x-api-key: ***");
}

}  // namespace parityd::agent
