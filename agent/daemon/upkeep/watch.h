// The daemon about itself: what became of workers and devices, where their time went, how well parityd does. One thread
// (the loop's), inside its transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/daemon/loop/turn.h"

namespace parityd::agent {

class Watch {
 public:
  explicit Watch(Turn& turn) : turn_(turn) {}

  /// Tells what happened to workers. Returns groups whose workers have another torch, Python or device than before.
  [[nodiscard]] std::vector<executor::GroupIndex> service();
  /// Counts what was not counted yet: before the end.
  void end();

  /// Why no worker will ever run; nothing while one may. Raises and ends the alarm of no worker.
  [[nodiscard]] std::optional<std::string> hopeless();

 private:
  [[nodiscard]] std::vector<executor::GroupIndex> tell_of_workers();
  void hold(store::EventKind kind, const std::optional<std::string>& why, const std::string& subject,
            const std::string& text);
  void account_workers();
  void review_health();
  [[nodiscard]] std::optional<std::string> why_broken() const;

  Turn& turn_;
  executor::TimePoint accounted_{};
  executor::TimePoint review_at_{};
  std::int64_t canaries_passed_ = 0, canaries_failed_ = 0;  // kept so far
};

}  // namespace parityd::agent
