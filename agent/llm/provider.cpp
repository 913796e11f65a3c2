#include "agent/llm/provider.h"

#include <fmt/format.h>

namespace parityd::agent {

std::string_view name(Finish finish) {
  switch (finish) {
    case Finish::stop:
      return "stop";
    case Finish::length:
      return "length";
    case Finish::refusal:
      return "refusal";
    case Finish::filter:
      return "filter";
  }
  return "?";
}

std::string_view name(ReplyErrorKind kind) {
  switch (kind) {
    case ReplyErrorKind::unavailable:
      return "unavailable";
    case ReplyErrorKind::rate_limited:
      return "rate_limited";
    case ReplyErrorKind::money:
      return "money";
    case ReplyErrorKind::authentication:
      return "authentication";
    case ReplyErrorKind::configuration:
      return "configuration";
    case ReplyErrorKind::too_large:
      return "too_large";
    case ReplyErrorKind::malformed:
      return "malformed";
    case ReplyErrorKind::timeout:
      return "timeout";
    case ReplyErrorKind::cancelled:
      return "cancelled";
  }
  return "?";
}

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
