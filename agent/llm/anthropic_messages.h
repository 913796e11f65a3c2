// The Anthropic messages protocol as a pure codec (codec.h). Any thread.
#pragma once

#include <tl/expected.hpp>

#include "agent/llm/codec.h"

namespace parityd::agent {

/// System messages become the `system` text, whose last block ends what the server may cache.
[[nodiscard]] HttpRequest encode_messages(const ProviderConfig& config, const Secret& key, const Prompt& prompt);
[[nodiscard]] tl::expected<Reply, ApiError> decode_messages(const ProviderConfig& config, const Secret& key,
                                                            const Prompt& prompt, const HttpResponse& response);

}  // namespace parityd::agent
