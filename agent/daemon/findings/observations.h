// What was observed of a program: its stored examinations, read once. One thread.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "oracle/finding/attribute.h"
#include "oracle/rules/neutraliser.h"
#include "oracle/rules/signature.h"
#include "store/store.h"

namespace parityd::agent {

/// What rounds of fresh processes, or one warm look, showed for one text.
struct Observed {
  oracle::Shown shown;  // from the first round that showed anything; a hang gives way to what a later one shows
  bool shows = false;
  std::size_t since = 0;  // the index of that round
  std::vector<store::EvidenceRow> rounds;
  store::EnvironmentRow environment;       // environment of that round
  std::optional<oracle::Evidence> stages;  // stage runs of the program the finding is based on
};

struct Observations {
  Observed controls, confirmation, final_confirmation;
  int final_hits = 0;  // final confirmation rounds that showed the same as the first confirmation
  std::optional<oracle::Evidence> stages;
  std::vector<store::EvidenceRow> trials;  // trials for trigger
  std::vector<oracle::Neutraliser> stepped_over;
  /// The kind seen when it was screened without neutralisers; if none was seen, numerical, which gets the complete
  /// the control runs.
  oracle::Kind suspected_kind = oracle::Kind::numerical;
  bool residual_known = false;

  /// Whether a finding is based on the reduced program.
  [[nodiscard]] bool reduction_confirmed() const {
    return !final_confirmation.rounds.empty() && final_hits == static_cast<int>(final_confirmation.rounds.size());
  }
  /// Whether the control runs showed what fresh processes confirmed.
  [[nodiscard]] bool controls_hold() const {
    return !confirmation.shows || controls.shown.verdict.kind == confirmation.shown.verdict.kind;
  }
  /// Whether the last confirmation round showed another kind of inconsistency than those before it.
  [[nodiscard]] bool shows_another() const {
    const auto& last = confirmation.rounds.back().verdict.kind;
    return last && last != confirmation.shown.verdict.kind;
  }
  /// Whether the last confirmation round showed something other than a hang, and all before it hung: they were slow.
  [[nodiscard]] bool overruled_hang() const {
    return confirmation.since > 0 && confirmation.since + 1 == confirmation.rounds.size();
  }
  /// The look a finding is based on: the reduced program's if fresh processes confirmed it, else the whole program's.
  [[nodiscard]] Observed finding_look() const;
  /// The signature of what the whole program shows; nullopt while no examination has shown anything.
  [[nodiscard]] std::optional<oracle::Signature> raw_signature() const;
};

/// Reads only rows added since the last query for a program; caches the last few programs. Must not be used after a
/// rolled-back transaction, because the store reuses its ids.
class Observer {
 public:
  /// The store outlives this object.
  explicit Observer(const store::Store& store) : store_(store) {}

  /// The reference is valid until the next call.
  [[nodiscard]] const Observations& of(store::Id program);
  /// Drops what is cached for the program.
  void forget(store::Id program);

 private:
  struct Seen {
    Observations observations;
    store::Id last = 0;  // id of the last examination read
  };
  void add(Observations& all, store::EvidenceRow row) const;
  void take_round(Observed& look, store::EvidenceRow row) const;

  const store::Store& store_;
  std::map<store::Id, Seen> seen_;
  std::deque<store::Id> order_;  // keys of seen_, oldest first
};

}  // namespace parityd::agent
