// Decides whether two programs show the same compiler bug; the only place that does (docs/findings.md). Before a
// suspect is confirmed: by its raw signature and by the neutralisers of similar findings; afterwards: by its final
// signature, its operator's siblings and its neutraliser. Groups made by hand are in the store
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
  /// Both outlive this object.
  SameCause(store::Store& store, Observer& observer) : store_(store), observer_(observer) {}

  /// Whether a finding already has the raw signature observed. Every 50th occurrence is confirmed completely, to check
  /// that the grouping is right.
  [[nodiscard]] Familiar familiar(store::Id program, const oracle::Verdict& verdict) const;
  /// Findings with a neutraliser whose inconsistency is most similar to the program's: same kind, same device, most
  /// shared operators.
  [[nodiscard]] std::vector<store::FindingRow> nearest(store::Id program, std::size_t most) const;
  /// From now on programs of this raw signature belong to the finding.
  void adopt(store::Id finding, store::Id program);
  /// Adds an occurrence: the program shows what the finding of its raw signature shows. `vanishes_with`: the
  /// neutraliser that proved it, if one did. False: that finding no longer exists.
  bool add_occurrence(store::Id program, const std::string& why, const std::string& vanishes_with, store::Millis now);

  struct Home {
    store::Id finding = 0;
    std::string why;
  };
  /// The finding that a confirmed program belongs to; nullopt: it is a new one. `finding`: the row it would be stored
  /// as. `reduced`: that row is based on the reduced program.
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
