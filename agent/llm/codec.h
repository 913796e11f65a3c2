// How an API is spoken: pure functions, without socket or clock. Any thread.
#pragma once

#include <tl/expected.hpp>

#include <string>

#include "agent/config.h"
#include "agent/llm/api_error.h"
#include "agent/llm/provider.h"
#include "agent/llm/secret.h"
#include "agent/llm/transport.h"

namespace parityd::agent {

struct Codec {
  HttpRequest (*encode)(const ProviderConfig& config, const Secret& key, const Prompt& prompt);
  /// The prompt serves an estimate of its tokens where the server counts none.
  tl::expected<Reply, ApiError> (*decode)(const ProviderConfig& config, const Secret& key, const Prompt& prompt,
                                          const HttpResponse& response);
};

/// The one that `config.kind` names; "builtin" has none.
[[nodiscard]] const Codec& codec_of(const ProviderConfig& config);

/// What every request of this provider shares: address, key, timeouts. `path` is put before the address's query.
[[nodiscard]] HttpRequest request_to(const ProviderConfig& config, const Secret& key, const std::string& path);

/// Whether requests so configured held that optional field and can do without, since the model turned out not to take
/// it; then `config` is changed so that they do. The limit of a reply has two names, of which the other is taken.
[[nodiscard]] bool leave_out(ProviderConfig& config, const std::string& field);

/// Chat completions: OpenAI, and every server that speaks as it does.
[[nodiscard]] HttpRequest encode_chat(const ProviderConfig& config, const Secret& key, const Prompt& prompt);
[[nodiscard]] tl::expected<Reply, ApiError> decode_chat(const ProviderConfig& config, const Secret& key,
                                                        const Prompt& prompt, const HttpResponse& response);

/// Anthropic's messages. System messages become the `system` text, whose last block ends what the server may cache.
[[nodiscard]] HttpRequest encode_messages(const ProviderConfig& config, const Secret& key, const Prompt& prompt);
[[nodiscard]] tl::expected<Reply, ApiError> decode_messages(const ProviderConfig& config, const Secret& key,
                                                            const Prompt& prompt, const HttpResponse& response);

}  // namespace parityd::agent
