// What tokens cost, in nano-dollars: before a request at most, after it to the token. Pure; any thread.
#pragma once

#include <cstdint>

#include "agent/config.h"
#include "agent/llm/provider.h"

namespace parityd::agent {

[[nodiscard]] constexpr double in_dollars(std::int64_t nano_dollars) { return static_cast<double>(nano_dollars) / 1e9; }

/// Upper bound: three bytes a token (English and Python have more), all of them written to the server's cache, and the
/// whole output, by the tier that is asked for; by the dearest where that leaves the server a choice.
[[nodiscard]] std::int64_t reservation(const ProviderConfig& config, const Prompt& prompt);

/// By the tier that served; by the one reserved for where the answer names none.
[[nodiscard]] std::int64_t cost(const ProviderConfig& config, const Usage& usage);

/// For a server that counts nothing; rounded up.
[[nodiscard]] Usage estimated_usage(const Prompt& prompt, const std::string& content);

}  // namespace parityd::agent
