// [web]: where the page may be served, and that other machines never see it without a token.
#include "agent/config.h"
#include "tests/catch.h"

namespace parityd::agent {
namespace {

/// The table's lines read; its first mistake otherwise.
tl::expected<WebConfig, std::string> read(const std::string& lines) {
  const auto config = parse_config("[web]\n" + lines, "c.toml");
  if (!config) return tl::unexpected(config.error().front());
  return config->web;
}

}  // namespace

TEST_CASE("web: the page is off until the configuration sets an address") {
  CHECK(parse_config("", {})->web.host.empty());
}

TEST_CASE("web: an address is a host and a port, or only a port for this machine") {
  for (const auto& [listen, host, port] :
       std::vector<std::tuple<std::string, std::string, int>>{{"127.0.0.1:8080", "127.0.0.1", 8080},
                                                              {"8080", "127.0.0.1", 8080},
                                                              {"localhost:0", "localhost", 0},
                                                              {"[::1]:65535", "::1", 65535},
                                                              {"127.9.9.9:1", "127.9.9.9", 1}}) {
    const auto web = read("listen = \"" + listen + "\"");
    CAPTURE(listen);
    REQUIRE(web);
    CHECK(web->host == host);
    CHECK(web->port == port);
  }
  for (const auto* listen : {"x", "127.0.0.1", "127.0.0.1:", ":80", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:8o",
                             "::1:80", "[::1]", "http://127.0.0.1:80"}) {
    CAPTURE(listen);
    const auto web = read("listen = \"" + std::string(listen) + "\"");
    REQUIRE_FALSE(web);
    CHECK(web.error().find("c.toml:2: web.listen: ") == 0);
  }
}

TEST_CASE("web: an address that other machines can reach needs a token") {
  for (const auto* listen : {"0.0.0.0:80", "[::]:80", "10.0.0.1:80", "gpu1.example.com:80", "128.0.0.1:80"}) {
    CAPTURE(listen);
    const auto line = "listen = \"" + std::string(listen) + "\"\n";
    const auto open = read(line);
    REQUIRE_FALSE(open);
    CHECK(open.error().find("needs token_env or token_file") != std::string::npos);
    CHECK(read(line + "token_env = \"TOKEN\"").has_value());
    CHECK(read(line + "token_file = \"/f\"").has_value());
  }
  CHECK_FALSE(read("token_env = \"TOKEN\"\ntoken_file = \"/f\"").has_value());
}

TEST_CASE("web: a name is the host name of a machine") {
  CHECK(read("names = [\"gpu1.example.com\"]")->names.size() == 1);
  CHECK(read("names = [\"https://gpu1.example.com\"]").has_value());  // a proxy in front speaks TLS
  for (const auto* name : {"", "http://gpu1", "gpu1:80", "a b", "https://", "https://gpu1:443", "https://gpu1/",
                           "https://https://gpu1", "gpu1/https://"}) {
    CHECK_FALSE(read("names = [\"" + std::string(name) + "\"]").has_value());
  }
}

}  // namespace parityd::agent
