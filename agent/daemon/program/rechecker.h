// The rechecker: tries findings on other torches than the one they were found on. On the newest torch configured, whose
// groups run nothing else; and, once the tested torch is another, there. Background work of fresh processes, one
// finding a group at a time. One thread (the loop's).
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agent/daemon/program/examiner.h"
#include "agent/daemon/program/recheck.h"
#include "store/store.h"

namespace parityd::agent {

class Rechecker {
 public:
  /// `tested`: so many groups of the pool run programs; those after them have the newest torch. `torches`: what groups
  /// were built for, by group; empty where only their workers can tell.
  Rechecker(const store::Store& store, const executor::Workers& pool, Examiner& examiner, int rounds,
            executor::GroupIndex tested, std::vector<std::string> torches);

  void set_rounds(int rounds) { rounds_ = rounds; }
  /// Findings may have come. True at the start.
  void look_again() { look_ = true; }
  /// What to begin now, for the outbox. `gating`: suspects are on their way through the gate; they keep a process.
  [[nodiscard]] std::vector<std::function<void(executor::TimePoint)>> begin(bool gating, store::Millis now);
  /// A round of Examination::recheck: the next one for the outbox, or what all came to.
  struct Taken {
    std::optional<store::RecheckRow> row;
    std::function<void(executor::TimePoint)> next;
  };
  [[nodiscard]] Taken take(const Examined& round, store::Millis now);
  /// Findings wait that have not been tried, where workers can be started.
  [[nodiscard]] bool waits() const;

  /// Of a group; empty until it is known.
  [[nodiscard]] std::string torch_of(executor::GroupIndex group) const;
  /// Of the newest torch configured; empty until it is known, or where none is.
  [[nodiscard]] std::string newest_torch() const;
  [[nodiscard]] bool has_newest() const { return tested_ < pool_.groups(); }

 private:
  struct Running {
    store::Id finding = 0;
    Subject subject;
    Recheck recheck;
  };
  void look(store::Millis now);
  void look(executor::GroupIndex group, store::Millis now);
  [[nodiscard]] bool has_room(executor::GroupIndex group, bool gating) const;

  const store::Store& store_;
  const executor::Workers& pool_;
  Examiner& examiner_;
  int rounds_;
  executor::GroupIndex tested_;
  std::vector<std::string> torches_;
  std::map<executor::GroupIndex, std::deque<store::Id>> queues_;
  std::map<executor::GroupIndex, Running> running_;
  std::set<std::pair<executor::GroupIndex, store::Id>> failed_;  // not tried again in this session
  bool look_ = true;
  store::Millis looked_at_ = 0;
};

}  // namespace parityd::agent
