// Whether two programs show the same mistake of the compiler: the one place that decides it (docs/findings.md). Before
// a suspect is confirmed by its raw signature and by the neutralisers of findings near it, afterwards by its final
// signature, its operator's siblings and what takes it away. Groups made by hand are the store's
// (store/findings/groups.h). One thread (the loop's), inside its transaction.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "agent/daemon/findings/observations.h"
#include "agent/daemon/program/pipeline.h"
#include "store/store.h"

namespace parityd::agent {

class SameCause {
 public:
  /// Both outlive it.
  SameCause(store::Store& store, Observer& observer) : store_(store), observer_(observer) {}

  /// Whether a finding has the raw signature of what was seen already; every 50th occurrence is confirmed whole, to
  /// keep the grouping honest.
  [[nodiscard]] Familiar familiar(store::Id program, const oracle::Verdict& verdict) const;
  /// Findings with a neutraliser whose inconsistency is most like the program's: of its kind, on its device, by the
  /// operators they share.
  [[nodiscard]] std::vector<store::FindingRow> nearest(store::Id program, std::size_t most) const;
  /// Programs of this raw signature are the finding's from now on.
  void adopt(store::Id finding, store::Id program);
  /// The program shows what the finding of its raw signature shows. `vanishes_with`: the neutraliser that told, if one
  /// did. False: there is no such finding any more.
  bool add_occurrence(store::Id program, const std::string& why, const std::string& vanishes_with, store::Millis now);

  struct Home {
    store::Id finding = 0;
    std::string why;
  };
  /// The finding that a confirmed program belongs to; nothing: it is a new one. `finding`: what it would be stored as.
  /// `reduced`: that rests on the reduced program.
  [[nodiscard]] std::optional<Home> home_of(const store::FindingRow& finding, const oracle::Shown& shown,
                                            bool reduced) const;

 private:
  [[nodiscard]] std::vector<store::FindingRow> of_kin_kinds(oracle::Kind kind, const std::string& device) const;
  [[nodiscard]] std::optional<Home> sibling(const store::FindingRow& finding, const oracle::Shown& shown) const;
  [[nodiscard]] std::optional<Home> mutual_sibling(const store::FindingRow& finding,
                                                   const store::ExtentRow& extent) const;
  [[nodiscard]] std::optional<Home> kin(const store::FindingRow& finding, const oracle::Shown& shown) const;

  store::Store& store_;
  Observer& observer_;
};

}  // namespace parityd::agent
