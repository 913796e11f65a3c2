// HTTP over libcurl multi: the daemon's one place to wait. Owns every easy handle; one thread (the loop's).
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/llm/transport.h"
#include "executor/process/interest.h"

namespace parityd::agent {

class HttpClient : public Transport {
 public:
  HttpClient();
  ~HttpClient() override;
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  TransferId start(HttpRequest request) override;
  void cancel(TransferId id) override;
  [[nodiscard]] std::optional<HttpResult> take(TransferId id) override;
  [[nodiscard]] bool ready() const override;

  /// Waits at most `timeout` for API sockets and `interests` together, then moves on the transfers whose sockets have
  /// something (curl_multi_socket_action): hundreds that wait for their answers cost nothing.
  void wait(const std::vector<executor::Interest>& interests, std::chrono::milliseconds timeout);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace parityd::agent
