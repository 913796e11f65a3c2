// HTTP requests and responses, and the interface that carries them: sockets (http.h) or a cassette (cassette.h). One
// thread (the loop's).
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
  std::string body;         // body of a POST
  bool get = false;         // send a GET without body
  bool allow_http = false;  // allow plain http to another machine; always allowed to this one
  std::chrono::milliseconds connect_timeout{5'000};
  std::chrono::milliseconds first_byte_timeout{120'000};
  std::chrono::milliseconds total_timeout{600'000};
  std::size_t body_cap = std::size_t{8} << 20;  // limit in decoded bytes
};

struct HttpResponse {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;  // header names in lower case
  std::string body;
  std::chrono::milliseconds elapsed{0};
  [[nodiscard]] std::optional<std::string> header(std::string_view name) const;
};

struct HttpError {
  /// `refused`: not sent, because the URL is malformed, its scheme is not allowed, or the cassette has no such request.
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
  /// The transfer's result, handed out once; nullopt while it runs. Redirects, error pages and replies are all
  /// responses.
  [[nodiscard]] virtual std::optional<HttpResult> pop_result(TransferId id) = 0;
  /// Whether a transfer has ended whose result was not taken yet; no socket announces it.
  [[nodiscard]] virtual bool ready() const = 0;
};

}  // namespace parityd::agent
