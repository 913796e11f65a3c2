// Attribution (docs/attribution.md): finds by trial the neutraliser that makes a finding vanish. A pure search: it
// proposes the next runs, takes their answers and ends on its own. Sets of neutralisers are tried whole and, if the
// finding vanishes, halved (delta debugging), so finding one operator among n costs 2 log2 n runs.
//
// torch's CompilerBisector is not used: a fault that none of its subsystems explains costs it 50 compiles, since each
// exhausted pass starts again; it identifies the n-th application, which says nothing about other programs, while an
// operator's name does; it mistakes any failure for the one it looks for; and it cannot run in parallel. Any thread.
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
  differs_otherwise,  // something else is wrong now: inconclusive
  not_tried,          // this torch knows none of the neutralisers, or the harness failed
};
constexpr auto names(Answer) {
  return std::to_array<std::string_view>({"vanishes", "stays", "differs_otherwise", "not_tried"});
}
/// The name for people: "differs otherwise".
[[nodiscard]] std::string words(Answer answer);

/// The facts about the finding that the search uses.
struct AttributionFacts {
  Stage stage = Stage::inductor;
  bool several_calls = false;
  DeviceKind device = DeviceKind::cpu;
  bool dynamic = false;   // dynamic shapes requested, or more than one call
  bool backward = false;  // gradients are taken
  bool threads = false;   // the program runs with several
  Mode compiled = Mode::inductor;
  std::string torch;                    // version: settings it lacks are not tried
  std::string program;                  // its text: a workaround names what to call
  std::vector<std::string> lowered;     // of the compiled run's outcome
  std::vector<std::string> decomposed;  // likewise
};

struct Ablation {
  int number = 0;
  std::vector<Neutraliser> neutralisers;  // all together; none: the control
};

struct TriedAblation {
  std::vector<Neutraliser> neutralisers;
  Answer answer = Answer::not_tried;
};

struct Attributed {
  std::vector<Neutraliser> neutraliser;  // the most specific; several: only together; empty: none found
  std::vector<Neutraliser> remedy;       // what the workaround consists of; empty: no workaround
  std::optional<Workaround> workaround;  // the smallest change that a user could apply
  std::vector<TriedAblation> tried;      // in the order of their answers
  std::string why;                       // a sentence: what it rests on, or why there is none
};

class Attribution {
 public:
  static constexpr int kMostRuns = 25;
  explicit Attribution(AttributionFacts facts, int most_runs = kMostRuns);

  /// The runs to start now, all at the same time if there are workers; never more than `most_runs` in total.
  [[nodiscard]] std::vector<Ablation> next();
  /// The answer for a number from next(); `untried`: names of its neutralisers that torch did not know.
  void on_answer(int number, Answer answer, const std::vector<std::string>& untried = {});
  [[nodiscard]] bool done() const { return result_.has_value(); }
  /// Only once done().
  [[nodiscard]] const Attributed& result() const { return *result_; }

 private:
  using Set = std::vector<Neutraliser>;
  /// What is known about a set: `answer` is nullopt while its run is in progress or not yet started.
  struct Reply {
    std::optional<Answer> answer;
    bool refused = false;  // the runs are used up
  };
  /// A set, narrowed as far as the answers allow.
  struct Narrowed {
    Set least;
    bool open = false;          // answers are still outstanding
    bool alone = true;          // nothing outside `least` made it vanish as well
    bool cut = false;           // the runs were used up before it could be narrowed further
    bool inconclusive = false;  // another failure got in the way
  };

  [[nodiscard]] bool decomposes_first() const;
  /// Re-evaluates all answers; runs that are still needed are added to `wanted_`.
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
  std::map<std::string, Answer> answers_;  // by the set's line and the number of the repeat
  std::map<std::string, Ablation> wanted_;
  std::map<int, std::string> running_;
  std::map<int, Set> sets_;
  std::set<std::string> unknown_;  // names torch did not know
  Set guilty_;                     // the pass, forward or backward, whose compiled graphs are at fault; empty: unknown
  std::vector<TriedAblation> tried_;
  std::optional<Attributed> result_;
};

// The symptom of a finding, with which an ablation's run is compared to tell whether the finding is still there. Pure;
// any thread.

/// `symptom`: the result of a confirmation round, or of a look in a warm worker. `ablated` holds eager and the compiled
/// mode of a run with neutralisers. Returns
/// - stays: the same kind of inconsistency, on any of the same leaves or with the same error signature;
/// - vanishes: none of it, and nothing is wrong now that was not wrong before;
/// - differs_otherwise: anything else;
/// - not_tried: a record is missing.
[[nodiscard]] Answer answer_of(const Shown& symptom, const Evidence& ablated);

}  // namespace parityd::oracle
