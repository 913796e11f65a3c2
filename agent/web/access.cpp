#include "agent/web/access.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <string_view>

namespace parityd::agent {
namespace {

bool same_name(const std::string& one, const std::string& other) { return strcasecmp(one.c_str(), other.c_str()) == 0; }

/// "[::1]:80" and "[::1]" give "::1", "name:80" gives "name".
std::string without_port(const std::string& host) {
  if (host.starts_with('[')) return host.substr(1, std::max<std::size_t>(host.find(']'), 1) - 1);
  return host.substr(0, host.find(':'));
}

/// No name at all: nobody's DNS leads here.
bool is_address(const std::string& host) {
  in6_addr unused{};
  return inet_pton(AF_INET, host.c_str(), &unused) == 1 || inet_pton(AF_INET6, host.c_str(), &unused) == 1;
}

bool is_ours(const std::string& host, const std::vector<std::string>& names) {
  const std::string name = without_port(host);
  return is_address(name) || same_name(name, "localhost") ||
         std::any_of(names.begin(), names.end(), [&](const auto& each) { return same_name(each, name); });
}

/// A proxy in front may speak https.
bool is_own_origin(const std::string& origin, const std::string& host) {
  return same_name(origin, "http://" + host) || same_name(origin, "https://" + host);
}

/// Takes the same time wherever they differ.
bool same_secret(std::string_view given, std::string_view expected) {
  unsigned difference = given.size() == expected.size() ? 0 : 1;
  for (std::size_t index = 0; index < expected.size(); ++index) {
    const char other = index < given.size() ? given[index] : '\0';
    difference |= static_cast<unsigned>(static_cast<unsigned char>(expected[index] ^ other));
  }
  return difference == 0;
}

bool has_token(const Caller& caller, const Secret& token) {
  constexpr std::string_view kBearer = "Bearer ";
  const std::string_view given = caller.authorization;
  return given.starts_with(kBearer) && same_secret(given.substr(kBearer.size()), token.reveal());
}

}  // namespace

bool needs_token(const std::string& path) { return path.starts_with("/api/") || path == "/metrics"; }

std::optional<Refusal> refusal(const Caller& caller, const AccessRules& rules) {
  if (caller.hosts.size() != 1) return Refusal{400, "expected one Host header"};
  const std::string& host = caller.hosts.front();
  if (!is_ours(host, rules.names)) {
    return Refusal{403, "this name is not the page's: [web] names in the configuration lists those that are"};
  }
  const bool writes = caller.method == "POST";
  if (!writes && caller.method != "GET" && caller.method != "HEAD") return Refusal{405, "expected GET or POST"};
  if (caller.origin.empty() ? writes : !is_own_origin(caller.origin, host)) {
    return Refusal{403, "the request does not come from this page"};
  }
  const bool link_followed = caller.path == "/" && !writes;
  if (!link_followed && !caller.fetch_site.empty() && caller.fetch_site != "same-origin" &&
      caller.fetch_site != "none") {
    return Refusal{403, "the request comes from another site"};
  }
  if (writes && caller.content_type.substr(0, caller.content_type.find(';')) != "application/json") {
    return Refusal{415, "expected application/json"};
  }
  if (!rules.token.empty() && needs_token(caller.path) && !has_token(caller, rules.token)) {
    return Refusal{401, "expected the token of [web] token_env or token_file as Authorization: Bearer TOKEN"};
  }
  return std::nullopt;
}

}  // namespace parityd::agent
