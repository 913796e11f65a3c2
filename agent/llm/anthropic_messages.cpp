// Codec of Anthropic's messages API.
#include <nlohmann/json.hpp>

#include "agent/llm/codec.h"
#include "agent/llm/json_fields.h"
#include "agent/llm/price.h"
#include "oracle/json_read.h"

namespace parityd::agent {
namespace {

using nlohmann::json;

Finish finish_of_message(const json& parsed) {
  const std::string reason = text_of(field(parsed, "stop_reason"));
  if (reason == "refusal") return Finish::refusal;
  const bool cut = reason == "max_tokens" || reason == "model_context_window_exceeded";
  return cut ? Finish::length : Finish::stop;
}

/// `input_tokens` excludes tokens read from or written to the cache; our count is of the whole prompt.
Usage usage_of_message(const json& parsed, const std::string& content, const Prompt& prompt) {
  const json& usage = field(parsed, "usage");
  if (!usage.is_object()) return estimated_usage(prompt, content);
  const auto read = count_of(field(usage, "cache_read_input_tokens"));
  const auto written = count_of(field(usage, "cache_creation_input_tokens"));
  const json& details = field(usage, "output_tokens_details");
  return {.prompt_tokens = count_of(field(usage, "input_tokens")) + read + written,
          .cached_tokens = read,
          .cache_write_tokens = written,
          .completion_tokens = count_of(field(usage, "output_tokens")),
          .reasoning_tokens = count_of(field(details, "thinking_tokens")),
          .tier = one_line(text_of(field(usage, "service_tier")))};
}

/// The text blocks, without the model's thinking.
std::string text_blocks(const json& content) {
  std::string all;
  for (const auto& block : content) {
    if (text_of(field(block, "type")) == "text") all += text_of(field(block, "text"));
  }
  return all;
}

}  // namespace

HttpRequest encode_messages(const ProviderConfig& config, const Secret& key, const Prompt& prompt) {
  json body{{"model", config.model}, {"max_tokens", config.max_output_tokens}, {"messages", json::array()}};
  json system = json::array();
  for (const auto& message : prompt.messages) {
    if (message.role == Message::Role::system) {
      system.push_back({{"type", "text"}, {"text", message.text}});
    } else {
      body["messages"].push_back({{"role", name(message.role)}, {"content", message.text}});
    }
  }
  if (!system.empty()) {
    system.back()["cache_control"] = {{"type", "ephemeral"}};
    body["system"] = std::move(system);
  }
  if (config.temperature && config.capabilities.temperature) body["temperature"] = *config.temperature;
  if (!config.capabilities.reasoning_effort.empty()) {
    body["output_config"] = {{"effort", config.capabilities.reasoning_effort}};
  }
  if (!config.capabilities.service_tier.empty()) body["service_tier"] = config.capabilities.service_tier;
  HttpRequest request = request_to(config, key, "/messages");
  request.headers.emplace_back("content-type", "application/json");
  request.headers.emplace_back("anthropic-version", config.api_version);
  request.body = oracle::compact(body);
  return request;
}

tl::expected<Reply, ApiError> decode_messages(const ProviderConfig& config, const Secret& key, const Prompt& prompt,
                                              const HttpResponse& response) {
  if (response.status < 200 || response.status >= 300) return tl::unexpected(error_of_status(key, response));
  const json parsed = parse_body(response.body);
  const json& content = field(parsed, "content");
  if (!content.is_array()) return tl::unexpected(error_of_success(key, field(parsed, "error"), response, "a message"));
  Reply reply;
  reply.latency = response.elapsed;
  reply.text = text_blocks(content);
  reply.finish = finish_of_message(parsed);
  reply.usage = usage_of_message(parsed, reply.text, prompt);
  reply.model = one_line(text_of(field(parsed, "model")));
  reply.cost_nano_dollars = cost(config, reply.usage);
  return reply;
}

}  // namespace parityd::agent
