// The chat completions protocol (OpenAI and every server that speaks it) as a pure codec (codec.h). Any thread.
#pragma once

#include <tl/expected.hpp>

#include "agent/llm/codec.h"

namespace parityd::agent {

[[nodiscard]] HttpRequest encode_chat(const ProviderConfig& config, const Secret& key, const Prompt& prompt);
[[nodiscard]] tl::expected<Reply, ApiError> decode_chat(const ProviderConfig& config, const Secret& key,
                                                        const Prompt& prompt, const HttpResponse& response);

}  // namespace parityd::agent
