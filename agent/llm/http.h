// HTTP over libcurl's multi interface, serviced by the event loop. Owns every easy handle; one thread (the loop's).
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
  [[nodiscard]] std::optional<HttpResult> pop_result(TransferId id) override;
  [[nodiscard]] bool ready() const override;

  /// One descriptor for all sockets.
  [[nodiscard]] int descriptor() const override;
  [[nodiscard]] std::optional<executor::TimePoint> next_deadline() const override;
  /// Advances the transfers whose sockets are ready (curl_multi_socket_action), so hundreds of waiting transfers cost
  /// nothing.
  void poll(executor::TimePoint now) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace parityd::agent
