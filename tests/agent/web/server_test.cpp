// The page's server over real sockets: what it sends, what it refuses, that nobody can hold it.
#include "agent/web/server.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>
#include <zlib.h>

#include <atomic>
#include <chrono>
#include <fstream>
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

/// 50 MB of blanks. `window`: 15 for deflate, 31 for gzip.
std::string packed(int window) {
  std::string text;
  text.resize(50'000'000, ' ');
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, window, 9, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string bytes(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  return bytes;
}

/// The most memory that this process has had since `reset`.
struct PeakMemory {
  static void reset() { std::ofstream("/proc/self/clear_refs") << "5"; }
  static long kilobytes() {
    std::ifstream lines("/proc/self/status");
    for (std::string word; lines >> word;) {
      if (word == "VmHWM:") {
        long value = 0;
        lines >> value;
        return value;
      }
    }
    return -1;
  }
};

/// A body of unknown length, in one chunk.
std::string post_chunked(int port, const std::string& body, const std::string& more) {
  return ask(port, fmt::format("POST /api/triage HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{}\r\n{:x}\r\n{}\r\n0\r\n\r\n", port,
                               more, body.size(), body));
}

std::string own_origin(int port) {
  return fmt::format("Origin: http://127.0.0.1:{}\r\nContent-Type: application/json\r\n", port);
}

}  // namespace

TEST_CASE("server: an answer forbids framing, sniffing, referrers and foreign scripts") {
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

TEST_CASE("server: an unchanged answer is not sent again") {
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

TEST_CASE("server: foreign requests are refused before they are read") {
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

TEST_CASE("server: a body is read only where the page writes, up to a cap") {
  const auto server = started(echo);
  const int port = port_of(*server);
  CHECK(body_of(post(port, "/api/triage", "{\"a\":1}", own_origin(port))) == "POST /api/triage {\"a\":1}");
  CHECK(status_of(post(port, "/api/elsewhere", "{}", own_origin(port))) == 404);
  CHECK(status_of(post(port, "/api/triage", std::string(70'000, ' '), own_origin(port))) == 413);
}

TEST_CASE("server: a compressed body is refused before it is decompressed") {
  std::atomic<int> handled = 0;
  const auto server = started([&](const PageRequest& request) {
    ++handled;
    return PageAnswer{.body = std::to_string(request.body.size())};
  });
  const int port = port_of(*server);
  const std::string gzip = packed(31), deflated = packed(15);
  REQUIRE(gzip.size() < ServerLimits{}.request_bytes);
  PeakMemory::reset();
  const long before = PeakMemory::kilobytes();
  const auto sent = [&](const std::string& body, const std::string& headers) {
    CAPTURE(headers);
    return status_of(post(port, "/api/triage", body, own_origin(port) + headers));
  };
  for (const auto* const coding : {"gzip", "GZIP", "x-gzip", "identity, gzip", "gzip, gzip", "br", "zstd"}) {
    CHECK(sent(gzip, fmt::format("Content-Encoding: {}\r\n", coding)) == 415);
  }
  CHECK(sent(deflated, "Content-Encoding: deflate\r\n") == 415);
  CHECK(sent(gzip, "Content-Encoding: gzip\r\nContent-Encoding: identity\r\n") == 415);
  CHECK(sent(gzip, "Content-Encoding: identity\r\nContent-Encoding: gzip\r\n") == 415);
  CHECK(status_of(get(port, "/api/x", "Content-Encoding: gzip\r\n")) == 415);
  CHECK(handled == 0);
  CHECK(PeakMemory::kilobytes() - before < 30'000);
  CHECK(body_of(post(port, "/api/triage", "{}", own_origin(port) + "Content-Encoding: identity\r\n")) == "2");
}

TEST_CASE("server: a body has exactly one length, given before it") {
  std::atomic<int> handled = 0;
  const auto server = started([&](const PageRequest&) {
    ++handled;
    return PageAnswer{};
  });
  const int port = port_of(*server);
  const std::string gzip = packed(31);
  for (const auto* const coding : {"chunked", "gzip, chunked", "identity", "CHUNKED"}) {
    const auto header = fmt::format("Transfer-Encoding: {}\r\n", coding);
    CAPTURE(header);
    CHECK(status_of(post_chunked(port, "{}", own_origin(port) + header)) == 411);
    CHECK(status_of(post(port, "/api/triage", "{}", own_origin(port) + header)) == 411);
    CHECK(status_of(post_chunked(port, gzip, own_origin(port) + header + "Content-Encoding: gzip\r\n")) == 415);
  }
  for (const auto* const length : {"", "Content-Length: 2\r\nContent-Length: 1\r\n", "Content-Length: -2\r\n",
                                   "Content-Length: 0x2\r\n", "Content-Length: 2, 2\r\n"}) {
    CAPTURE(length);
    CHECK(status_of(ask(port, fmt::format("POST /api/triage HTTP/1.1\r\nHost: 127.0.0.1\r\n{}{}\r\n{{}}",
                                          "Origin: http://127.0.0.1\r\nContent-Type: application/json\r\n", length))) ==
          411);
  }
  CHECK(handled == 0);
}

TEST_CASE("server: a page with another scheme, port or name is another site") {
  const auto server = started(echo);
  const int port = port_of(*server);
  const auto from = [&](const std::string& host, const std::string& headers) {
    return status_of(ask(port, fmt::format("POST /api/triage HTTP/1.1\r\nHost: {}\r\n{}Content-Type: application/json"
                                           "\r\nContent-Length: 2\r\n\r\n{{}}",
                                           host, headers)));
  };
  const std::string own = fmt::format("127.0.0.1:{}", port);
  CHECK(from(own, "Origin: http://" + own + "\r\n") == 200);
  CHECK(from("localhost", "Origin: http://localhost\r\n") == 200);
  CHECK(from(own, "Origin: https://" + own + "\r\n") == 403);
  CHECK(from("localhost", "Origin: https://localhost\r\n") == 403);  // another server, at port 443
  CHECK(from(own, "Origin: http://127.0.0.1\r\n") == 403);
  CHECK(from(own, "Origin: null\r\n") == 403);
  CHECK(from(own, "Sec-Fetch-Site: same-origin\r\n") == 403);
  CHECK(from(own, fmt::format("Origin: http://{0}\r\nOrigin: http://evil.example\r\n", own)) == 403);
  CHECK(from(own, fmt::format("Origin: http://{0}\r\nSec-Fetch-Site: cross-site\r\n", own)) == 403);
  CHECK(from("127.0.0.1:@evil.example", "Origin: http://127.0.0.1:@evil.example\r\n") == 403);
  CHECK(from("[::1].evil.example", "Origin: http://[::1].evil.example\r\n") == 403);
}

TEST_CASE("server: a malformed request ends alone and the next is answered") {
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

TEST_CASE("server: several ranges of an answer are ignored") {
  const auto server = started([](const PageRequest&) { return PageAnswer{.body = std::string(50'000, 'x')}; });
  std::string ranges = "Range: bytes=0-";
  for (int number = 0; number < 500; ++number) ranges += ",0-";
  const auto answer = get(port_of(*server), "/a", ranges + "\r\n");
  CHECK(status_of(answer) == 200);
  CHECK(body_of(answer).size() == 50'000);
}

TEST_CASE("server: an exception of the handler becomes an answer") {
  const auto server = started(echo);
  const auto answer = get(port_of(*server), "/throws");
  CHECK(status_of(answer) == 500);
  CHECK(body_of(answer) == R"({"error":"a reason"})");
}

TEST_CASE("server: a silent client occupies a thread no longer than the time limit") {
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

TEST_CASE("server: it ends although clients are silent") {
  auto server = started(echo, {.threads = 2, .patience = 24h});
  std::vector<executor::Descriptor> silent;
  silent.reserve(5);
  for (int number = 0; number < 5; ++number) silent.push_back(connect_to(port_of(*server)));
  server.reset();
  for (const auto& each : silent) CHECK(hear(each).find("200 OK") == std::string::npos);
}

TEST_CASE("server: wrong tokens are delayed one after another without delaying others") {
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

TEST_CASE("server: a connection over the limit is refused at once") {
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

TEST_CASE("server: a port in use is reported with a way out") {
  const auto server = started(echo);
  const auto second = PageServer::start({.host = "127.0.0.1", .port = port_of(*server)}, Secret(), PageHandler(echo));
  REQUIRE_FALSE(second);
  CHECK(second.error().find("web.listen: cannot listen on 127.0.0.1 port") == 0);
  CHECK(second.error().find("in use") != std::string::npos);
}

TEST_CASE("server: signal handling is unchanged") {
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
