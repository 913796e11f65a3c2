// The chat completions protocol (OpenAI and every server that speaks it) as a pure codec: no socket, no clock. Any
// thread.
#pragma once

#include <tl/expected.hpp>

#include <string>

#include "agent/config.h"
#include "agent/llm/http.h"
#include "agent/llm/provider.h"
#include "agent/llm/secret.h"

namespace parityd::agent {

[[nodiscard]] HttpRequest encode_chat(const ProviderConfig& config, const Secret& key, const Prompt& prompt);

/// What an answer that is no reply means for the next request.
struct ChatError {
  ReplyErrorKind kind = ReplyErrorKind::unavailable;
  bool retryable = false;
  bool billed = false;  // the server says it answered: what it wrote is lost, what it costs is not
  int status = 0;
  std::string message;  // redacted, one line, ≤ 300 bytes
};
/// The prompt serves an estimate of its tokens where the server counts none.
[[nodiscard]] tl::expected<Reply, ChatError> decode_chat(const ProviderConfig& config, const Secret& key,
                                                         const Prompt& prompt, const HttpResponse& response);

/// Upper bound in nano-dollars: three bytes a token (English and Python have more), and the whole output.
[[nodiscard]] std::int64_t reservation(const ProviderConfig& config, const Prompt& prompt);
[[nodiscard]] std::int64_t cost(const ProviderConfig& config, const Usage& usage);

}  // namespace parityd::agent
