// Classifies responses that are not replies, in every shape in which the APIs write errors. Pure; any thread.
#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "agent/llm/provider.h"
#include "agent/llm/secret.h"
#include "agent/llm/transport.h"

namespace parityd::agent {

/// A classified error and its consequences for the next request.
struct ApiError {
  ReplyErrorKind kind = ReplyErrorKind::unavailable;
  bool retryable = false;
  bool billed = false;  // the server reports that it generated an answer: the text is lost, the cost is not
  int status = 0;
  std::string message;        // redacted, one line, ≤ 300 bytes
  std::string refused_field;  // field of the request that this model or server does not accept
  std::optional<std::chrono::milliseconds> asked_wait;  // if the body states a wait
};

/// Classifies a response with an error status.
[[nodiscard]] ApiError error_of_status(const Secret& key, const HttpResponse& response);

/// Classifies a success status without a reply: a forwarded error (`error`: an object or text, unless null), or a body
/// that is not what was `expected`.
[[nodiscard]] ApiError error_of_success(const Secret& key, const nlohmann::json& error, const HttpResponse& response,
                                        const char* expected);

/// Whether the server read the prompt and declined it, which is the prompt's fault and not the provider's.
[[nodiscard]] bool is_filtered(const HttpResponse& response);

}  // namespace parityd::agent
