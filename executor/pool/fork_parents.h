// How many fork parents a group keeps: those it was given, and more while warm workers have nothing to do, so that no
// processor idles beside suspects that wait for their confirmation. Pure; one thread.
#pragma once

#include <chrono>
#include <optional>

#include "executor/process/interest.h"

namespace parityd::executor {

class ForkParents {
 public:
  /// `configured` of them, and up to as many as there are `warm_workers` while those idle.
  ForkParents(int configured, int warm_workers);

  /// `idle_places`: warm workers without a program, and none queued. `jobs`: fresh ones, running and queued.
  void observe(int idle_places, int jobs, TimePoint now);
  /// Fresh jobs that may be there at once.
  [[nodiscard]] int allowed() const { return configured_ + lent_; }
  /// Processes to keep. More than configured only once there are jobs for them, and for a while after.
  [[nodiscard]] int wanted() const { return wanted_; }
  /// When `observe` could find something new without a job that comes or ends.
  [[nodiscard]] std::optional<TimePoint> next() const;

 private:
  int configured_;
  int most_lent_;
  int lent_ = 0;
  int wanted_;
  std::optional<TimePoint> idle_since_;
  TimePoint needed_{};  // when as many as `wanted_` were of use for the last time
};

}  // namespace parityd::executor
