#include "agent/llm/codec.h"

#include <algorithm>
#include <utility>

namespace parityd::agent {

const Codec& codec_of(const ProviderConfig& config) {
  static constexpr Codec kChat{.encode = &encode_chat, .decode = &decode_chat};
  static constexpr Codec kAnthropic{.encode = &encode_messages, .decode = &decode_messages};
  return config.kind == "anthropic" ? kAnthropic : kChat;
}

HttpRequest request_to(const ProviderConfig& config, const Secret& key, const std::string& path) {
  const auto query = std::min(config.base_url.find('?'), config.base_url.size());
  const auto end = config.base_url.find_last_not_of('/', query - 1) + 1;
  HttpRequest request{.url = config.base_url.substr(0, end) + path + config.base_url.substr(query), .headers = {}};
  if (!key.empty()) {
    const bool bearer = config.key_header == "authorization";
    request.headers.emplace_back(config.key_header, (bearer ? "Bearer " : "") + key.reveal());
  }
  request.allow_http = config.allow_http;
  request.connect_timeout = config.connect_timeout;
  request.first_byte_timeout = std::min(config.first_byte_timeout, config.total_timeout);
  request.total_timeout = config.total_timeout;
  return request;
}

bool leave_out(ProviderConfig& config, const std::string& field) {
  ModelCapabilities& model = config.capabilities;
  if (field == "temperature") return config.temperature.has_value() && std::exchange(model.temperature, false);
  if (field == "seed") return std::exchange(model.seed, false);
  if (field == "reasoning_effort" || field.starts_with("output_config")) {
    return !std::exchange(model.reasoning_effort, "").empty();
  }
  if (field == "service_tier") return !std::exchange(model.service_tier, "").empty();
  if (config.kind == "chat" && field == model.token_limit_field) {
    model.token_limit_field = field == "max_tokens" ? "max_completion_tokens" : "max_tokens";
    return true;
  }
  return false;
}

}  // namespace parityd::agent
