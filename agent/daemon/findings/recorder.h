// The recorder: stores examinations and decisions, and creates findings and drafts. Called inside the loop's
// transaction. One thread.
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
  /// `seed`: the seed under which the examiner runs programs.
  Recorder(store::Store& store, std::filesystem::path draft_template, std::uint64_t seed, DispositionPolicy policy);
  /// For findings from now on; what is known about other torches is kept.
  void set_rules(oracle::DispositionChoices choices, std::chrono::seconds known_max_age) {
    policy_.choices = std::move(choices);
    policy_.known_max_age = known_max_age;
  }

  /// Updates the environment of later rows of this group's workers from what they have reported. True: its text is
  /// known too, which an idle worker reports.
  bool update_environment(const executor::Workers& pool, executor::GroupIndex group);
  /// The group's workers have another torch, Python or device than before.
  void forget_environment(executor::GroupIndex group) { environments_.erase(group); }

  /// Decides which finding a program belongs to.
  [[nodiscard]] SameCause& same_cause() { return same_cause_; }

  /// Stores an examination's evidence.
  void examined(const Examined& examined, store::Millis now);
  /// Stores a move: the program's new state, its next step and why.
  void moved(store::ProgramRow& program, const Move& move, store::Millis now);

  /// Summary of a suspect's stored examinations.
  struct Told {
    Position position;
    oracle::Shown whole;                            // what was confirmed first; the stage is from the warm look
    std::vector<oracle::Neutraliser> stepped_over;  // in effect when it was screened
    std::optional<store::ReductionRow> reduction;
    int trials = 0;                          // trials for trigger made so far
    std::optional<oracle::Trigger> trigger;  // set once there are enough trials
    /// Whether the reduced program represents the whole one: so far it has not shown anything else.
    [[nodiscard]] bool reduction_holds() const { return reduction && position.final_hits == position.final_rounds; }
  };
  [[nodiscard]] Told told(const store::ProgramRow& program) const;
  /// The signature of what the whole program shows; nullopt while no examination has shown anything.
  [[nodiscard]] std::optional<oracle::Signature> raw_signature(store::Id program) const {
    return observer_.of(program).raw_signature();
  }

  /// What a finding will be based on: the reduced program's rounds if they hold, else the whole program's.
  [[nodiscard]] oracle::Shown confirmed(store::Id program) const { return observer_.of(program).finding_look().shown; }
  /// The round that first showed it; nullopt if none is stored.
  [[nodiscard]] std::optional<store::EvidenceRow> confirming_round(store::Id program) const;
  /// Until the next call of a member.
  [[nodiscard]] const Observations& observed(store::Id program) const { return observer_.of(program); }
  [[nodiscard]] oracle::Kind suspected_kind(store::Id program) const { return observer_.of(program).suspected_kind; }
  /// What the warm look showed for the whole program.
  [[nodiscard]] oracle::Shown suspected(store::Id program) const { return observer_.of(program).controls.shown; }
  /// Adds a confirmed or flaky finding with its draft, or an occurrence if a finding of that signature exists. If no
  /// reduced program was confirmed, the finding has the program's text as confirmed. Returns the finding
  /// and whether it is new.
  struct Recorded {
    store::Id finding = 0;
    bool is_new = false;
  };
  Recorded add_finding(const store::ProgramRow& program, const Move& move, store::Millis now);
  /// Adds a finding for a program that was split from `from` by hand; the caller moves its occurrences. If the program
  /// went through fewer rounds than `from`, the finding is held until a person has looked.
  store::Id add_split_finding(const store::FindingRow& from, const store::ProgramRow& program, store::Millis now);

  /// Looks up findings of older parityd versions in the table of known issues.
  void ask_known();
  /// Call once the table of known issues is up to date: decides the disposition of findings held for its age again.
  /// Returns how many.
  int release_stale(store::Millis now);

  /// Stores a recheck and decides the finding's disposition again.
  void add_recheck(const store::RecheckRow& row, store::Millis now);
  /// Call after compute-sanitizer ran on a finding: decides its disposition again. Returns its reports as text; empty:
  /// none.
  std::vector<std::string> sanitized(store::Id finding, store::Millis now);
  /// Call after the finding's script ran: decides its disposition again.
  void script_ran(store::Id finding, store::Millis now) { dispose_anew(finding, now); }
  /// Sets the torches that have workers here, and decides the dispositions of findings that wait for their script or
  /// were ready without it.
  void set_torches(std::vector<std::string> torches, store::Millis now);
  /// Sets the newest torch's version (empty: still unknown) and decides the dispositions that depend on it.
  void set_newest_torch(const std::string& torch, store::Millis now);

 private:
  [[nodiscard]] Told told(const store::ProgramRow& program, const Observations& all) const;
  /// Adds the finding with its draft.
  store::Id keep(store::FindingRow finding, store::Millis now);
  void ask_known(const store::FindingRow& finding, const Observed& look);
  /// Sets the status of a finding of a known issue from the start, so that it is not announced.
  void note_known(store::Id finding, int issue, store::Millis now);
  [[nodiscard]] store::FindingRow finding_row(const store::ProgramRow& program, const Move& move, const Observed& look,
                                              const Told& told, store::Millis now) const;
  /// The disposition of a finding that shows this.
  [[nodiscard]] oracle::Disposition disposed(const oracle::Shown& shown, const store::FindingRow& finding,
                                             store::Millis now) const;
  void dispose_anew(store::Id finding, store::Millis now);
  void dispose_anew(const store::FindingRow& finding, store::Millis now);

  store::Store& store_;
  mutable Observer observer_;  // caches what it has read
  SameCause same_cause_;
  std::filesystem::path draft_template_;
  std::uint64_t seed_;
  DispositionPolicy policy_;
  std::map<executor::GroupIndex, store::EnvironmentRow> environments_;  // without an id: unknown yet
};

}  // namespace parityd::agent
