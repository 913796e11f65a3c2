#include "agent/config_tables.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>

namespace parityd::agent {
namespace {

constexpr std::string_view kHere = "127.0.0.1";

std::optional<int> port_of(std::string_view text) {
  int port = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && port >= 0 && port <= 65535 ? std::optional(port) : std::nullopt;
}

/// "HOST:PORT", "[ADDRESS]:PORT" or "PORT", which means a port of this machine only.
bool read_address(std::string_view text, WebConfig& web) {
  const auto colon = text.rfind(':');
  std::string_view host = colon == std::string_view::npos ? kHere : text.substr(0, colon);
  const auto port = port_of(colon == std::string_view::npos ? text : text.substr(colon + 1));
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (!port || host.empty() || (!bracketed && host.find(':') != std::string_view::npos)) return false;
  web.host = host;
  web.port = *port;
  return true;
}

bool is_name_of_page(std::string_view text) {
  constexpr std::string_view kHttps = "https://";
  const std::string_view name = text.starts_with(kHttps) ? text.substr(kHttps.size()) : text;
  return !name.empty() && name.find_first_of("/:@ ") == std::string_view::npos;
}

/// Whether the host is reachable only from this machine.
bool is_here(const std::string& host) {
  in_addr four{};
  if (inet_pton(AF_INET, host.c_str(), &four) == 1) return (ntohl(four.s_addr) >> 24) == 127;
  return host == "localhost" || host == "::1";
}

}  // namespace

void read_web(const toml::table* table, ConfigReport report, WebConfig& web) {
  TableReader reader(table, "web", report);
  std::string listen;
  reader.text("listen", listen);
  reader.texts("names", web.names);
  reader.text("token_env", web.token_env);
  reader.text("token_file", web.token_file);
  if (!listen.empty() && !read_address(listen, web)) {
    reader.mistake("listen", fmt::format("\"{}\" is not an address to listen on; expected one such as 127.0.0.1:8080, "
                                         "[::1]:8080 or 8080",
                                         listen));
  }
  reader.not_both("token_file", "token_env");
  if (!web.host.empty() && !is_here(web.host) && web.token_env.empty() && web.token_file.empty()) {
    reader.mistake("listen",
                   fmt::format("{} is reachable from other machines; this needs token_env or token_file", listen));
  }
  if (!std::ranges::all_of(web.names, is_name_of_page)) {
    reader.mistake("names", "expected host names without a port; https://NAME if a proxy in front terminates TLS");
  }
}

}  // namespace parityd::agent
