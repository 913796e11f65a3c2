#include "agent/llm/provider.h"

#include <fmt/format.h>

namespace parityd::agent {

void Provider::stop(const std::string& name, const std::string& why) {
  if (!stopped_) {
    stopped_ = why;
    notices_.push_back({.kind = store::EventKind::provider_stopped,
                        .provider = name,
                        .text = fmt::format("provider {}: {}", name, why)});
  }
}

void Provider::reconfigure(const ProviderConfig& config, const Secret& /*key*/) {
  if (config.name == name() && stopped_) {
    stopped_.reset();
    notices_.push_back({.kind = store::EventKind::provider_stopped, .provider = name(), .over = true});
  }
}

}  // namespace parityd::agent
