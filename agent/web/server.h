// The page's HTTP server: a few threads that answer one request per connection, each within seconds. They read the
// database over their own connections and write only to `requests`; the daemon's loop never waits for them, and they
// end with it.
#pragma once

#include <tl/expected.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "agent/config.h"
#include "agent/llm/secret.h"

namespace parityd::agent {

/// A request that passed the access rules (access.h).
struct PageRequest {
  std::string method, path;
  std::multimap<std::string, std::string> parameters;  // query parameters
  std::string body;
  std::string client;  // the client's address
};

struct PageAnswer {
  int status = 200;
  std::string type = "application/json";
  std::string body;
};

/// Called by several threads at once. Exceptions become status 500, a StoreError status 503.
using PageHandler = std::function<PageAnswer(const PageRequest&)>;

struct ServerLimits {
  int threads = 4;
  std::size_t waiting = 32;                    // waiting connections; further ones get status 503
  std::chrono::milliseconds patience{10'000};  // for a request and its answer together
  std::size_t request_bytes = std::size_t{64} * 1024;
  /// Delay for each wrong token; applied one after another to all clients together.
  std::chrono::milliseconds wrong_token{100};
};

class PageServer {
 public:
  /// Starts listening. The error says where it cannot listen, and the remedy.
  [[nodiscard]] static tl::expected<std::unique_ptr<PageServer>, std::string> start(const WebConfig& config,
                                                                                    Secret token, PageHandler handler,
                                                                                    ServerLimits limits = {});
  /// Ends within milliseconds, the time that answers being written take to notice.
  ~PageServer();
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;

  /// "http://127.0.0.1:8080"
  [[nodiscard]] const std::string& address() const;

 private:
  struct State;
  explicit PageServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace parityd::agent
