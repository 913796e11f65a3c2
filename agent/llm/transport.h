// Requests and answers over HTTP, and who carries them: sockets (http.h) or a cassette (cassette.h). One thread (the
// loop's).
#pragma once

#include <tl/expected.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
  /// `refused`: not sent at all, because the address is malformed, its scheme is not allowed, or no such answer was
  /// recorded.
  enum class Kind { connect, resolve, tls, timeout, too_large, truncated, refused, other } kind = Kind::other;
  std::string message;
  bool sent = false;  // the request may have reached the server
};

using TransferId = std::int64_t;

using HttpResult = tl::expected<HttpResponse, HttpError>;

class Transport {
 public:
  virtual ~Transport() = default;
  virtual TransferId start(HttpRequest request) = 0;
  virtual void cancel(TransferId id) = 0;
  /// What this transfer ended with, once; the redirect, the error page and the reply alike are responses.
  [[nodiscard]] virtual std::optional<HttpResult> take(TransferId id) = 0;
  /// A transfer has ended that nobody took yet: no socket will announce it.
  [[nodiscard]] virtual bool ready() const = 0;
};

}  // namespace parityd::agent
