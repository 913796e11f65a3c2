// HTTP over libcurl multi: the daemon's one place to wait. Owns every easy handle; one thread (the loop's).
#pragma once

#include <tl/expected.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "executor/interest.h"

namespace parityd::agent {

struct HttpRequest {
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;         // of a POST
  bool get = false;         // a GET, without body
  bool allow_http = false;  // plain http to another machine; to this one it is always allowed
  std::chrono::milliseconds connect_timeout{5'000};
  std::chrono::milliseconds first_byte_timeout{120'000};
  std::chrono::milliseconds total_timeout{600'000};
  std::size_t body_cap = std::size_t{8} << 20;  // decoded bytes
};

struct HttpResponse {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;
  std::chrono::milliseconds elapsed{0};
  [[nodiscard]] std::optional<std::string> header(std::string_view name) const;
};

struct HttpError {
  /// `refused`: not sent at all, because the address is malformed or its scheme is not allowed.
  enum class Kind { connect, resolve, tls, timeout, too_large, truncated, refused, other } kind = Kind::other;
  std::string message;
  bool sent = false;  // the request may have reached the server
};

using TransferId = std::int64_t;

/// Whether the address names this machine by a loopback name or number. A prefix would not do: "localhost.example.com".
[[nodiscard]] bool is_loopback_url(const std::string& url);

class HttpClient {
 public:
  HttpClient();
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  TransferId start(HttpRequest request);
  void cancel(TransferId id);
  /// What ended since the last call; the redirect, the error page and the reply alike are responses.
  [[nodiscard]] std::vector<std::pair<TransferId, tl::expected<HttpResponse, HttpError>>> take_completed();

  /// Waits at most `timeout` for API sockets, `interests` and wake_up() together (curl_multi_poll), then moves
  /// transfers on.
  void wait(const std::vector<executor::Interest>& interests, std::chrono::milliseconds timeout);
  void wake_up();  // from any thread or a signal handler's pipe reader

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace parityd::agent
