// The reducer: makes confirmed programs smaller while they show the same inconsistency (docs/reduction.md).
// oracle::Reduction searches, the syntax process writes the texts, warm workers run the trials; nothing counts as a
// finding until it is confirmed. One thread (the loop's).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/daemon/program/examiner.h"
#include "executor/syntax/syntax.h"
#include "oracle/finding/reduce.h"

namespace parityd::agent {

struct ReductionLimits {
  double worker_seconds = 600;  // for all trials; then the smallest program so far is the result
  int trials = 800;
};

class Reducer {
 public:
  Reducer(Examiner& examiner, executor::Syntax& syntax, ReductionLimits limits = {})
      : examiner_(examiner), syntax_(syntax), limits_(limits) {}

  /// Starts. `shown`: what was confirmed for the whole program. `failed`: texts tried before a restart.
  void begin(const Subject& subject, oracle::Shown shown, std::set<std::string> failed, executor::TimePoint now);
  /// Takes the examination of a candidate.
  void on_result(const Examined& examined, executor::TimePoint now);
  /// Sends as many trials as there is room for, older programs first; ends reductions that are due.
  void send_trials(TrialRoom& room, executor::TimePoint now);

  void set_limits(ReductionLimits limits) { limits_ = limits; }
  /// The result of the program's reduction, handed out once; nullopt before. The caller sets its time. `why` it ended:
  /// "nothing more can be removed", "the time limit was reached", "a warm worker does not show it".
  [[nodiscard]] std::optional<store::ReductionRow> take_finished(store::Id program);
  /// Texts since the last call that did not show the finding and must not be tried again.
  [[nodiscard]] std::vector<std::string> take_failed(store::Id program);

 private:
  struct Text {
    std::string program, options_json = "{}", values = "[]";
    int statements = 0, lines = 0;
  };
  /// What a trial runs besides eager. Most trials fail, so cheap looks come first and only texts that show the finding
  /// there continue.
  enum class Look {
    whole,     // the program's compiled mode and every step of the compiler before it
    early,     // one of those steps, if it shows the finding: most of a compile is saved
    compiled,  // the program's compiled mode
    controls,  // every mode that a verdict needs
  };
  struct Trial {
    int candidate = 0;  // the search's number; 0: the whole program
    Text text;
    Look look = Look::compiled;
  };
  enum class Phase { tidying, probing, searching, finishing };
  struct Work {
    Subject subject;
    oracle::Shown shown;
    Phase phase = Phase::tidying;
    std::optional<oracle::Reduction> search;
    std::optional<oracle::Shown> early;  // shown by a step before the last; nullopt: by none, or not known
    /// Two modes may suffice to see another kind or another leaf instead of the finding; not for rounding that only
    /// more modes excuse.
    bool two_modes_tell = true;
    bool in_parts = true;  // parts of the compiler may also run the whole program: none of them ended a worker
    Text whole;
    std::map<std::string, Text> shown_texts;  // texts that show the finding, from which the search may take
    std::map<int, Trial> running;
    std::set<std::string> failed;
    /// Removed first; kept if the program does not show the finding without them.
    executor::UnreadLocals unread_locals = executor::UnreadLocals::go;
    int asked = 0;  // unanswered requests to the syntax process
    bool waiting_for_offers = false;
    int next_trial = 1, trials = 0, statements_before = 0;
    double seconds = 0;  // in worker time
  };
  using Syntax = tl::expected<executor::ReducedText, executor::SyntaxError>;

  void ask_tidied(Work& work, executor::TimePoint now);
  void tidied(store::Id program, const Syntax& text, executor::TimePoint now);
  void begin_trial(Work& work, Trial trial, executor::TimePoint now);
  void run(Work& work, Trial trial, executor::TimePoint now);
  [[nodiscard]] static oracle::Shown shown_by(const Work& work, const Trial& trial, const oracle::Evidence& evidence);
  [[nodiscard]] static bool shows(Work& work, Look look, const oracle::Shown& shown);
  /// The look after one that shows the finding; nullopt: it is shown.
  [[nodiscard]] static std::optional<Look> next_look(const Work& work, Look look);
  void judged(Work& work, const Trial& trial, bool shows, executor::TimePoint now);
  void search(Work& work, TrialRoom& room, int most, executor::TimePoint now);
  void ask_offers(Work& work);
  void ask_text(Work& work, const oracle::Reduction::Candidate& candidate, executor::TimePoint now);
  void answered(store::Id program, int candidate, const Syntax& text, executor::TimePoint now);
  void finish(Work& work, const std::string& why);
  [[nodiscard]] Work* work_of(store::Id program);

  Examiner& examiner_;
  executor::Syntax& syntax_;
  ReductionLimits limits_;
  std::map<store::Id, Work> works_;
  std::map<store::Id, store::ReductionRow> finished_;
  std::map<store::Id, std::vector<std::string>> failed_;
};

}  // namespace parityd::agent
