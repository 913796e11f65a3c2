// The recorder: writes what was examined and decided into the store, and makes findings and drafts of it. Called inside
// the loop's transaction. One thread.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "agent/daemon/findings/finding_disposition.h"
#include "agent/daemon/findings/observations.h"
#include "agent/daemon/findings/same_cause.h"
#include "agent/daemon/program/examiner.h"
#include "agent/daemon/program/pipeline.h"
#include "store/report/draft.h"
#include "store/store.h"

namespace parityd::agent {

class Recorder {
 public:
  /// `seed` is what the examiner runs programs under.
  Recorder(store::Store& store, std::filesystem::path draft_template, std::uint64_t seed, DispositionPolicy policy);
  /// Of findings from now on; what is known of other torches stays.
  void set_rules(oracle::DispositionChoices choices, std::chrono::seconds known_max_age) {
    policy_.choices = std::move(choices);
    policy_.known_max_age = known_max_age;
  }

  /// Which environment later rows of this group's workers belong to: as far as they have told by now. True: with its
  /// text, which an idle one tells.
  bool update_environment(const executor::Workers& pool, executor::GroupIndex group);
  /// They have another torch, Python or device than before.
  void forget_environment(executor::GroupIndex group) { environments_.erase(group); }

  /// Which finding a program belongs to.
  [[nodiscard]] SameCause& same_cause() { return same_cause_; }

  /// Stores an examination's evidence.
  void examined(const Examined& examined, store::Millis now);
  /// Stores a move: the program's new state, its next step and why.
  void moved(store::ProgramRow& program, const Move& move, store::Millis now);

  /// What the store holds of a suspect's examinations.
  struct Told {
    Position position;
    oracle::Shown whole;                            // what the gate showed first; its stage is the warm look's
    std::vector<oracle::Neutraliser> stepped_over;  // that held in its screen
    std::optional<store::ReductionRow> reduction;
    int trials = 0;                      // for reach, made so far
    std::optional<oracle::Reach> reach;  // once they are enough
    /// The reduced program stands for the whole one: it is not yet known to show anything else.
    [[nodiscard]] bool reduction_holds() const { return reduction && position.final_hits == position.final_rounds; }
  };
  [[nodiscard]] Told told(const store::ProgramRow& program) const;
  /// Of what the whole program shows; nullopt while no examination has shown anything.
  [[nodiscard]] std::optional<oracle::Signature> raw_signature(store::Id program) const {
    return observer_.of(program).raw_signature();
  }

  /// What a finding will rest on: the reduced program's rounds where they hold, the whole one's else.
  [[nodiscard]] oracle::Shown confirmed(store::Id program) const { return observer_.of(program).finding_look().shown; }
  /// The round that first showed it; nullopt where none is kept.
  [[nodiscard]] std::optional<store::EvidenceRow> confirming_round(store::Id program) const;
  [[nodiscard]] oracle::Kind suspected_kind(store::Id program) const { return observer_.of(program).suspected_kind; }
  /// What the warm look showed of the whole program.
  [[nodiscard]] oracle::Shown suspected(store::Id program) const { return observer_.of(program).closer.shown; }
  /// A confirmed or flaky finding with its draft; an existing one of that signature gets an occurrence instead. Where
  /// no reduced program was confirmed it has the program's text as the gate confirmed it. Returns the finding and
  /// whether it is new.
  struct Recorded {
    store::Id finding = 0;
    bool is_new = false;
  };
  Recorded add_finding(const store::ProgramRow& program, const Move& move, store::Millis now);
  /// A finding of its own for a program split from `from` by hand; its occurrences are the caller's to move. A program
  /// that went through fewer rounds than `from` is held until a person has looked.
  store::Id add_split_finding(const store::FindingRow& from, const store::ProgramRow& program, store::Millis now);

  /// Asks the table of known issues about findings that an older parityd made.
  void ask_known();
  /// Once the table of known issues is up to date: what was held for its age is disposed of anew. Returns how many.
  int release_stale(store::Millis now);

  /// Keeps what a torch said of a finding, and disposes of it anew.
  void add_recheck(const store::RecheckRow& row, store::Millis now);
  /// compute-sanitizer has said something of a finding: disposes of it anew. Returns what, in words; empty: nothing.
  std::vector<std::string> sanitized(store::Id finding, store::Millis now);
  /// Its script was run: disposes of it anew.
  void script_ran(store::Id finding, store::Millis now) { dispose_anew(finding, now); }
  /// Which torches have workers here: disposes anew of what waits for its script, or was ready without.
  void set_torches(std::vector<std::string> torches, store::Millis now);
  /// Disposes anew of what the newest torch has a say in, now that its version is known (or still is not).
  void set_newest_torch(const std::string& torch, store::Millis now);

 private:
  [[nodiscard]] Told told(const store::ProgramRow& program, const Observations& all) const;
  /// Adds the finding with its draft.
  store::Id keep(store::FindingRow finding, store::Millis now);
  void ask_known(const store::FindingRow& finding, const Observed& look);
  /// A finding of a known fault is no news: its status says so from the first.
  void note_known(store::Id finding, int issue, store::Millis now);
  [[nodiscard]] store::FindingRow finding_row(const store::ProgramRow& program, const Move& move, const Observed& look,
                                              const Told& told, store::Millis now) const;
  /// What is to be done with a finding that shows this.
  [[nodiscard]] oracle::Disposition disposed(const oracle::Shown& shown, const store::FindingRow& finding,
                                             store::Millis now) const;
  void dispose_anew(store::Id finding, store::Millis now);
  void dispose_anew(const store::FindingRow& finding, store::Millis now);

  store::Store& store_;
  mutable Observer observer_;  // keeps what it has read
  SameCause same_cause_;
  std::filesystem::path draft_template_;
  std::uint64_t seed_;
  DispositionPolicy policy_;
  std::map<executor::GroupIndex, store::EnvironmentRow> environments_;  // without an id: not known yet
};

}  // namespace parityd::agent
