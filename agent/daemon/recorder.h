// The recorder: writes what was examined and decided into the store, and makes findings and drafts of it. Called inside
// the loop's transaction. One thread.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "agent/daemon/examiner.h"
#include "agent/daemon/pipeline.h"
#include "store/draft.h"
#include "store/store.h"

namespace parityd::agent {

class Recorder {
 public:
  /// `seed` is what the examiner runs programs under; `choices` go before the rows of the disposition table.
  Recorder(store::Store& store, std::filesystem::path draft_template, std::uint64_t seed,
           oracle::DispositionChoices choices = {});

  /// What later rows of this group's workers belong to.
  void set_environment(executor::GroupIndex group, const store::EnvironmentRow& environment);
  /// Id 0 while it is not known.
  [[nodiscard]] const store::EnvironmentRow& environment(executor::GroupIndex group) const;

  /// Stores an examination's evidence.
  void examined(const Examined& examined, store::Millis now);
  /// Stores a move: the program's new state, its next step and why.
  void moved(store::ProgramRow& program, const Move& move, store::Millis now);

  /// The ladder's answer for this program; inductor when it has not run.
  [[nodiscard]] oracle::Stage stage(store::Id program) const { return shown(program).stage; }
  /// What examinations after the gate's first hit have told.
  struct Told {
    oracle::Verdict finding;  // what the gate showed first
    bool stage_known = false;
    int trials = 0;                      // for reach, made so far
    std::optional<oracle::Reach> reach;  // once they are enough
  };
  [[nodiscard]] Told told(const store::ProgramRow& program) const;
  /// The raw signature of what this program showed in its first gate hit, at `stage`.
  [[nodiscard]] oracle::Signature signature(store::Id program, oracle::Stage stage) const;

  /// A confirmed or flaky finding with its draft; an existing one of that signature gets an occurrence instead.
  /// `reduced` is the program without unused code. Returns the finding and whether it is new.
  struct Recorded {
    store::Id finding = 0;
    bool is_new = false;
  };
  Recorded add_finding(const store::ProgramRow& program, const Move& move, const std::string& reduced,
                       store::Millis now);
  /// A finding of its own for a program split from `from` by hand; its occurrences are the caller's to move. A program
  /// that went through fewer rounds than `from` is held until a person has looked.
  store::Id add_split_finding(const store::FindingRow& from, const store::ProgramRow& program, store::Millis now);
  void add_occurrence(store::Id finding, const store::ProgramRow& program, const std::string& why, store::Millis now);

 private:
  struct Shown {  // what the gate and the ladder showed of a program
    oracle::Evidence gate;
    oracle::Verdict verdict;
    std::optional<oracle::Evidence> ladder;
    oracle::Stage stage = oracle::Stage::inductor;
    std::vector<store::EvidenceRow> rounds;
    std::vector<bool> trials;           // for reach: which showed it
    store::EnvironmentRow environment;  // the first hit's
  };
  [[nodiscard]] Shown shown(store::Id program) const;

  store::Store& store_;
  std::filesystem::path draft_template_;
  std::uint64_t seed_;
  oracle::DispositionChoices choices_;
  std::map<executor::GroupIndex, store::EnvironmentRow> environments_;
};

}  // namespace parityd::agent
