// The one place to wait: for descriptors that each wait names anew, and for sources that have descriptors of their own
// (HTTP's transfers). One thread.
#pragma once

#include <chrono>
#include <initializer_list>
#include <optional>
#include <vector>

#include "executor/process/interest.h"

namespace parityd::agent {

/// Whoever the loop moves on by itself.
class LoopSource {
 public:
  virtual ~LoopSource() = default;
  /// Readable while there is something to do; -1: there is nothing to wait for.
  [[nodiscard]] virtual int descriptor() const = 0;
  /// When there is something to do that no descriptor announces; nothing: never.
  [[nodiscard]] virtual std::optional<executor::TimePoint> next_deadline() const = 0;
  /// Does what is due. Does not wait.
  virtual void service(executor::TimePoint now) = 0;
};

class EventLoop {
 public:
  /// `sources` are served in each wait. REQUIRES: they outlive the last one.
  EventLoop(std::initializer_list<LoopSource*> sources = {}) : sources_(sources) {}
  /// Until an interest or a source has something, at most `timeout`; sources are served before and after. What the
  /// interests have is their owners' to read.
  void wait(const std::vector<executor::Interest>& interests, std::chrono::milliseconds timeout);

 private:
  executor::InterestSet interests_;
  std::vector<LoopSource*> sources_;
};

}  // namespace parityd::agent
