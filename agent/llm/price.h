// Costs of tokens in nano-dollars: an upper bound before a request, the exact cost after it. Pure; any thread.
#pragma once

#include <cstdint>

#include "agent/config.h"
#include "agent/llm/provider.h"

namespace parityd::agent {

[[nodiscard]] constexpr double in_dollars(std::int64_t nano_dollars) { return static_cast<double>(nano_dollars) / 1e9; }

/// Upper bound: three bytes per token (English and Python have more), every token written to the server's cache, and
/// the whole output, at the requested tier's price; at the most expensive tier's if the server may choose.
[[nodiscard]] std::int64_t reservation(const ProviderConfig& config, const Prompt& prompt);

/// The cost at the tier that served the request; at the tier reserved for if the answer names none.
[[nodiscard]] std::int64_t cost(const ProviderConfig& config, const Usage& usage);

/// The usage for a server that does not count tokens; rounded up.
[[nodiscard]] Usage estimated_usage(const Prompt& prompt, const std::string& content);

}  // namespace parityd::agent
