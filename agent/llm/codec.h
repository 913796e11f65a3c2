// Codecs: the wire format of each API as pure functions, without socket or clock. Any thread.
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
  /// `prompt` is used to estimate tokens if the server counts none.
  tl::expected<Reply, ApiError> (*decode)(const ProviderConfig& config, const Secret& key, const Prompt& prompt,
                                          const HttpResponse& response);
};

/// The codec that `config.kind` names. REQUIRES: kind is not "builtin", which has none.
[[nodiscard]] const Codec& codec_of(const ProviderConfig& config);

/// The parts common to all requests of this provider: URL, key, timeouts. `path` is inserted before the URL's query.
[[nodiscard]] HttpRequest request_to(const ProviderConfig& config, const Secret& key, const std::string& path);

/// For an optional field that the model turned out not to accept: if requests with this configuration contain it and
/// can do without it, changes `config` to omit it and returns true. The reply limit has two names; the other one is
/// used instead.
[[nodiscard]] bool leave_out(ProviderConfig& config, const std::string& field);

/// Chat completions: OpenAI and compatible servers.
[[nodiscard]] HttpRequest encode_chat(const ProviderConfig& config, const Secret& key, const Prompt& prompt);
[[nodiscard]] tl::expected<Reply, ApiError> decode_chat(const ProviderConfig& config, const Secret& key,
                                                        const Prompt& prompt, const HttpResponse& response);

/// Anthropic's messages API. System messages become the `system` text; its last block marks the end of the cacheable
/// part.
[[nodiscard]] HttpRequest encode_messages(const ProviderConfig& config, const Secret& key, const Prompt& prompt);
[[nodiscard]] tl::expected<Reply, ApiError> decode_messages(const ProviderConfig& config, const Secret& key,
                                                            const Prompt& prompt, const HttpResponse& response);

}  // namespace parityd::agent
