// Codec of chat completions.
#include <cmath>
#include <nlohmann/json.hpp>

#include "agent/llm/codec.h"
#include "agent/llm/json_fields.h"
#include "agent/llm/price.h"
#include "oracle/json_read.h"

namespace parityd::agent {
namespace {

using nlohmann::json;

Finish finish_of_choice(const json& choice) {
  const std::string reason = text_of(field(choice, "finish_reason"));
  if (!text_of(field(field(choice, "message"), "refusal")).empty()) return Finish::refusal;
  return reason == "length" ? Finish::length : reason == "content_filter" ? Finish::filter : Finish::stop;
}

Usage usage_of_completion(const json& parsed, const std::string& content, const Prompt& prompt) {
  const json& usage = field(parsed, "usage");
  if (!usage.is_object()) return estimated_usage(prompt, content);
  const json& details = field(usage, "prompt_tokens_details");
  const auto cached = count_of(field(details, "cached_tokens"));
  return {.prompt_tokens = count_of(field(usage, "prompt_tokens")),
          .cached_tokens = cached > 0 ? cached : count_of(field(usage, "prompt_cache_hit_tokens")),
          .cache_write_tokens = count_of(field(details, "cache_write_tokens")),
          .completion_tokens = count_of(field(usage, "completion_tokens")),
          .reasoning_tokens = count_of(field(field(usage, "completion_tokens_details"), "reasoning_tokens"))};
}

/// Routers that resell many models report the charge in dollars.
std::int64_t charged(const json& parsed, std::int64_t computed) {
  const json& cost = field(field(parsed, "usage"), "cost");
  const double dollars = cost.is_number() ? cost.get<double>() : -1;
  return dollars >= 0 && dollars <= 1000 ? std::llround(dollars * 1e9) : computed;
}

/// Content is a string or an array of parts, of which the text parts count.
std::string content_of(const json& message) {
  const json& content = field(message, "content");
  if (!content.is_array()) return text_of(content);
  std::string all;
  for (const auto& part : content) all += text_of(field(part, "text"));
  return all;
}

}  // namespace

HttpRequest encode_chat(const ProviderConfig& config, const Secret& key, const Prompt& prompt) {
  json body{{"model", config.model},
            {config.capabilities.token_limit_field, config.max_output_tokens},
            {"messages", json::array()}};
  for (const auto& message : prompt.messages) {
    body["messages"].push_back({{"role", name(message.role)}, {"content", message.text}});
  }
  if (config.temperature && config.capabilities.temperature) body["temperature"] = *config.temperature;
  if (config.capabilities.seed) body["seed"] = prompt.seed % (std::uint64_t{1} << 31);
  if (!config.capabilities.reasoning_effort.empty()) body["reasoning_effort"] = config.capabilities.reasoning_effort;
  if (!config.capabilities.service_tier.empty()) body["service_tier"] = config.capabilities.service_tier;
  HttpRequest request = request_to(config, key, "/chat/completions");
  request.headers.emplace_back("content-type", "application/json");
  request.body = oracle::compact(body);
  return request;
}

tl::expected<Reply, ApiError> decode_chat(const ProviderConfig& config, const Secret& key, const Prompt& prompt,
                                          const HttpResponse& response) {
  Reply reply;
  reply.latency = response.elapsed;
  if (is_filtered(response)) {
    reply.finish = Finish::filter;
    return reply;
  }
  if (response.status < 200 || response.status >= 300) return tl::unexpected(error_of_status(key, response));
  const json parsed = parse_body(response.body);
  const json& choices = field(parsed, "choices");
  const json choice = choices.is_array() && !choices.empty() ? choices.front() : json();
  const json& message = field(choice, "message");
  const bool failed = text_of(field(choice, "finish_reason")) == "error";
  json error = field(choice, "error").is_null() ? field(parsed, "error") : field(choice, "error");
  if (failed && error.is_null()) error = "the model's server failed";
  if (!message.is_object() || failed || !field(choice, "error").is_null()) {
    return tl::unexpected(error_of_success(key, error, response, "a chat completion"));
  }
  reply.text = content_of(message);
  reply.finish = finish_of_choice(choice);
  reply.usage = usage_of_completion(parsed, reply.text, prompt);
  reply.usage.tier = one_line(text_of(field(parsed, "service_tier")));
  reply.model = one_line(text_of(field(parsed, "model")));
  reply.cost_nano_dollars = charged(parsed, cost(config, reply.usage));
  return reply;
}

}  // namespace parityd::agent
