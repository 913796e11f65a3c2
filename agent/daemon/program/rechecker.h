// The rechecker: tries findings on other torches than the one they were found on: on the newest torch configured, whose
// groups do nothing else, and on the tested torch once it has changed. Background work of fresh processes, one finding
// per group at a time. One thread (the loop's).
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
  /// `tested`: the first so many groups of the pool run programs; those after them have the newest torch. `torches`:
  /// the torch each group was built for; empty if only its workers can tell.
  Rechecker(const store::Store& store, const executor::Workers& pool, Examiner& examiner, int rounds,
            executor::GroupIndex tested, std::vector<std::string> torches);

  void set_rounds(int rounds) { rounds_ = rounds; }
  /// There may be new findings to recheck. Initially assumed.
  void look_again() { look_ = true; }
  /// Rechecks to start now, for the outbox. `confirming`: suspects are being confirmed and keep one process.
  [[nodiscard]] std::vector<std::function<void(executor::TimePoint)>> begin(bool confirming, store::Millis now);
  /// Outcome of a round of Examination::recheck: the next round for the outbox, or the final row.
  struct Taken {
    std::optional<store::RecheckRow> row;
    std::function<void(executor::TimePoint)> next;
  };
  [[nodiscard]] Taken on_result(const Examined& round, store::Millis now);
  /// Whether untried findings wait for groups whose workers can start.
  [[nodiscard]] bool waits() const;

  /// The group's torch; empty until known.
  [[nodiscard]] std::string torch_of(executor::GroupIndex group) const;
  /// The version of the newest torch configured; empty until known, or if there is none.
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
  [[nodiscard]] bool has_room(executor::GroupIndex group, bool confirming) const;

  const store::Store& store_;
  const executor::Workers& pool_;
  Examiner& examiner_;
  int rounds_;
  executor::GroupIndex tested_;
  std::vector<std::string> torches_;
  std::map<executor::GroupIndex, std::deque<store::Id>> queues_;
  std::map<executor::GroupIndex, Running> running_;
  std::set<std::pair<executor::GroupIndex, store::Id>> failed_;  // not retried in this session
  bool look_ = true;
  store::Millis looked_at_ = 0;
};

}  // namespace parityd::agent
