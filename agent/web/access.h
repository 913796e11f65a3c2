// Access rules of the page, against other sites' scripts (CSRF), foreign DNS names that resolve to this machine
// (rebinding), and readers without the token. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/llm/secret.h"

namespace parityd::agent {

/// What a request declares; empty: the header is missing. Repeated headers are joined into one list with commas, so
/// that no line is overlooked.
struct Caller {
  std::string method, path;
  std::vector<std::string> hosts;  // all Host headers; exactly one is required
  std::string origin, fetch_site, authorization;
  std::string content_type, content_encoding, content_length, transfer_encoding;
};

struct AccessRules {
  std::vector<std::string> names;  // names of this machine besides addresses and localhost; https://NAME: behind TLS
  const Secret& token;             // empty: none is required
};

struct Refusal {
  int status = 403;
  std::string why;
};

/// Whether the path requires the token: all paths except the page's own files, which contain nothing that is not in
/// parityd's sources, and the daemon's health.
[[nodiscard]] bool needs_token(const std::string& path);

/// Why the request is refused; nullopt: it is allowed.
[[nodiscard]] std::optional<Refusal> refusal(const Caller& caller, const AccessRules& rules);

}  // namespace parityd::agent
