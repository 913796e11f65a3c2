// Handles a device whose memory another job uses: programs that found none left wait and run again, with fewer beside
// them. Pure; time is an argument. One thread (the loop's).
#pragma once

#include <cstddef>
#include <map>

#include "executor/process/interest.h"
#include "store/base/ids.h"

namespace parityd::agent {

class DevicePressure {
 public:
  /// A program of this group found no memory. True: it waits and runs again; false: it has waited often enough and is
  /// judged as it is.
  bool ran_short(store::Id program, std::size_t group, int workers, executor::TimePoint now);
  /// How many programs may run in the group at once.
  [[nodiscard]] int allowed(std::size_t group, int workers, executor::TimePoint now) const;
  /// Whether the program must still wait.
  [[nodiscard]] bool waits(store::Id program, executor::TimePoint now) const;
  [[nodiscard]] bool anyone_waits(executor::TimePoint now) const;
  void finished(store::Id program) { programs_.erase(program); }

 private:
  struct Waiting {
    int times = 0;
    executor::TimePoint until{};
  };
  struct Group {
    int allowed = 1;
    executor::TimePoint since{};  // the number doubles after each calm period
  };
  std::map<store::Id, Waiting> programs_;
  std::map<std::size_t, Group> groups_;
};

}  // namespace parityd::agent
