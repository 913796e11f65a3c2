// The page's HTTP server: a few threads that answer one request a connection, each within seconds. They read the
// database through connections of their own and write only `requests`; the daemon's loop never waits for them, and they
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

/// A request that may be answered (access.h).
struct PageRequest {
  std::string method, path;
  std::multimap<std::string, std::string> parameters;  // of the query
  std::string body;
  std::string client;  // its address
};

struct PageAnswer {
  int status = 200;
  std::string type = "application/json";
  std::string body;
};

/// Called by several threads at once. What it throws becomes status 500 or, a StoreError, 503.
using PageHandler = std::function<PageAnswer(const PageRequest&)>;

struct ServerLimits {
  int threads = 4;
  std::size_t waiting = 32;                    // connections; further ones get status 503
  std::chrono::milliseconds patience{10'000};  // for a whole request and its answer
  std::size_t request_bytes = std::size_t{64} * 1024;
  std::chrono::milliseconds wrong_token{100};  // what each one costs; one after another, whoever sends them
};

class PageServer {
 public:
  /// Listens from now on. The error says where it cannot, and the way out.
  [[nodiscard]] static tl::expected<std::unique_ptr<PageServer>, std::string> start(const WebConfig& config,
                                                                                    Secret token, PageHandler handler,
                                                                                    ServerLimits limits = {});
  /// Ends within the time that answers being written take to notice: milliseconds.
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
