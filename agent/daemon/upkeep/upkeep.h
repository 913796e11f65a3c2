// Keeps the database small and sound while the daemon runs: free space, write-ahead log, retention, the check after an
// unclean stop, evidence changed by others. Each step takes milliseconds. One thread (the loop's), except that the
// check has its own.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/config.h"
#include "agent/daemon/loop/alarms.h"
#include "agent/daemon/upkeep/disk.h"
#include "store/store.h"
#include "store/upkeep/check.h"

namespace parityd::agent {

struct UpkeepParts {
  store::Store& store;
  const Config& config;
  Alarms& alarms;
  DiskProbe probe = probe_disk;
  /// Run the check on its own thread; false: at once, for simulations, in which a thread would disturb time.
  bool check_beside = true;
  std::function<std::vector<std::string>(const std::filesystem::path& file)>
      readers;  // default: store/upkeep/readers.h
};

class Upkeep {
 public:
  explicit Upkeep(UpkeepParts parts);

  /// Call outside transactions. `idle`: nothing waits for the loop. The first call starts the check if the last stop
  /// was unclean. Throws StoreError with StoreFault::damaged once the check has found the database damaged.
  void maintain(executor::TimePoint now, store::Millis wall, bool idle);

  [[nodiscard]] bool may_spend() const { return disk_.level() == Disk::Level::enough && !over_cap_; }
  [[nodiscard]] bool may_begin() const { return disk_.level() != Disk::Level::out; }

 private:
  void begin_check();
  void check(store::CheckDepth depth);
  void take_check(store::Millis wall);
  void begin_whole_check(executor::TimePoint now, store::Millis wall);
  void empty_wal(executor::TimePoint now, bool idle);
  void measure(executor::TimePoint now);
  void forget(executor::TimePoint now, store::Millis wall);
  void check_evidence(executor::TimePoint now);
  void tell_disk();

  UpkeepParts parts_;
  Disk disk_;
  std::unique_ptr<store::BackgroundCheck> check_;
  bool begun_ = false;
  executor::TimePoint next_wal_{}, wal_stuck_since_{}, next_size_{}, next_forget_{}, next_blobs_{}, next_evidence_{};
  bool over_cap_ = false;
  std::string over_cap_text_;
  bool nothing_left_ = false;  // nothing left to delete
  store::Id keep_from_ = 0;    // consistent programs with smaller ids exceed the limit
  executor::TimePoint next_count_{}, next_whole_check_{};
  store::Id evidence_checked_ = 0;
};

}  // namespace parityd::agent
