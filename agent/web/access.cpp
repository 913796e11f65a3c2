#include "agent/web/access.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace parityd::agent {
namespace {

constexpr std::string_view kHttp = "http://", kHttps = "https://";

/// Not strcasecmp, which would ignore everything after a NUL.
bool same_name(std::string_view one, std::string_view other) {
  return one.size() == other.size() && strncasecmp(one.data(), other.data(), one.size()) == 0;
}

bool begins_with(std::string_view text, std::string_view prefix) {
  return same_name(text.substr(0, prefix.size()), prefix);
}

/// Host and port of a URL. `host` has no brackets around an IPv6 address.
struct Authority {
  std::string host;
  int port;
};

/// Accepts "name", "name:80", "[::1]", "[::1]:80"; nothing else, in particular no user information.
std::optional<Authority> authority(std::string_view text, int default_port) {
  const bool bracketed = text.starts_with('[');
  const auto end = bracketed ? text.find(']') : text.find(':');
  const std::string_view host = bracketed ? text.substr(1, end - 1) : text.substr(0, end);
  if (host.empty() || (bracketed && end == text.npos)) return std::nullopt;
  const std::string_view rest = end == text.npos ? "" : text.substr(bracketed ? end + 1 : end);
  if (rest.empty()) return Authority{std::string(host), default_port};
  int port = 0;
  const auto [stop, error] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), port);
  const bool whole = rest.front() == ':' && error == std::errc() && stop == rest.data() + rest.size();
  return whole && port >= 1 && port <= 65535 ? std::optional(Authority{std::string(host), port}) : std::nullopt;
}

/// Whether it is an address and not a name, so that DNS is not involved.
bool is_address(const std::string& host) {
  in6_addr unused{};
  return host.find('\0') == host.npos &&
         (inet_pton(AF_INET, host.c_str(), &unused) == 1 || inet_pton(AF_INET6, host.c_str(), &unused) == 1);
}

/// Whether `names` declares a TLS proxy in front of the host.
bool is_behind_tls(const std::string& host, const std::vector<std::string>& names) {
  return std::ranges::any_of(names,
                             [&](const auto& each) { return same_name(each, fmt::format("{}{}", kHttps, host)); });
}

bool is_ours(const std::string& host, const std::vector<std::string>& names) {
  return is_address(host) || same_name(host, "localhost") || is_behind_tls(host, names) ||
         std::ranges::any_of(names, [&](const auto& each) { return same_name(each, host); });
}

/// Compares scheme, name and port: another port or https is another origin.
bool is_own_origin(std::string_view origin, std::string_view host, bool tls) {
  const std::string_view scheme = tls ? kHttps : kHttp;
  if (!begins_with(origin, scheme)) return false;
  const int default_port = tls ? 443 : 80;
  const auto from = authority(origin.substr(scheme.size()), default_port), own = authority(host, default_port);
  return from && own && same_name(from->host, own->host) && from->port == own->port;
}

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char digit) { return digit >= '0' && digit <= '9'; });
}

/// A body must be uncompressed and declare its length, so that nothing is unpacked or read without end.
std::optional<Refusal> body_refusal(const Caller& caller) {
  if (!caller.content_encoding.empty() && !same_name(caller.content_encoding, "identity")) {
    return Refusal{415, "expected no Content-Encoding"};
  }
  const bool has_body = caller.method == "POST";
  if (!caller.transfer_encoding.empty() || (has_body && !is_number(caller.content_length))) {
    return Refusal{411, "expected one Content-Length and no Transfer-Encoding"};
  }
  if (has_body && caller.content_type.substr(0, caller.content_type.find(';')) != "application/json") {
    return Refusal{415, "expected application/json"};
  }
  return std::nullopt;
}

/// Compares in constant time.
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
  const auto host = authority(caller.hosts.front(), 0);
  if (!host || !is_ours(host->host, rules.names)) {
    return Refusal{403, "the page does not answer to this host name; add it to [web] names in the configuration"};
  }
  const bool writes = caller.method == "POST";
  if (!writes && caller.method != "GET" && caller.method != "HEAD") return Refusal{405, "expected GET or POST"};
  const bool tls = is_behind_tls(host->host, rules.names);
  if (caller.origin.empty() ? writes : !is_own_origin(caller.origin, caller.hosts.front(), tls)) {
    return Refusal{403, "the request does not come from this page"};
  }
  const bool link_followed = caller.path == "/" && !writes;
  if (!link_followed && !caller.fetch_site.empty() && caller.fetch_site != "same-origin" &&
      caller.fetch_site != "none") {
    return Refusal{403, "the request comes from another site"};
  }
  if (auto refused = body_refusal(caller)) return refused;
  if (!rules.token.empty() && needs_token(caller.path) && !has_token(caller, rules.token)) {
    return Refusal{401, "expected the token of [web] token_env or token_file as Authorization: Bearer TOKEN"};
  }
  return std::nullopt;
}

}  // namespace parityd::agent
