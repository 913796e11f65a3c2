// The page's server over real sockets: what it sends, what it refuses, that nobody can hold it.
#include "agent/web/server.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "client.h"
#include "tests/catch.h"

namespace parityd::agent {
namespace {

using namespace parityd::tests;
using namespace std::chrono_literals;
using Server = std::unique_ptr<PageServer>;

/// On a machine that is busy with something else an answer may take its time.
constexpr ServerLimits kPatient{.patience = 120s};

Server started(PageHandler handler, ServerLimits limits = kPatient, std::string token = "") {
  auto server = PageServer::start({.host = "127.0.0.1"}, Secret(std::move(token)), std::move(handler), limits);
  REQUIRE(server);
  return std::move(*server);
}

PageAnswer echo(const PageRequest& request) {
  if (request.path == "/throws") throw std::runtime_error("a reason");
  return {.body = request.method + " " + request.path + " " + request.body};
}

std::string own_origin(int port) {
  return fmt::format("Origin: http://127.0.0.1:{}\r\nContent-Type: application/json\r\n", port);
}

}  // namespace

TEST_CASE("server: an answer forbids framing, sniffing, referrers and every script but the page's own") {
  const auto server = started(echo);
  const auto answer = get(port_of(*server), "/here");
  CHECK(status_of(answer) == 200);
  CHECK(body_of(answer) == "GET /here ");
  for (const auto* header : {"Content-Security-Policy: default-src 'none'; script-src 'self'", "frame-ancestors 'none'",
                             "require-trusted-types-for 'script'", "X-Content-Type-Options: nosniff",
                             "X-Frame-Options: DENY", "Referrer-Policy: no-referrer", "Connection: close"}) {
    CAPTURE(header);
    CHECK(answer.find(header) != std::string::npos);
  }
  CHECK(answer.find("unsafe") == std::string::npos);
  CHECK(answer.find("Cache-Control: no-cache") != std::string::npos);
  CHECK(get(port_of(*server), "/api/here").find("Cache-Control: no-store") != std::string::npos);
  CHECK(answer.find("Access-Control") == std::string::npos);
}

TEST_CASE("server: what has not changed is not sent again") {
  const auto server = started(echo);
  const auto first = get(port_of(*server), "/a");
  const auto tag = first.find("ETag: ");
  REQUIRE(tag != std::string::npos);
  const auto value = first.substr(tag + 6, first.find("\r\n", tag) - tag - 6);
  const auto again = get(port_of(*server), "/a", "If-None-Match: " + value + "\r\n");
  CHECK(status_of(again) == 304);
  CHECK(body_of(again).empty());
  CHECK(status_of(get(port_of(*server), "/b", "If-None-Match: " + value + "\r\n")) == 200);
}

TEST_CASE("server: strangers are refused before their request is read") {
  const auto server = started(echo);
  const int port = port_of(*server);
  CHECK(status_of(ask(port, "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n")) == 403);
  CHECK(status_of(ask(port, "GET / HTTP/1.1\r\n\r\n")) == 400);
  CHECK(status_of(post(port, "/api/triage", "{}", "Content-Type: application/json\r\n")) == 403);
  CHECK(status_of(post(port, "/api/triage", std::string(1'000'000, 'x'), "Origin: http://evil.example\r\n")) == 403);
  CHECK(status_of(ask(port, fmt::format("DELETE /api/findings/1 HTTP/1.1\r\nHost: localhost:{}\r\n\r\n", port))) ==
        405);
  const auto closed = started(echo, kPatient, "secret");
  CHECK(status_of(get(port_of(*closed), "/api/x")) == 401);
  CHECK(status_of(get(port_of(*closed), "/api/x", "Authorization: Bearer secret\r\n")) == 200);
}

TEST_CASE("server: a body is read where the page writes, up to a cap") {
  const auto server = started(echo);
  const int port = port_of(*server);
  CHECK(body_of(post(port, "/api/triage", "{\"a\":1}", own_origin(port))) == "POST /api/triage {\"a\":1}");
  CHECK(status_of(post(port, "/api/elsewhere", "{}", own_origin(port))) == 404);
  CHECK(status_of(post(port, "/api/triage", std::string(70'000, ' '), own_origin(port))) == 413);
}

TEST_CASE("server: a request that makes no sense ends by itself, and the next is answered") {
  const auto server = started(echo);
  const int port = port_of(*server);
  for (const std::string& bytes :
       {std::string("\r\n\r\n"), std::string("GET\r\n\r\n"), std::string("GET / HTTP/9.9\r\n\r\n"),
        std::string(4096, '\0') + "\r\n\r\n",
        "GET /" + std::string(20'000, 'a') + " HTTP/1.1\r\nHost: localhost\r\n\r\n",
        std::string("GET /%zz%00 HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        std::string("GET /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n"),
        std::string("GET /a HTTP/1.1\r\nHost: localhost\r\nRange: bytes=0-,0-,0-,5-1\r\n\r\n"),
        "GET /a HTTP/1.1\r\nHost: localhost\r\n" + std::string(90'000, 'h') + "\r\n\r\n"}) {
    const auto answer = ask(port, bytes);
    CHECK(answer.size() < 10'000);
  }
  CHECK(status_of(get(port, "/a")) == 200);
}

TEST_CASE("server: many ranges of an answer are none") {
  const auto server = started([](const PageRequest&) { return PageAnswer{.body = std::string(50'000, 'x')}; });
  std::string ranges = "Range: bytes=0-";
  for (int number = 0; number < 500; ++number) ranges += ",0-";
  const auto answer = get(port_of(*server), "/a", ranges + "\r\n");
  CHECK(status_of(answer) == 200);
  CHECK(body_of(answer).size() == 50'000);
}

TEST_CASE("server: what the handler throws is an answer") {
  const auto server = started(echo);
  const auto answer = get(port_of(*server), "/throws");
  CHECK(status_of(answer) == 500);
  CHECK(body_of(answer) == R"({"error":"a reason"})");
}

TEST_CASE("server: a client that says nothing holds it no longer than its patience") {
  const auto server = started(echo, {.threads = 1, .patience = 200ms});
  const auto silent = connect_to(port_of(*server));
  const auto slow = connect_to(port_of(*server));
  say(slow, "GET /a HTTP/1.1\r\nHost: loc");
  // So little patience may be too little for this request, too, where the machine is busy.
  int status = 0;
  for (int attempt = 0; attempt < 300 && status != 200; ++attempt) status = status_of(get(port_of(*server), "/a"));
  CHECK(status == 200);
  CHECK(hear(silent).find("200 OK") == std::string::npos);
  CHECK(hear(slow).find("200 OK") == std::string::npos);
}

TEST_CASE("server: it ends while clients say nothing") {
  auto server = started(echo, {.threads = 2, .patience = 24h});
  std::vector<executor::Descriptor> silent;
  silent.reserve(5);
  for (int number = 0; number < 5; ++number) silent.push_back(connect_to(port_of(*server)));
  server.reset();
  for (const auto& each : silent) CHECK(hear(each).find("200 OK") == std::string::npos);
}

TEST_CASE("server: wrong tokens cost time, one after another, and nobody else's") {
  auto server = started(echo, {.threads = 4, .patience = 120s, .wrong_token = 24h}, "right");
  const int port = port_of(*server);
  const auto with = [](const std::string& token) { return "Authorization: Bearer " + token + "\r\n"; };
  std::vector<executor::Descriptor> wrong;
  wrong.reserve(2);
  for (const char* const token : {"wrong", "rights"}) {
    wrong.push_back(connect_to(port));
    say(wrong.back(), "GET /api/a HTTP/1.1\r\nHost: 127.0.0.1\r\n" + with(token) + "\r\n");
  }
  CHECK(status_of(get(port, "/api/a")) == 401);  // whoever says none asks for none
  for (int number = 0; number < 5; ++number) CHECK(status_of(get(port, "/api/a", with("right"))) == 200);
  for (const auto& each : wrong) {
    char unused = 0;
    CHECK(recv(each.number(), &unused, 1, MSG_DONTWAIT) == -1);
  }
  server.reset();  // waits for none of them
  for (const auto& each : wrong) CHECK(hear(each).find("200 OK") == std::string::npos);
}

TEST_CASE("server: one connection too many is told so at once") {
  const auto server = started(echo, {.threads = 1, .waiting = 2, .patience = 24h});
  std::vector<executor::Descriptor> silent;
  silent.reserve(63);
  for (int number = 0; number < 3; ++number) silent.push_back(connect_to(port_of(*server)));
  // The thread takes one of them sooner or later, which leaves room for another; the server may be slow to accept.
  int status = 0;
  for (int number = 0; number < 60 && status == 0; ++number) {
    auto next = connect_to(port_of(*server));
    timeval second{.tv_sec = 1};
    setsockopt(next.number(), SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second);
    status = status_of(hear(next));
    silent.push_back(std::move(next));
  }
  CHECK(status == 503);
}

TEST_CASE("server: a port that is taken is said with the way out") {
  const auto server = started(echo);
  const auto second = PageServer::start({.host = "127.0.0.1", .port = port_of(*server)}, Secret(), PageHandler(echo));
  REQUIRE_FALSE(second);
  CHECK(second.error().find("web.listen: cannot listen at 127.0.0.1 port") == 0);
  CHECK(second.error().find("in use") != std::string::npos);
}

TEST_CASE("server: signals stay as they were") {
  struct sigaction before {
  }, after{};
  sigset_t mask_before, mask_after;
  sigaction(SIGPIPE, nullptr, &before);
  pthread_sigmask(SIG_SETMASK, nullptr, &mask_before);
  const auto server = started(echo);
  sigaction(SIGPIPE, nullptr, &after);
  pthread_sigmask(SIG_SETMASK, nullptr, &mask_after);
  CHECK(before.sa_handler == after.sa_handler);
  CHECK(sigismember(&mask_before, SIGTERM) == sigismember(&mask_after, SIGTERM));
}

}  // namespace parityd::agent
