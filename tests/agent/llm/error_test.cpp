// What an answer that is no reply means: every shape and status of the APIs, and that no key appears in any message.
#include <algorithm>

#include "agent/llm/codec.h"
#include "tests/agent/llm/builders.h"
#include "tests/catch.h"

namespace parityd::agent {
namespace {

using Headers = std::vector<std::pair<std::string, std::string>>;
using Kind = ReplyErrorKind;

const std::string kKey = "sk-proj-Zq81xPm4TvKw77LdNfRb";

ApiError error_of(int status, const std::string& body, const Headers& headers = {}) {
  const auto reply = decode_chat(testing::provider_at("https://api.example.com/v1"), Secret(kKey),
                                 testing::prompt_of("one"), {.status = status, .headers = headers, .body = body});
  REQUIRE_FALSE(reply.has_value());
  return reply.error();
}

struct Case {
  const char* about;
  int status;
  const char* body;
  Kind kind;
  bool retryable;
  const char* in_message;
};

const std::vector<Case> kCases = {
    {"OpenAI", 500, R"({"error": {"message": "The server had an error", "type": "server_error", "code": null}})",
     Kind::unavailable, true, "The server had an error"},
    {"Anthropic", 529, R"({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})",
     Kind::unavailable, true, "Overloaded"},
    {"text under error", 503, R"({"error": "model is loading"})", Kind::unavailable, true, "model is loading"},
    {"SGLang, flat", 400, R"({"object": "error", "message": "bad field", "type": "BadRequest", "code": 400})",
     Kind::configuration, false, "bad field"},
    {"Gemini, array", 503, R"([{"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}}])",
     Kind::unavailable, true, "overloaded"},
    {"FastAPI", 422, R"({"detail": [{"loc": ["body", "model"], "msg": "field required"}]})", Kind::configuration, false,
     "field required"},
    {"detail in words", 422, R"({"detail": "no such field"})", Kind::configuration, false, "HTTP 422: no such field"},
    {"HTML of a proxy", 502, "<html><body><h1>502 Bad Gateway</h1></body></html>", Kind::unavailable, true, "HTML"},
    {"nothing", 502, "", Kind::unavailable, true, "empty"},
    {"plain words", 500, "upstream gone", Kind::unavailable, true, "upstream gone"},
    {"JSON cut short", 500, R"({"error": {"mess)", Kind::unavailable, true, "HTTP 500"},
    {"too slow", 408, "{}", Kind::unavailable, true, "HTTP 408"},
    {"conflict", 409, "{}", Kind::unavailable, true, "HTTP 409"},
    {"rate", 429, R"({"error": {"message": "Rate limit reached", "code": "rate_limit_exceeded"}})", Kind::rate_limited,
     true, "Rate limit reached"},
    {"quota", 429, R"({"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}})", Kind::money,
     false, "quota"},
    {"billing", 429, R"({"error": {"message": "check your billing details"}})", Kind::money, false, "billing"},
    {"no credit", 402, R"({"error": {"message": "Insufficient credits", "code": 402}})", Kind::money, false, "credits"},
    {"key", 401, R"({"error": {"message": "Incorrect API key", "code": "invalid_api_key"}})", Kind::authentication,
     false, "Incorrect API key"},
    {"forbidden", 403, R"({"error": {"message": "not your project"}})", Kind::authentication, false,
     "not your project"},
    {"no such model", 404, R"({"error": {"message": "no model small", "code": "model_not_found"}})",
     Kind::configuration, false, "no model small"},
    {"too long", 400, R"({"error": {"message": "too long", "code": "context_length_exceeded"}})", Kind::too_large,
     false, "too long"},
    {"llama.cpp too long", 400, R"({"error": {"code": 400, "message": "m", "type": "exceed_context_size_error"}})",
     Kind::too_large, false, "HTTP 400: m"},
    {"too many bytes", 413, "", Kind::too_large, false, "HTTP 413"},
    {"a field it does not know", 400, R"({"error": {"message": "temperature", "code": "unsupported_parameter"}})",
     Kind::configuration, false, "temperature"},
    {"redirect", 307, "", Kind::configuration, false, "HTTP 307"},
    {"error inside a 200", 200, R"({"error": {"message": "provider returned error", "code": 502}})", Kind::unavailable,
     true, "provider returned error"},
    {"error inside a choice", 200, R"({"choices": [{"finish_reason": "error", "error": {"message": "lost"}}]})",
     Kind::unavailable, true, "lost"},
};

}  // namespace

TEST_CASE("every shape and status of an error is classified") {
  for (const auto& each : kCases) {
    const ApiError error = error_of(each.status, each.body);
    INFO(each.about << ": " << error.message);
    CHECK(name(error.kind) == name(each.kind));
    CHECK(error.retryable == each.retryable);
    CHECK(error.status == each.status);
    CHECK(error.message.find(each.in_message) != std::string::npos);
    CHECK_FALSE(error.billed);
  }
}

TEST_CASE("an unreadable answer with status 200 is malformed and was charged") {
  const auto body =
      GENERATE(std::string(), std::string("not JSON"), std::string("[]"), std::string("null"), std::string("{}"),
               std::string(R"({"choices": []})"), std::string(R"({"choices": 3})"),
               std::string(R"({"choices": [null]})"), std::string(R"({"choices": [{"message": "text"}]})"),
               std::string("{\"choices\": [{\"mess"), std::string("\xff\xfe{}"),
               std::string(R"({"choices": [{"message": {"content": NaN}}]})"), std::string(100'000, '['));
  CAPTURE(body.substr(0, 60));
  const ApiError error = error_of(200, body);
  CHECK(error.kind == Kind::malformed);
  CHECK(error.retryable);
  CHECK(error.billed);
  CHECK_FALSE(error.message.empty());
}

TEST_CASE("x-should-retry overrides the status except for errors of key or billing") {
  CHECK_FALSE(error_of(500, "", {{"x-should-retry", "false"}}).retryable);
  CHECK(error_of(404, "", {{"x-should-retry", "true"}}).retryable);
  CHECK_FALSE(error_of(401, "", {{"x-should-retry", "true"}}).retryable);
  CHECK_FALSE(error_of(402, "", {{"x-should-retry", "true"}}).retryable);
  CHECK(error_of(500, "", {{"x-should-retry", "perhaps"}}).retryable);
}

TEST_CASE("a prompt refused by a content filter is a refusal, not a bad request") {
  const auto reply = decode_chat(
      testing::provider_at("https://api.example.com/v1"), {}, testing::prompt_of("one"),
      {.status = 400, .headers = {}, .body = R"({"error": {"message": "filtered", "code": "content_filter"}})"});
  REQUIRE(reply);
  CHECK(reply->finish == Finish::filter);
}

TEST_CASE("no message contains the key or a part of it, whatever the shape of the error") {
  const std::vector<std::string> echoes = {kKey, kKey.substr(0, 8) + "***" + kKey.substr(kKey.size() - 4),
                                           "Bearer " + kKey, kKey.substr(0, 12) + "...", "x" + kKey + "x"};
  const std::vector<std::string> shapes = {R"({"error": {"message": "Incorrect API key provided: KEY."}})",
                                           R"({"error": "no key KEY"})",
                                           R"([{"error": {"message": "KEY"}}])",
                                           R"({"detail": "KEY"})",
                                           R"({"message": "key KEY!"})",
                                           "<html>KEY</html>",
                                           "bad KEY"};
  for (const auto& echo : echoes) {
    for (auto body : shapes) {
      body.replace(body.find("KEY"), 3, echo);
      for (const int status : {200, 400, 401, 429, 500}) {
        const std::string message = error_of(status, body).message;
        CAPTURE(echo, body, status, message);
        for (std::size_t at = 0; at + 6 <= kKey.size(); ++at) {
          CHECK(message.find(kKey.substr(at, 6)) == std::string::npos);
        }
      }
    }
  }
}

TEST_CASE("a key at the cut-off of a message does not reveal its first half") {
  for (std::size_t before = 200; before < 320; before += 3) {
    const std::string message = error_of(500, std::string(before, 'a') + kKey).message;
    CAPTURE(before, message);
    CHECK(message.find(kKey.substr(0, 6)) == std::string::npos);
  }
  for (const std::size_t before : {2'020U, 2'030U, 2'040U, 2'046U}) {
    CHECK(error_of(500, std::string(before, ' ') + kKey).message.find(kKey.substr(0, 6)) == std::string::npos);
  }
}

TEST_CASE("an error message is one short line of printable UTF-8") {
  const auto body =
      GENERATE(std::string("a\nb\r\n\x1b[31mred\x07"), std::string(5'000, 'x'), std::string("caf\xc3"),
               std::string(293, 'x') + "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac", std::string(1'000, '\xff'));
  const std::string message = error_of(500, body).message;
  CAPTURE(message);
  CHECK(message.size() <= 300);
  CHECK(std::all_of(message.begin(), message.end(), [](unsigned char c) { return c >= 0x20 && c != 0x7f; }));
  CHECK_NOTHROW(nlohmann::json(message).dump());  // throws on what is no UTF-8
}

}  // namespace parityd::agent
