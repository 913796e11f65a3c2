// The daemon watches itself: workers and devices, use of worker time, health. One thread (the loop's), inside its
// transaction.
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

  /// Reports events of workers. Returns groups whose workers have another torch, Python or device than before.
  [[nodiscard]] std::vector<executor::GroupIndex> report_events();
  /// Records what is not recorded yet; call before the end.
  void end();

  /// Why no worker can ever run; nullopt while one may. Raises and clears the alarm for it.
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
  std::int64_t canaries_passed_ = 0, canaries_failed_ = 0;  // recorded so far
};

}  // namespace parityd::agent
