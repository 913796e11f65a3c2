// Who may ask the page what: rules against other sites' scripts (CSRF), names that lead here by somebody else's DNS
// (rebinding) and readers without the token. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/llm/secret.h"

namespace parityd::agent {

/// What a request says of itself; empty: it does not. A header that comes more than once is one list with commas, so
/// that none of its lines goes unseen.
struct Caller {
  std::string method, path;
  std::vector<std::string> hosts;  // each Host header: exactly one is right
  std::string origin, fetch_site, authorization;
  std::string content_type, content_encoding, content_length, transfer_encoding;
};

struct AccessRules {
  std::vector<std::string> names;  // of this machine, beside addresses and localhost; https://NAME: behind TLS
  const Secret& token;             // empty: none is asked for
};

struct Refusal {
  int status = 403;
  std::string why;
};

/// What only readers with the token may know: all but the page's own files, which hold nothing that is not in
/// parityd's sources, and whether the daemon is well.
[[nodiscard]] bool needs_token(const std::string& path);

/// nullopt: it may.
[[nodiscard]] std::optional<Refusal> refusal(const Caller& caller, const AccessRules& rules);

}  // namespace parityd::agent
