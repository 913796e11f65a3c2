// When workers may be started: a broken installation must not make a storm of processes. Pure; time is an argument.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "executor/process/interest.h"

namespace parityd::executor {

class StartGate {
 public:
  /// A worker ended before it was primed. The second in a row closes the gate but for one try a minute.
  void start_failed(std::string why, TimePoint now);
  /// A worker ended by itself with nothing to do: the next start waits, longer each time.
  void died_idle(TimePoint now);
  void primed();
  /// The device must not be used: closed but for one try a minute, until a worker is primed.
  void park(std::string why, TimePoint now);
  [[nodiscard]] std::optional<std::string> parked() const { return parked_ ? std::optional(why_) : std::nullopt; }
  void job_done() { idle_deaths_ = 0; }

  [[nodiscard]] bool open(TimePoint now) const { return now >= next_; }
  /// Call after a start. While broken one start uses the try up.
  void started(TimePoint now);
  [[nodiscard]] TimePoint next() const { return next_; }
  [[nodiscard]] std::optional<std::string> broken() const;

 private:
  int failures_ = 0;
  int idle_deaths_ = 0;
  bool parked_ = false;
  std::string why_;
  TimePoint next_{};
};

}  // namespace parityd::executor
