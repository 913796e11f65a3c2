// HTTP over libcurl multi, moved on by the event loop it is added to. Owns every easy handle; one thread (the loop's).
#pragma once

#include <memory>
#include <optional>

#include "agent/llm/transport.h"
#include "agent/loop/event_loop.h"

namespace parityd::agent {

class HttpClient : public Transport, public LoopSource {
 public:
  HttpClient();
  ~HttpClient() override;
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  TransferId start(HttpRequest request) override;
  void cancel(TransferId id) override;
  [[nodiscard]] std::optional<HttpResult> take(TransferId id) override;
  [[nodiscard]] bool ready() const override;

  /// All sockets as one.
  [[nodiscard]] int descriptor() const override;
  [[nodiscard]] std::optional<executor::TimePoint> next_deadline() const override;
  /// Moves on the transfers whose sockets have something (curl_multi_socket_action): hundreds that wait for their
  /// answers cost nothing.
  void service(executor::TimePoint now) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace parityd::agent
