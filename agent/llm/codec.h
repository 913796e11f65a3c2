// How one API is spoken: two pure functions, without socket or clock. Any thread.
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

}  // namespace parityd::agent
