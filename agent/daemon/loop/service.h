// The daemon as a service: what the system around it is told, and what it asks. Signals, the supervisor, the log file
// and reloads meet here; the daemon's loop knows this class alone. Without a log, a supervisor or a way to reload it
// does nothing of that. A supervisor is told by systemd's datagram protocol (sd_notify(3)); nothing here needs systemd.
// One thread (the loop's).
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

/// What a supervisor says of itself in the environment.
struct Supervisor {
  std::string socket;                     // a path, or an abstract name after an @; empty: there is none
  std::chrono::microseconds watchdog{0};  // without a ping for so long it restarts us; 0: it does not watch
};

/// NOTIFY_SOCKET, WATCHDOG_USEC and, where it names somebody else, WATCHDOG_PID. They are taken out of the environment:
/// no child is to speak for us.
[[nodiscard]] Supervisor take_supervisor();

/// What a reload came to: keys of the configuration, as docs/configuration.md names them.
struct Reloaded {
  std::vector<std::string> changed;        // and in force now
  std::vector<std::string> needs_restart;  // changed in the file, and in force from the next start
};

/// Something that happened before the database was open.
struct StartNote {
  std::optional<store::EventKind> kind = {};  // none: told once, and no fault
  std::string name = {};                      // of the event where there is no kind
  std::string text;
};

class Service {
 public:
  /// Reads the configuration anew and takes over what can change; the error says why nothing was.
  using Reload = std::function<tl::expected<Reloaded, std::string>()>;
  /// What has to come round before the supervisor is told that the daemon lives.
  enum class Part { loop, store, provider };

  explicit Service(Supervisor supervisor = {});

  [[nodiscard]] bool supervised() const { return socket_.open(); }
  [[nodiscard]] const Signals& signals() const { return signals_; }
  [[nodiscard]] LogFile& log() { return log_; }
  void set_reload(Reload reload) { reload_ = std::move(reload); }
  /// For tests of what a supervisor does then: so many turns go by, the next one does not end. 0: never.
  void block_after(std::int64_t turns) { block_after_ = turns; }

  /// Asked for by SIGHUP since the last call, and possible.
  [[nodiscard]] bool reload_wanted() const { return signals_.take_hangup() && reload_ != nullptr; }
  [[nodiscard]] tl::expected<Reloaded, std::string> reload();

  void starting(const std::string& step);  // of the start: it may take a while
  void ready();
  void stopping();
  void ticked(Part part) { ticked_.at(static_cast<std::size_t>(part)) = true; }
  /// At the end of each turn. `status`: a line for whoever asks the supervisor.
  void turn_ended(executor::TimePoint now, bool stopping, const std::function<std::string()>& status);
  /// When turn_ended() is due at the latest.
  [[nodiscard]] std::optional<executor::TimePoint> next_deadline() const;

 private:
  void tell(const std::string& text) const;
  void tell_status(const std::string& text) const;
  /// So much more time to start or to end.
  void ask_for(std::chrono::microseconds time) const;
  /// If each part has ticked since the last ping and a third of the supervisor's patience is over.
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
