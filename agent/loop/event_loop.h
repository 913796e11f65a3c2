// The only place that waits: for descriptors passed to each wait, and for sources that have descriptors of their own
// (HTTP transfers). One thread.
#pragma once

#include <chrono>
#include <initializer_list>
#include <optional>
#include <vector>

#include "executor/process/interest.h"

namespace parityd::agent {

/// Something that the loop services.
class LoopSource {
 public:
  virtual ~LoopSource() = default;
  /// Readable while there is something to do; -1: nothing to wait for.
  [[nodiscard]] virtual int descriptor() const = 0;
  /// When there is something to do that no descriptor announces; nullopt: never.
  [[nodiscard]] virtual std::optional<executor::TimePoint> next_deadline() const = 0;
  /// Does what is due. Does not wait.
  virtual void poll(executor::TimePoint now) = 0;
};

class EventLoop {
 public:
  /// `sources` are serviced in each wait. REQUIRES: they outlive the last wait.
  EventLoop(std::initializer_list<LoopSource*> sources = {}) : sources_(sources) {}
  /// Waits until an interest or a source is ready, at most `timeout`; sources are serviced before and after. Reading
  /// from ready interests is up to their owners.
  void wait(const std::vector<executor::Interest>& interests, std::chrono::milliseconds timeout);

 private:
  executor::InterestSet interests_;
  std::vector<LoopSource*> sources_;
};

}  // namespace parityd::agent
