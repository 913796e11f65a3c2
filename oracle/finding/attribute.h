// Attribution (docs/attribution.md): which neutraliser makes a finding vanish, found by trying. A pure search: it says
// what to run next, is told the answers and ends by itself. Sets of neutralisers are tried whole and, where the finding
// vanishes, halved (delta debugging), so one operator among n costs 2 log2 n runs.
//
// Not torch's CompilerBisector: a fault that none of its subsystems explains costs it 50 compiles, since each exhausted
// pass starts again; it counts to the n-th application, which says nothing for other programs, where an operator's name
// does; it takes any failure for the one looked for; and it cannot run in parallel. Any thread.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "oracle/device.h"
#include "oracle/mode.h"
#include "oracle/names.h"
#include "oracle/rules/neutraliser.h"
#include "oracle/rules/signature.h"
#include "oracle/rules/verdict.h"

namespace parityd::oracle {

enum class Answer {
  vanishes,
  stays,
  differs_otherwise,  // something else is wrong now: inconclusive, neither of the two
  not_tried,          // this torch knows none of it, or the harness failed
};
constexpr auto names(Answer) {
  return std::to_array<std::string_view>({"vanishes", "stays", "differs_otherwise", "not_tried"});
}
/// The same for people: "differs otherwise".
[[nodiscard]] std::string words(Answer answer);

/// What the search rests on.
struct AttributionFacts {
  Stage stage = Stage::inductor;
  bool several_calls = false;
  DeviceKind device = DeviceKind::cpu;
  bool dynamic = false;   // dynamic shapes asked for, or more than one call
  bool backward = false;  // gradients are taken
  bool threads = false;   // it runs with several
  Mode compiled = Mode::inductor;
  std::string torch;                    // version: settings it lacks are not asked for
  std::string program;                  // its text: a workaround says what to call
  std::vector<std::string> lowered;     // of the compiled run's outcome
  std::vector<std::string> decomposed;  // likewise
};

struct Ablation {
  int number = 0;
  std::vector<Neutraliser> neutralisers;  // all at once; none: the control
};

struct TriedAblation {
  std::vector<Neutraliser> neutralisers;
  Answer answer = Answer::not_tried;
};

struct Attributed {
  std::vector<Neutraliser> neutraliser;  // the most specific; several: only together; empty: none was found
  std::vector<Neutraliser> remedy;       // what the workaround is made of; empty: there is no workaround
  std::optional<Workaround> workaround;  // the least that a user could apply
  std::vector<TriedAblation> tried;      // in the order of their answers
  std::string why;                       // a sentence: what it rests on, or why there is none
};

class Attribution {
 public:
  static constexpr int kMostRuns = 25;
  explicit Attribution(AttributionFacts facts, int most_runs = kMostRuns);

  /// What to run now, all of it at the same time if there are workers; never more than `most_runs` in all.
  [[nodiscard]] std::vector<Ablation> next();
  /// The answer to a number that next() gave; `untried`: names of its neutralisers that torch did not know.
  void take(int number, Answer answer, const std::vector<std::string>& untried = {});
  [[nodiscard]] bool done() const { return result_.has_value(); }
  /// Once done.
  [[nodiscard]] const Attributed& result() const { return *result_; }

 private:
  using Set = std::vector<Neutraliser>;
  /// What is known of a set: nullopt while its run is under way or still to be asked for.
  struct Reply {
    std::optional<Answer> answer;
    bool refused = false;  // no run is left for it
  };
  /// A set narrowed as far as the answers go.
  struct Narrowed {
    Set least;
    bool open = false;          // answers are still to come
    bool alone = true;          // nothing outside `least` made it vanish as well
    bool cut = false;           // there were no runs left to narrow it further
    bool inconclusive = false;  // another failure got in the way
  };

  [[nodiscard]] bool decomposes_first() const;
  /// Looks at the answers again; what is missing is put into `wanted_`.
  void decide();
  [[nodiscard]] Reply ask(const Set& set, int repeat = 0, bool reserved = false);
  [[nodiscard]] bool vanishes(const Set& set, Narrowed& narrowed);
  [[nodiscard]] Set least(const Set& part, const Set& held, Narrowed& narrowed);
  [[nodiscard]] std::optional<Narrowed> narrowed(const Set& family, int halvings = 2);
  [[nodiscard]] Set known(Set set) const;
  [[nodiscard]] bool guilty_graph_known();
  void choose(const std::optional<Narrowed>& lowering, const std::optional<Narrowed>& decomposition,
              const std::vector<Narrowed>& others);
  void confirm(Attributed found);
  void finish(Attributed found);

  AttributionFacts facts_;
  int most_runs_;
  int asked_ = 0;
  bool cut_ = false;
  std::map<std::string, Answer> answers_;  // by the set's line and its repeat
  std::map<std::string, Ablation> wanted_;
  std::map<int, std::string> running_;
  std::map<int, Set> sets_;
  std::set<std::string> unknown_;  // names torch did not know
  Set guilty_;                     // the pass, forward or backward, in whose compiled graphs it is; empty: nobody knows
  std::vector<TriedAblation> tried_;
  std::optional<Attributed> result_;
};

// The symptom of a finding: what an ablation's run is held against to say whether the finding is still there. Pure; any
// thread.

/// `symptom`: what a gate round showed, or a warm look. `ablated` holds eager and the compiled mode of a run with
/// neutralisers.
///   stays: the same kind of inconsistency, on any of the same leaves or with the same error signature;
///   vanishes: none of it, and nothing is wrong now that was not wrong before;
///   differs_otherwise: anything else.
[[nodiscard]] Answer answer_of(const Shown& symptom, const Evidence& ablated);

}  // namespace parityd::oracle
