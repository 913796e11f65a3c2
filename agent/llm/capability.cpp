#include "agent/llm/capability.h"

#include <utility>

namespace parityd::agent {

bool leave_out(ProviderConfig& config, const std::string& field) {
  ModelCapabilities& model = config.capabilities;
  if (field == "temperature") {
    return config.temperature.has_value() && std::exchange(model.temperature, false);
  }
  if (field == "seed") {
    return std::exchange(model.seed, false);
  }
  if (field == "reasoning_effort" || field.starts_with("output_config")) {
    return !std::exchange(model.reasoning_effort, "").empty();
  }
  if (field == "service_tier") {
    return !std::exchange(model.service_tier, "").empty();
  }
  if (config.kind == "chat" && field == model.token_limit_field) {
    model.token_limit_field = field == "max_tokens" ? "max_completion_tokens" : "max_tokens";
    return true;
  }
  return false;
}

}  // namespace parityd::agent
