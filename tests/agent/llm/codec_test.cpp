// The chat completions codec on stored bytes: what is sent, what a reply says, what it costs.
#include "agent/llm/codec.h"

#include <cmath>

#include "agent/llm/price.h"
#include "tests/agent/llm/builders.h"
#include "tests/catch.h"

namespace parityd::agent {
namespace {

using nlohmann::json;

const ProviderConfig kConfig = testing::provider_at("https://api.example.com/v1");

/// As a server writes it; members of `choice` and `top` are added or replace what is there.
std::string completion(const json& choice = json::object(), const json& top = json::object()) {
  json body = json::parse(R"({"id": "chatcmpl-1", "object": "chat.completion", "created": 1790000000,
    "model": "small-2026-09-01",
    "choices": [{"index": 0, "finish_reason": "stop",
                 "message": {"role": "assistant", "content": "Hello", "refusal": null}}],
    "usage": {"prompt_tokens": 1000, "completion_tokens": 600, "total_tokens": 1600,
              "prompt_tokens_details": {"cached_tokens": 400},
              "completion_tokens_details": {"reasoning_tokens": 100}}})");
  body["choices"][0].merge_patch(choice);
  body.merge_patch(top);
  return body.dump();
}

tl::expected<Reply, ApiError> decode(const std::string& body, int status = 200) {
  return decode_chat(kConfig, Secret{}, testing::prompt_of("Write one."),
                     {.status = status, .headers = {}, .body = body});
}

json sent(const ProviderConfig& config) { return json::parse(encode_chat(config, {}, testing::prompt_of("one")).body); }

}  // namespace

TEST_CASE("a request has the key in its header, the messages in order, and no unrequested fields") {
  const auto request = encode_chat(kConfig, Secret("the-key-itself"), testing::prompt_of("Write \"one\".\n"));
  CHECK(request.url == "https://api.example.com/v1/chat/completions");
  CHECK(request.headers == std::vector<std::pair<std::string, std::string>>{{"authorization", "Bearer the-key-itself"},
                                                                            {"content-type", "application/json"}});
  CHECK(json::parse(request.body) == json({{"model", "small"},
                                           {"max_completion_tokens", 1000},
                                           {"messages",
                                            {{{"role", "system"}, {"content", "You write programs."}},
                                             {{"role", "user"}, {"content", "Write \"one\".\n"}}}}}));
  CHECK(request.body.find("the-key-itself") == std::string::npos);
}

TEST_CASE("a request without a key has no Authorization header") {
  for (const auto& [name, value] : encode_chat(kConfig, {}, testing::prompt_of("one")).headers) {
    CHECK(name != "authorization");
  }
}

TEST_CASE("a trailing slash of base_url is not doubled") {
  const auto config = testing::provider_at("https://api.example.com/v1/");
  CHECK(encode_chat(config, {}, testing::prompt_of("one")).url == "https://api.example.com/v1/chat/completions");
}

TEST_CASE("the capabilities of a model are data and each adds its field") {
  ProviderConfig config = kConfig;
  config.capabilities.token_limit_field = "max_tokens";
  config.temperature = 0.5;
  CHECK(sent(config).at("max_tokens") == 1000);
  CHECK_FALSE(sent(config).contains("max_completion_tokens"));
  CHECK_FALSE(sent(config).contains("temperature"));  // wanted, but the model refuses it
  config.capabilities.temperature = true;
  config.capabilities.seed = true;
  config.capabilities.reasoning_effort = "none";
  config.capabilities.service_tier = "flex";
  CHECK(sent(config).at("temperature") == 0.5);
  CHECK(sent(config).at("seed") == 7);
  CHECK(sent(config).at("reasoning_effort") == "none");
  CHECK(sent(config).at("service_tier") == "flex");
}

TEST_CASE("a prompt that is not valid UTF-8 is sent as valid UTF-8") {
  const auto request = encode_chat(kConfig, {}, testing::prompt_of("caf\xe9 \xff"));
  CHECK(json::parse(request.body).at("messages").at(1).at("content") == "caf\xef\xbf\xbd \xef\xbf\xbd");
}

TEST_CASE("a reply has text, finish reason, model, usage and cost") {
  const auto reply = decode(completion());
  REQUIRE(reply);
  CHECK(reply->text == "Hello");
  CHECK(reply->finish == Finish::stop);
  CHECK(reply->model == "small-2026-09-01");
  CHECK(reply->usage.prompt_tokens == 1000);
  CHECK(reply->usage.cached_tokens == 400);
  CHECK(reply->usage.completion_tokens == 600);
  CHECK(reply->usage.reasoning_tokens == 100);
  CHECK_FALSE(reply->usage.estimated);
  CHECK(reply->cost_nano_dollars == 600'000 + 100'000 + 1'200'000);
}

TEST_CASE("all known shapes of a reply are read") {
  SECTION("content in parts") {
    const auto reply = decode(completion({{"message", {{"content", json::parse(R"([{"type": "text", "text": "Hel"},
      {"type": "reasoning", "summary": 1}, {"type": "text", "text": "lo"}, "loose"])")}}}}));
    REQUIRE(reply);
    CHECK(reply->text == "Hello");
  }
  SECTION("cut by the token limit, nothing written") {
    const auto reply = decode(completion({{"finish_reason", "length"}, {"message", {{"content", nullptr}}}}));
    REQUIRE(reply);
    CHECK(reply->text.empty());
    CHECK(reply->finish == Finish::length);
    CHECK(reply->cost_nano_dollars > 0);
  }
  SECTION("a refusal in words") {
    const auto reply =
        decode(completion({{"message", {{"content", nullptr}, {"refusal", "I can't help with that."}}}}));
    REQUIRE(reply);
    CHECK(reply->finish == Finish::refusal);
  }
  SECTION("an empty refusal field is none") {
    const auto reply = decode(completion({{"message", {{"refusal", ""}}}}));
    REQUIRE(reply);
    CHECK(reply->finish == Finish::stop);
  }
  SECTION("a content filter") {
    CHECK(decode(completion({{"finish_reason", "content_filter"}}))->finish == Finish::filter);
  }
  SECTION("no finish_reason, as vLLM may send") {
    CHECK(decode(completion({{"finish_reason", nullptr}}))->finish == Finish::stop);
  }
  SECTION("blank lines before the body, as DeepSeek sends") { CHECK(decode("\n\n\n" + completion())->text == "Hello"); }
  SECTION("a model name with a terminal escape in it") {
    const auto reply = decode(completion(json::object(), {{"model", "small\x1b[31m"}}));
    CHECK(reply->model == "small [31m");
  }
}

TEST_CASE("without usage the tokens are estimated and not free") {
  const auto reply = decode(completion({{"message", {{"content", std::string(3000, 'x')}}}}, {{"usage", nullptr}}));
  REQUIRE(reply);
  CHECK(reply->usage.estimated);
  CHECK(reply->usage.prompt_tokens > 0);
  CHECK(reply->usage.completion_tokens >= 750);
  CHECK(reply->cost_nano_dollars == cost(kConfig, reply->usage));
  CHECK(reply->cost_nano_dollars > 0);
}

TEST_CASE("impossible token counts are ignored") {
  const auto usage = GENERATE(R"({"prompt_tokens": -5, "completion_tokens": -1e300})",
                              R"({"prompt_tokens": 1e300, "completion_tokens": 99999999999999999999})",
                              R"({"prompt_tokens": "many", "completion_tokens": null})",
                              R"({"prompt_tokens": [], "prompt_tokens_details": 3})");
  CAPTURE(usage);
  const auto reply =
      decode(completion(json::object(), {{"usage", nullptr}}).replace(0, 1, std::string("{\"usage\":") + usage + ","));
  REQUIRE(reply);
  CHECK(reply->cost_nano_dollars >= 0);
  CHECK(reply->usage.prompt_tokens >= 0);
  CHECK(reply->usage.completion_tokens >= 0);
}

TEST_CASE("the cost that a router reports overrides the price list") {
  CHECK(decode(completion(json::object(), {{"usage", {{"cost", 0.0025}}}}))->cost_nano_dollars == 2'500'000);
  CHECK(decode(completion(json::object(), {{"usage", {{"cost", -1}}}}))->cost_nano_dollars == 1'900'000);
}

TEST_CASE("cost is tokens times price, in nano-dollars") {
  CHECK(cost(kConfig, {.prompt_tokens = 1'000'000}) == 1'000'000'000);
  CHECK(cost(kConfig, {.prompt_tokens = 1'000'000, .cached_tokens = 1'000'000}) == 250'000'000);
  CHECK(cost(kConfig, {.prompt_tokens = 10, .cached_tokens = 4, .completion_tokens = 3}) == 6'000 + 1'000 + 6'000);
  CHECK(cost(kConfig, {.prompt_tokens = 10, .cached_tokens = 99}) == 2'500);  // more cached than there is
  CHECK(cost(kConfig, {}) == 0);
  CHECK(cost({}, {.prompt_tokens = 1'000'000}) == 0);  // a local model without a price
}

TEST_CASE(
    "a reply is charged by the tier that served it, a request reserves for the requested or the most expensive tier") {
  struct Row {
    const char *asked, *served;
    double charged, reserved;  // times the ordinary price
  };
  const auto row =
      GENERATE(Row{"flex", "flex", 0.5, 0.5}, Row{"flex", "default", 1, 0.5}, Row{"flex", "", 0.5, 0.5},
               Row{"", "default", 1, 2}, Row{"", "priority", 2, 2}, Row{"", "", 2, 2}, Row{"auto", "standard", 1, 2},
               Row{"standard_only", "standard", 1, 1}, Row{"default", "scale", 2, 1}, Row{"flex", "scale", 2, 0.5});
  CAPTURE(row.asked, row.served);
  ProviderConfig config = kConfig;
  config.capabilities.service_tier = row.asked;
  config.price->tiers = {{"flex", 0.5}, {"priority", 2}};
  const auto prompt = testing::prompt_of("write one");
  const double ordinary = static_cast<double>(reservation(kConfig, prompt));
  CHECK(std::abs(static_cast<double>(reservation(config, prompt)) - row.reserved * ordinary) <= 2);
  const HttpResponse response{
      .status = 200, .headers = {}, .body = completion(json::object(), {{"service_tier", row.served}})};
  const auto reply = decode_chat(config, Secret(), prompt, response);
  REQUIRE(reply);
  CHECK(reply->usage.tier == row.served);
  Usage untold = reply->usage;
  untold.tier.clear();
  CHECK(reply->cost_nano_dollars == std::llround(row.charged * static_cast<double>(cost(kConfig, untold))));
}

TEST_CASE("without prices per tier every tier costs the same") {
  CHECK(cost(kConfig, {.prompt_tokens = 10, .tier = "priority"}) == cost(kConfig, {.prompt_tokens = 10}));
}

TEST_CASE("a reservation covers the cost of any reply that the request allows") {
  for (const std::size_t size : {0U, 1U, 100U, 100'000U}) {
    const auto prompt = testing::prompt_of(std::string(size, 'x'));
    const auto tokens = static_cast<std::int64_t>(size / 3);
    CHECK(reservation(kConfig, prompt) >=
          cost(kConfig, {.prompt_tokens = tokens, .completion_tokens = kConfig.max_output_tokens}));
  }
  CHECK(reservation({}, testing::prompt_of("free")) == 0);
}

}  // namespace parityd::agent
