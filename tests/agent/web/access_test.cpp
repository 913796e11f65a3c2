// Who may ask the page what.
#include "agent/web/access.h"

#include <string>
#include <utility>

#include "tests/catch.h"

namespace parityd::agent {
namespace {

/// A request as the page's own script sends it, changed by `change`.
template <class Change>
int status(Change change, const std::string& token = "") {
  Caller caller{.method = "GET", .path = "/api/overview", .hosts = {"127.0.0.1:8080"}};
  change(caller);
  const Secret secret(token);
  const auto refused = refusal(caller, {.names = {"gpu1.example.com", "https://proxy.example.com"}, .token = secret});
  return refused ? refused->status : 200;
}

int of_host(const std::string& host) {
  return status([&](Caller& caller) { caller.hosts = {host}; });
}

void as_post(Caller& caller) {
  caller.method = "POST";
  caller.path = "/api/triage";
  caller.origin = "http://127.0.0.1:8080";
  caller.content_type = "application/json";
  caller.content_length = "2";
}

}  // namespace

TEST_CASE("page: only host names that foreign DNS cannot provide are answered") {
  for (const auto* host : {"127.0.0.1", "127.0.0.1:8080", "localhost:9", "LocalHost", "[::1]:8080", "[::1]",
                           "10.1.2.3:80", "gpu1.example.com:8080", "GPU1.example.com", "proxy.example.com"}) {
    CAPTURE(host);
    CHECK(of_host(host) == 200);
  }
  for (const auto* host : {"",
                           "evil.example",
                           "evil.example:8080",
                           "127.0.0.1.evil.example",
                           "localhost.evil.example",
                           "gpu1.example.com.evil",
                           "0x7f.1",
                           "[",
                           "[]",
                           "[evil]:80",
                           "@127.0.0.1",
                           ":8080",
                           "127.0.0.1:@evil.example",
                           "127.0.0.1:80@evil.example",
                           "localhost:80.evil.example",
                           "[::1].evil.example",
                           "[::1]@evil.example",
                           "::1",
                           "[::1%25lo]",
                           "127.0.0.1.",
                           "localhost.",
                           "127.0.0.1:",
                           "127.0.0.1:0",
                           "127.0.0.1:65536",
                           "127.0.0.1:+80",
                           "127.0.0.1 evil",
                           "https://proxy.example.com",
                           "localhost/.evil.example"}) {
    CAPTURE(host);
    CHECK(of_host(host) == 403);
  }
  using namespace std::string_literals;
  CHECK(of_host("localhost\0.evil.example"s) == 403);
  CHECK(of_host("127.0.0.1\0.evil.example"s) == 403);
  CHECK(status([](Caller& caller) { caller.hosts.clear(); }) == 400);
  CHECK(status([](Caller& caller) { caller.hosts = {"localhost", "evil.example"}; }) == 400);
}

TEST_CASE("page: scripts of other sites get no answer") {
  const auto from = [](const std::string& origin, const std::string& site, const std::string& path) {
    return status([&](Caller& caller) {
      caller.origin = origin;
      caller.fetch_site = site;
      caller.path = path;
    });
  };
  CHECK(from("http://127.0.0.1:8080", "same-origin", "/api/overview") == 200);
  CHECK(from("http://127.0.0.1:8081", "same-site", "/api/overview") == 403);
  CHECK(from("http://evil.example", "cross-site", "/api/overview") == 403);
  CHECK(from("null", "", "/api/overview") == 403);
  CHECK(from("", "cross-site", "/api/overview") == 403);
  CHECK(from("", "cross-site", "/page.js") == 403);
  CHECK(from("", "cross-site", "/") == 200);  // a link that somebody followed
  CHECK(from("", "none", "/api/overview") == 200);
}

TEST_CASE("page: its own origin is the one that a browser sends") {
  const auto from = [](const std::string& host, const std::string& origin) {
    return status([&](Caller& caller) {
      caller.hosts = {host};
      caller.origin = origin;
    });
  };
  for (const auto& [host, origin] :
       {std::pair("127.0.0.1:8080", "http://127.0.0.1:8080"), std::pair("LOCALHOST:8080", "http://localhost:8080"),
        std::pair("localhost", "http://localhost"), std::pair("localhost:80", "http://localhost"),
        std::pair("localhost", "HTTP://LOCALHOST:80"), std::pair("[::1]:8080", "http://[::1]:8080"),
        std::pair("gpu1.example.com:8080", "http://gpu1.example.com:8080"),
        std::pair("proxy.example.com", "https://proxy.example.com"),
        std::pair("Proxy.example.com:443", "https://proxy.example.com"),
        std::pair("proxy.example.com:8443", "https://proxy.example.com:8443")}) {
    CAPTURE(host, origin);
    CHECK(from(host, origin) == 200);
  }
  for (const auto& [host, origin] : {std::pair("127.0.0.1:8080", "https://127.0.0.1:8080"),
                                     std::pair("localhost", "https://localhost"),
                                     std::pair("localhost:443", "https://localhost"),
                                     std::pair("localhost:8080", "http://127.0.0.1:8080"),
                                     std::pair("localhost:8080", "http://localhost"),
                                     std::pair("localhost:8080", "http://localhost:80"),
                                     std::pair("localhost:8080", "http://localhost.:8080"),
                                     std::pair("localhost:8080", "http://localhost:8080/"),
                                     std::pair("localhost:8080", "http://localhost:8080@evil.example"),
                                     std::pair("localhost:8080", "http://user@localhost:8080"),
                                     std::pair("localhost:8080", "localhost:8080"),
                                     std::pair("localhost:8080", "ws://localhost:8080"),
                                     std::pair("localhost:8080", "http://localhost:08080.x"),
                                     std::pair("[::1]:8080", "http://::1:8080"),
                                     std::pair("[::1]:8080", "http://[::1]"),
                                     std::pair("localhost", "null"),
                                     std::pair("localhost", "http://"),
                                     std::pair("localhost", "http://null"),
                                     std::pair("localhost", "http://localhost http://localhost"),
                                     std::pair("localhost", "file://localhost"),
                                     std::pair("gpu1.example.com", "https://gpu1.example.com"),
                                     std::pair("proxy.example.com:443", "http://proxy.example.com"),
                                     std::pair("proxy.example.com", "http://proxy.example.com")}) {
    CAPTURE(host, origin);
    CHECK(from(host, origin) == 403);
  }
}

TEST_CASE("page: only the page itself may write, and only JSON") {
  CHECK(status(as_post) == 200);
  const auto but = [](auto change) {
    return status([&](Caller& caller) {
      as_post(caller);
      change(caller);
    });
  };
  CHECK(but([](Caller& caller) { caller.origin.clear(); }) == 403);
  CHECK(but([](Caller& caller) { caller.origin = "http://evil.example"; }) == 403);
  CHECK(but([](Caller& caller) { caller.origin = "null"; }) == 403);
  CHECK(but([](Caller& caller) { caller.fetch_site = "cross-site"; }) == 403);
  CHECK(but([](Caller& caller) {
          caller.path = "/";
          caller.fetch_site = "cross-site";
        }) == 403);
  CHECK(but([](Caller& caller) { caller.content_type = "text/plain"; }) == 415);
  CHECK(but([](Caller& caller) { caller.content_type = "multipart/form-data; boundary=x"; }) == 415);
  CHECK(but([](Caller& caller) { caller.content_type = "application/json; charset=utf-8"; }) == 200);
  for (const auto* length : {"", "-1", "+2", "2, 2", "2 ", "0x2", "two"}) {
    CHECK(but([&](Caller& caller) { caller.content_length = length; }) == 411);
  }
  CHECK(but([](Caller& caller) { caller.transfer_encoding = "chunked"; }) == 411);
  CHECK(but([](Caller& caller) { caller.content_encoding = "identity"; }) == 200);
  CHECK(but([](Caller& caller) { caller.content_encoding = "gzip"; }) == 415);
  for (const auto* method : {"PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT", ""}) {
    CHECK(but([&](Caller& caller) { caller.method = method; }) == 405);
  }
}

TEST_CASE("page: with a token the database is readable only with the token") {
  const auto with = [](const std::string& authorization, const std::string& path) {
    return status(
        [&](Caller& caller) {
          caller.authorization = authorization;
          caller.path = path;
        },
        "a token");
  };
  for (const auto* path : {"/api/overview", "/api/findings/1", "/metrics"}) {
    CAPTURE(path);
    CHECK(with("Bearer a token", path) == 200);
    for (const auto* wrong :
         {"", "Bearer ", "Bearer a toke", "Bearer a tokens", "Bearer A token", "a token", "Basic a token"}) {
      CHECK(with(wrong, path) == 401);
    }
  }
  for (const auto* open : {"/", "/page.js", "/healthz"}) CHECK(with("", open) == 200);
}

}  // namespace parityd::agent
