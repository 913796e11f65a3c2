// What was seen of a program: its stored examinations, read once. One thread.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "oracle/finding/attribute.h"
#include "oracle/rules/neutraliser.h"
#include "oracle/rules/signature.h"
#include "store/store.h"

namespace parityd::agent {

/// What rounds by fresh processes, or one warm look, showed of one text.
struct Observed {
  oracle::Shown shown;  // by the first that showed anything
  bool shows = false;
  std::vector<store::EvidenceRow> rounds;
  store::EnvironmentRow environment;       // of the first that showed anything
  std::optional<oracle::Evidence> ladder;  // of what the finding rests on
};

struct Observations {
  Observed closer, gate, final_gate;
  int final_hits = 0;  // rounds of the final gate that showed what the gate showed
  std::optional<oracle::Evidence> ladder;
  std::vector<store::EvidenceRow> trials;  // for reach
  std::vector<oracle::Neutraliser> stepped_over;
  /// What the screen saw of the program as it is; the whole look where it saw nothing that counts.
  oracle::Kind suspected_kind = oracle::Kind::numerical;
  bool rest_known = false;

  /// The reduced program is what a finding rests on.
  [[nodiscard]] bool reduction_confirmed() const {
    return !final_gate.rounds.empty() && final_hits == static_cast<int>(final_gate.rounds.size());
  }
  /// What a finding rests on: the reduced program where fresh processes confirmed it, else the whole one.
  [[nodiscard]] Observed finding_look() const;
  /// Of what the whole program shows; nullopt while no examination has shown anything.
  [[nodiscard]] std::optional<oracle::Signature> raw_signature() const;
};

/// Reads what has come since a program was asked about last, and keeps the last few programs. Not to be asked again
/// after a transaction was rolled back: the store gives its numbers anew.
class Observer {
 public:
  /// The store outlives it.
  explicit Observer(const store::Store& store) : store_(store) {}

  /// Until the next call.
  [[nodiscard]] const Observations& of(store::Id program);
  /// Nothing more is asked about it.
  void forget(store::Id program);

 private:
  struct Seen {
    Observations observations;
    store::Id last = 0;  // examination
  };
  void take(Observations& all, store::EvidenceRow row) const;
  void take_round(Observed& look, store::EvidenceRow row) const;

  const store::Store& store_;
  std::map<store::Id, Seen> seen_;
  std::deque<store::Id> order_;  // of seen_, oldest first
};

}  // namespace parityd::agent
