// Tells a supervisor how the daemon is, by systemd's datagram protocol (sd_notify(3)); nothing here needs systemd, and
// without NOTIFY_SOCKET nothing is sent. One thread (the loop's).
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string>

#include "executor/confine/descriptor.h"
#include "executor/process/interest.h"

namespace parityd::agent {

/// What a supervisor says of itself in the environment.
struct Supervisor {
  std::string socket;                     // a path, or an abstract name after an @; empty: there is none
  std::chrono::microseconds watchdog{0};  // without a ping for so long it restarts us; 0: it does not watch
};

/// NOTIFY_SOCKET, WATCHDOG_USEC and, where it names somebody else, WATCHDOG_PID. They are taken out of the environment:
/// no child is to speak for us.
[[nodiscard]] Supervisor take_supervisor();

class ServiceNotify {
 public:
  /// What has to come round before a ping says that the daemon lives.
  enum class Part { loop, store, provider };

  explicit ServiceNotify(Supervisor supervisor = {});

  [[nodiscard]] bool active() const { return socket_.open(); }

  void ready();
  void reloading();  // ready() ends it
  void stopping();
  void status(const std::string& text);
  /// So much more time to start or to end.
  void extend(std::chrono::microseconds time);

  void ticked(Part part) { ticked_.at(static_cast<std::size_t>(part)) = true; }
  /// Pings if each part has ticked since the last ping and a third of the supervisor's patience is over.
  void ping_if_due(executor::TimePoint now);
  /// nullopt where nobody watches.
  [[nodiscard]] std::optional<executor::TimePoint> next_ping() const;

 private:
  void send(const std::string& text) const;

  Supervisor supervisor_;
  executor::Descriptor socket_;
  std::array<bool, 3> ticked_{};
  executor::TimePoint next_ping_{};
};

}  // namespace parityd::agent
