// A recheck: rounds of a finding's reduced program by fresh processes under some torch, and their joint result. Only
// accesses the store and pool passed to it; one thread (the loop's).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "agent/daemon/program/examiner.h"
#include "store/store.h"

namespace parityd::agent {

/// What to try again: the program, and what it showed when it was found. The subject's id is the finding's number.
struct RecheckCase {
  Subject subject;
  oracle::Shown known;
};
[[nodiscard]] RecheckCase recheck_case(const store::Store& store, const store::FindingRow& finding,
                                       executor::GroupIndex group);

/// No fault is seen: the results agree, or their difference is excused.
[[nodiscard]] constexpr bool is_faultless(oracle::VerdictKind verdict) {
  return verdict == oracle::VerdictKind::consistent || verdict == oracle::VerdictKind::excused;
}

/// Collects rounds until there are enough or the harness fails.
class Recheck {
 public:
  Recheck(oracle::Shown known, int rounds) : known_(std::move(known)), wanted_(rounds) {}

  void on_result(const Examined& round);
  [[nodiscard]] bool done() const { return rounds_ == wanted_ || !harness_failure_.empty(); }
  [[nodiscard]] int next_round() const { return rounds_ + 1; }
  /// REQUIRES: done(). Result, hits, rounds and reason. All rounds show it: still; all are consistent: gone; anything
  /// else: different; the harness failed: cannot.
  [[nodiscard]] store::RecheckRow result() const;
  /// REQUIRES: done(). No round shows any fault: each is consistent or excused.
  [[nodiscard]] bool faultless() const { return faultless_ == wanted_; }

 private:
  oracle::Shown known_;
  int wanted_;
  int rounds_ = 0, hits_ = 0, consistent_ = 0, faultless_ = 0;
  std::string other_;  // what the first round that was neither showed
  std::string harness_failure_;
};

/// The row of a finding whose rounds by that group are done, without `newest` and `who`. `built_for`: the group's
/// torch, used if none of its workers has reported its own.
[[nodiscard]] store::RecheckRow recheck_row(const Recheck& recheck, store::Id finding, const executor::Workers& pool,
                                            executor::GroupIndex group, const std::string& built_for,
                                            store::Millis now);

/// Compares a round under another torch with the finding: it shows the finding if the kind is the same, and for errors
/// their class, for values the class of dtypes. Messages and frames change between torches. Returns what it shows
/// instead, as text; nullopt if it shows the finding.
[[nodiscard]] std::optional<std::string> why_not_there(const oracle::Shown& known, const oracle::Shown& there);

/// Whether `torch` is the newest: equal to `newest` if one is configured and known, else not older than any of `known`.
[[nodiscard]] bool is_newest(const std::string& torch, const std::string& newest,
                             const std::vector<std::string>& known);

/// Whether the round ran on another device than the one the finding was seen on: another kind or, on the same torch,
/// another model. `found_on`: the finding's model; empty if unknown.
[[nodiscard]] bool is_elsewhere(const store::RecheckRow& row, const store::FindingRow& finding,
                                const std::string& found_on);

/// A recheck as JSON, without who asked for it and when.
[[nodiscard]] nlohmann::json json_of(const store::RecheckRow& row);

}  // namespace parityd::agent
