// The daemon as a service: signals, supervisor, log file and reloads. The loop only knows this class. Without a log, a
// supervisor or a reload function the respective calls do nothing. The supervisor is notified by systemd's datagram
// protocol (sd_notify(3)); nothing here requires systemd. One thread (the loop's).
#pragma once

#include <tl/expected.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/daemon/loop/log_file.h"
#include "agent/daemon/loop/signals.h"
#include "executor/confine/descriptor.h"
#include "executor/process/interest.h"
#include "store/work/event_kind.h"

namespace parityd::agent {

/// What a supervisor announces in the environment.
struct Supervisor {
  std::string socket;                     // a path, or @ and an abstract name; empty: no supervisor
  std::chrono::microseconds watchdog{0};  // without a ping for this long it restarts us; 0: no watchdog
};

/// Reads NOTIFY_SOCKET, WATCHDOG_USEC and, to see whether it names another process, WATCHDOG_PID. Removes them from the
/// environment so that no child can notify on our behalf.
[[nodiscard]] Supervisor take_supervisor();

/// Result of a reload: keys of the configuration, as named in docs/configuration.md.
struct Reloaded {
  std::vector<std::string> changed;        // changed and applied
  std::vector<std::string> needs_restart;  // changed in the file, applied at the next start
};

/// An event from before the database was open.
struct StartNote {
  std::optional<store::EventKind> kind = {};  // nullopt: not an error, reported once
  std::string name = {};                      // name of an event without a kind
  std::string text;
};

class Service {
 public:
  /// Rereads the configuration and applies what can change; on an error nothing is applied.
  using Reload = std::function<tl::expected<Reloaded, std::string>()>;
  /// Parts that must make progress before the supervisor is notified that the daemon is alive.
  enum class Part { loop, store, provider };

  explicit Service(Supervisor supervisor = {});

  [[nodiscard]] bool supervised() const { return socket_.open(); }
  [[nodiscard]] const Signals& signals() const { return signals_; }
  [[nodiscard]] LogFile& log() { return log_; }
  void set_reload(Reload reload) { reload_ = std::move(reload); }
  /// For tests of the supervisor's reaction: after so many turns, the next one never ends. 0: off.
  void block_after(std::int64_t turns) { block_after_ = turns; }

  /// SIGHUP was received since the last call and a reload is possible.
  [[nodiscard]] bool reload_wanted() const { return signals_.take_hangup() && reload_ != nullptr; }
  [[nodiscard]] tl::expected<Reloaded, std::string> reload();

  void starting(const std::string& step);  // a step of startup, which may take a while
  void ready();
  void stopping();
  void ticked(Part part) { ticked_.at(static_cast<std::size_t>(part)) = true; }
  /// Call at the end of each turn. `status`: a line for the supervisor.
  void turn_ended(executor::TimePoint now, bool stopping, const std::function<std::string()>& status);
  /// When turn_ended() must be called at the latest.
  [[nodiscard]] std::optional<executor::TimePoint> next_deadline() const;

 private:
  void tell(const std::string& text) const;
  void tell_status(const std::string& text) const;
  /// Asks the supervisor for this much more time to start or stop.
  void ask_for(std::chrono::microseconds time) const;
  /// Pings if each part has ticked since the last ping and a third of the watchdog's time has passed.
  void ping_if_due(executor::TimePoint now);

  Signals signals_;
  LogFile log_;
  Supervisor supervisor_;
  executor::Descriptor socket_;
  Reload reload_;
  std::array<bool, 3> ticked_{};
  executor::TimePoint next_ping_{};
  std::int64_t block_after_ = 0;
  std::int64_t turns_ = 0;
  executor::TimePoint next_status_{};
  executor::TimePoint next_extension_{};
};

}  // namespace parityd::agent
