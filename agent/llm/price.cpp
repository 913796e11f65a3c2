#include "agent/llm/price.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace parityd::agent {
namespace {

constexpr double kNanoPerMillionth = 1000;  // nano-dollars per token at one dollar per million tokens
constexpr std::size_t kBytesPerToken = 3;   // a lower bound for English and Python

std::size_t bytes_of(const Prompt& prompt) {
  std::size_t bytes = 0;
  for (const auto& message : prompt.messages) {
    bytes += message.text.size() + 16;  // the role and separators
  }
  return bytes;
}

/// An unlisted tier is the ordinary one if its name says so; otherwise it may be any tier.
double factor_of(const ModelPrice& price, const std::string& tier) {
  constexpr std::array<std::string_view, 3> kOrdinary{"default", "standard", "standard_only"};
  if (const auto listed = price.tiers.find(tier); listed != price.tiers.end()) return listed->second;
  double factor = 1;
  if (std::ranges::find(kOrdinary, tier) == kOrdinary.end()) {
    for (const auto& [name, times] : price.tiers) factor = std::max(factor, times);
  }
  return factor;
}

}  // namespace

std::int64_t reservation(const ProviderConfig& config, const Prompt& prompt) {
  if (!config.price) return 0;
  const double tokens_in = static_cast<double>(bytes_of(prompt)) / kBytesPerToken;
  const double dearest = std::max(config.price->input, config.price->cache_write);
  const double ordinary = tokens_in * dearest + config.max_output_tokens * config.price->output;
  return static_cast<std::int64_t>(
      std::ceil(kNanoPerMillionth * factor_of(*config.price, config.capabilities.service_tier) * ordinary));
}

std::int64_t cost(const ProviderConfig& config, const Usage& usage) {
  if (!config.price) return 0;
  const auto cached = std::min(usage.cached_tokens, usage.prompt_tokens);
  const auto written = std::min(usage.cache_write_tokens, usage.prompt_tokens - cached);
  const auto fresh = usage.prompt_tokens - cached - written;
  const double ordinary = static_cast<double>(fresh) * config.price->input +
                          static_cast<double>(cached) * config.price->cached_input +
                          static_cast<double>(written) * config.price->cache_write +
                          static_cast<double>(usage.completion_tokens) * config.price->output;
  const std::string& tier = usage.tier.empty() ? config.capabilities.service_tier : usage.tier;
  return std::llround(kNanoPerMillionth * factor_of(*config.price, tier) * ordinary);
}

Usage estimated_usage(const Prompt& prompt, const std::string& content) {
  return {.prompt_tokens = static_cast<std::int64_t>(bytes_of(prompt) / kBytesPerToken + 1),
          .completion_tokens = static_cast<std::int64_t>(content.size() / kBytesPerToken + 1),
          .estimated = true};
}

}  // namespace parityd::agent
