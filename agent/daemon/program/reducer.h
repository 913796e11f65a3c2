// The reducer: makes confirmed programs smaller while they show the same (docs/reduction.md). The search is
// oracle::Reduction, texts come from the syntax process, trials run on warm workers; nothing it finds is a finding
// before the gate has seen it. One thread (the loop's).
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
  double worker_seconds = 600;  // of its trials; then the smallest so far is the answer
  int trials = 800;
};

class Reducer {
 public:
  Reducer(Examiner& examiner, executor::Syntax& syntax, ReductionLimits limits = {})
      : examiner_(examiner), syntax_(syntax), limits_(limits) {}

  /// `shown`: what the gate showed of the whole program. `failed`: texts tried before a restart.
  void begin(const Subject& subject, oracle::Shown shown, std::set<std::string> failed, executor::TimePoint now);
  /// An examination of a candidate.
  void take(const Examined& examined, executor::TimePoint now);
  /// Sends the trials there is room for, of older programs first; ends what is due.
  void service(TrialRoom& room, executor::TimePoint now);

  void set_limits(ReductionLimits limits) { limits_ = limits; }
  /// What the program's reduction came to, once; nothing before. When it was, the caller knows. `why` it ended:
  /// "nothing more can go", "its time is up", "a warm worker does not show it".
  [[nodiscard]] std::optional<store::ReductionRow> take_finished(store::Id program);
  /// Texts since last asked that did not show the finding: not to be tried again.
  [[nodiscard]] std::vector<std::string> take_failed(store::Id program);

 private:
  struct Text {
    std::string program, options_json = "{}", values = "[]";
    int statements = 0, lines = 0;
  };
  /// What a trial runs beside eager. Most trials fail, so the cheap looks come first and only what shows there goes on.
  enum class Look {
    whole,     // the program's compiled mode and every step of the compiler before it
    early,     // one of those steps, where it shows the finding: most of a compile is spared
    compiled,  // the program's compiled mode
    closer,    // all that a verdict needs
  };
  struct Trial {
    int candidate = 0;  // of the search; 0: the whole program itself
    Text text;
    Look look = Look::compiled;
  };
  enum class Phase { tidying, probing, searching, finishing };
  struct Work {
    Subject subject;
    oracle::Shown shown;
    Phase phase = Phase::tidying;
    std::optional<oracle::Reduction> search;
    std::optional<oracle::Shown> early;  // by a step before the last; none: nothing or not known to show it there
    /// Beside rounding that only more modes excuse, two modes may call it another kind, or another leaf's.
    bool two_modes_tell = true;
    bool in_parts = true;  // the whole program may run in parts of the compiler, too: none of them ended a worker
    Text whole;
    std::map<std::string, Text> shown_texts;  // that show the finding: what the search may take
    std::map<int, Trial> running;
    std::set<std::string> failed;
    /// Go first; stay where the program does not show it without them.
    executor::UnreadLocals unread_locals = executor::UnreadLocals::go;
    int asked = 0;  // of the syntax process, not answered yet
    bool waiting_for_offers = false;
    int next_trial = 1, trials = 0, statements_before = 0;
    double seconds = 0;  // of worker time
  };
  using Syntax = tl::expected<executor::ReducedText, executor::SyntaxError>;

  void ask_tidied(Work& work, executor::TimePoint now);
  void tidied(store::Id program, const Syntax& text, executor::TimePoint now);
  void begin_trial(Work& work, Trial trial, executor::TimePoint now);
  void run(Work& work, Trial trial, executor::TimePoint now);
  [[nodiscard]] static oracle::Shown shown_by(const Work& work, const Trial& trial, const oracle::Evidence& evidence);
  [[nodiscard]] static bool shows(Work& work, Look look, const oracle::Shown& shown);
  /// After what shows the finding; nullopt: it is shown.
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
