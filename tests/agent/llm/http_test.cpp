#include "agent/llm/http.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <map>

#include "agent/loopback_url.h"
#include "tests/agent/llm/stand_in.h"
#include "tests/catch.h"

using namespace parityd::agent;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

HttpRequest request(const std::string& url, const std::string& key = "") {
  HttpRequest asked{.url = url, .headers = {{"Content-Type", "application/json"}}};
  if (!key.empty()) {
    asked.headers.emplace_back("Authorization", "Bearer " + key);
  }
  asked.body = json{{"model", "m"}, {"max_tokens", 9}, {"messages", {{{"role", "user"}, {"content", "hello"}}}}}.dump();
  return asked;
}

HttpResult wait_for(HttpClient& client, TransferId id) {
  const auto last = std::chrono::steady_clock::now() + 200s;  // not so many turns: others' results end a wait at once
  EventLoop loop{&client};
  std::optional<HttpResult> result = client.pop_result(id);
  while (!result && std::chrono::steady_clock::now() < last) {
    loop.wait({}, 20ms);
    result = client.pop_result(id);
  }
  REQUIRE(result);
  return std::move(*result);
}

HttpResult fetch(HttpClient& client, HttpRequest asked) {
  const TransferId id = client.start(std::move(asked));
  return wait_for(client, id);
}

/// A port that nobody listens on while it lives.
struct ClosedPort {
  int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  ClosedPort() {
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    REQUIRE(bind(descriptor, reinterpret_cast<sockaddr*>(&address), size) == 0);
    REQUIRE(getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  }
  ~ClosedPort() { close(descriptor); }
  ClosedPort(const ClosedPort&) = delete;
  ClosedPort& operator=(const ClosedPort&) = delete;
  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/"; }
};

}  // namespace

TEST_CASE("an answer has status, lower-case header names and body") {
  const test::StandIn server(json::array({{{"reply", "hi"}, {"headers", {{"X-Request-Id", "r-1"}}}}}));
  HttpClient client;
  const auto result = fetch(client, request(server.chat_url()));
  REQUIRE(result);
  CHECK(result->status == 200);
  CHECK(result->header("x-request-id") == "r-1");
  CHECK_FALSE(result->header("retry-after"));
  CHECK(json::parse(result->body).at("choices").at(0).at("message").at("content") == "hi");
}

TEST_CASE("fault 31: a compressed answer is decompressed, and the cap applies to the decompressed size") {
  const test::StandIn server(json::array(
      {{{"body", "{\"a\": 1}"}, {"gzip", true}}, {{"body", "0123456789"}, {"gzip", true}, {"repeat", 300'000}}}));
  HttpClient client;
  CHECK(fetch(client, request(server.chat_url()))->body == "{\"a\": 1}");
  auto asked = request(server.chat_url());
  asked.body_cap = std::size_t{1} << 20;
  const auto result = fetch(client, std::move(asked));
  REQUIRE_FALSE(result);
  CHECK(result.error().kind == HttpError::Kind::too_large);
  CHECK(result.error().sent);
}

TEST_CASE("fault 30: a body cut at any point is not an answer") {
  const int cut = GENERATE(-1, 0, 1, 40);
  CAPTURE(cut);
  const test::StandIn server(json::array({{{"reply", "a program"}, {"cut", cut}}}));
  HttpClient client;
  const auto result = fetch(client, request(server.chat_url()));
  REQUIRE_FALSE(result);
  CHECK(result.error().kind == HttpError::Kind::truncated);
  CHECK(result.error().sent);
}

TEST_CASE("fault 30: a refused connection is reported at once as not sent") {
  const ClosedPort nobody;
  HttpClient client;
  const TransferId id = client.start(request(nobody.url()));
  EventLoop{&client}.wait({}, 60s);  // the test's own time limit is shorter
  CHECK(client.ready());
  const auto result = client.pop_result(id);
  REQUIRE(result);
  REQUIRE_FALSE(*result);
  CHECK(result->error().kind == HttpError::Kind::connect);
  CHECK_FALSE(result->error().sent);
  CHECK_FALSE(client.ready());
}

TEST_CASE("fault 31: no first byte in time and a body that never ends are different timeouts") {
  const test::StandIn server(json::array({{{"match", "hello"}, {"delay", 600}}, {{"reply", "slow"}, {"drip", 1}}}));
  HttpClient client;
  auto silent = request(server.chat_url());
  silent.first_byte_timeout = 3s;  // within which even a loaded machine has sent the request
  const auto first = fetch(client, std::move(silent));
  REQUIRE_FALSE(first);
  CHECK(first.error().kind == HttpError::Kind::timeout);
  CHECK(first.error().message.find("before the timeout") != std::string::npos);
  CHECK(first.error().sent);
  auto dripping = request(server.chat_url());
  dripping.total_timeout = 3s;
  const auto second = fetch(client, std::move(dripping));
  REQUIRE_FALSE(second);
  CHECK(second.error().kind == HttpError::Kind::timeout);
  CHECK(second.error().message.find("before the timeout") == std::string::npos);
}

TEST_CASE("a redirect is returned and not followed, so the key does not reach the other port") {
  const test::StandIn other(json::array({{{"reply", "stolen"}}}));
  const test::StandIn server(
      json::array({{{"status", 307}, {"headers", {{"Location", other.chat_url()}}}, {"body", ""}}}), "secret-key");
  HttpClient client;
  const auto result = fetch(client, request(server.chat_url(), "secret-key"));
  REQUIRE(result);
  CHECK(result->status == 307);
  CHECK(other.journal("request").empty());
  CHECK(server.journal("request").size() == 1);
}

TEST_CASE("plain http is limited to this machine unless it is allowed") {
  CHECK(is_loopback_url("http://127.0.0.1:80/v1"));
  CHECK(is_loopback_url("http://localhost/v1"));
  CHECK(is_loopback_url("http://[::1]:8080/v1"));
  CHECK_FALSE(is_loopback_url("http://127.0.0.1.example.com/v1"));
  CHECK_FALSE(is_loopback_url("http://127.example.com/v1"));
  CHECK_FALSE(is_loopback_url("http://localhost.example.com/v1"));
  CHECK_FALSE(is_loopback_url("http://localhost:80@example.com/v1"));
  CHECK_FALSE(is_loopback_url("not an address"));
  HttpClient client;
  for (const char* url : {"http://192.0.2.1/v1", "file:///etc/hostname", "http://"}) {
    const auto result = fetch(client, request(url));
    CAPTURE(url);
    REQUIRE_FALSE(result);
    CHECK(result.error().kind == HttpError::Kind::refused);
    CHECK_FALSE(result.error().sent);
  }
  auto allowed = request("http://192.0.2.1/v1");  // an address reserved for documents: nobody answers
  allowed.allow_http = true;
  allowed.connect_timeout = 50ms;
  const auto result = fetch(client, std::move(allowed));
  REQUIRE_FALSE(result);
  CHECK(result.error().kind != HttpError::Kind::refused);
  CHECK_FALSE(result.error().sent);
}

TEST_CASE("thirty-two concurrent transfers all return their own answers, and a cancelled one does not") {
  const test::StandIn server(json::array({{{"reply", "ok"}, {"times", 100}, {"delay", 0.05}}}));
  HttpClient client;
  std::vector<TransferId> ids;
  ids.reserve(33);
  for (int number = 0; number < 33; ++number) {
    ids.push_back(client.start(request(server.chat_url())));
  }
  client.cancel(ids.front());
  for (const TransferId id : ids) {
    if (id != ids.front()) {
      CHECK(wait_for(client, id).has_value());
    }
  }
  CHECK_FALSE(client.pop_result(ids.front()));
}

TEST_CASE("waiting ends when another descriptor becomes readable") {
  HttpClient client;
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  REQUIRE(write(ends[1], "x", 1) == 1);
  EventLoop{&client}.wait({{.descriptor = ends[0], .read = true}}, 60s);  // the test's own time limit is shorter
  close(ends[0]);
  close(ends[1]);
  SUCCEED("the wait ended");
}

TEST_CASE("a wait with nothing to wait for lasts for the requested time") {
  HttpClient client;
  const auto began = std::chrono::steady_clock::now();
  EventLoop{&client}.wait({}, 20ms);
  CHECK(std::chrono::steady_clock::now() - began >= 20ms);
}
