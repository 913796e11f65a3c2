// What an answer that is no reply means, in every shape the APIs write errors in. Pure; any thread.
#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "agent/llm/provider.h"
#include "agent/llm/secret.h"
#include "agent/llm/transport.h"

namespace parityd::agent {

/// What it means for the next request.
struct ApiError {
  ReplyErrorKind kind = ReplyErrorKind::unavailable;
  bool retryable = false;
  bool billed = false;  // the server says it answered: what it wrote is lost, what it costs is not
  int status = 0;
  std::string message;                                  // redacted, one line, ≤ 300 bytes
  std::string refused_field;                            // of the request: this model or server does not take it
  std::optional<std::chrono::milliseconds> asked_wait;  // where the body says it
};

/// Of a status that is no success.
[[nodiscard]] ApiError error_of_status(const Secret& key, const HttpResponse& response);

/// Of a success that holds no reply: an error passed on (`error`, an object or text, unless null), or an answer that
/// is not `expected`.
[[nodiscard]] ApiError error_of_success(const Secret& key, const nlohmann::json& error, const HttpResponse& response,
                                        const char* expected);

/// The server read the prompt and declined it: the prompt's fault, not the provider's.
[[nodiscard]] bool is_filtered(const HttpResponse& response);

}  // namespace parityd::agent
