// The examiner: runs programs through the pool for the pipeline and turns what came back into evidence and verdicts.
// It decides nothing about what comes next. One thread (the loop's).
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/daemon/program/inspection.h"
#include "agent/daemon/program/round.h"
#include "executor/pool/pool.h"
#include "oracle/finding/attribute.h"
#include "oracle/rules/signature.h"
#include "oracle/rules/verdict.h"
#include "store/store.h"

namespace parityd::agent {

struct Subject {
  store::Id program = 0;
  std::string text;
  std::string options_json = "{}";
  executor::GroupIndex group = 0;  // whose workers run it, in every examination
};

using store::Examination;

/// A warm worker's word alone may end a program by it.
[[nodiscard]] bool rests_on_worker(Examination examination);

struct Examined {
  store::Id program = 0;
  Examination what = Examination::screen;
  executor::GroupIndex group = 0;
  int round = 0;       // rounds of the gate and trials for reach count from 1; candidate, ablation: the caller's number
  std::string values;  // candidate: what the program's names held, as executor::RunResult::values
  oracle::Evidence evidence;
  oracle::Verdict verdict;                            // of all but candidates and ablations
  std::vector<oracle::Neutraliser> neutralisers;      // that held: of those asked for, what this torch knows
  oracle::Stage stage = oracle::Stage::inductor;      // closer and ladder
  oracle::Answer answer = oracle::Answer::not_tried;  // ablation; what torch did not know: evidence.untried
  bool trusted = true;                                // of a warm worker: its word can be used
  bool died = false;                                  // the warm worker with it: nobody looks at that any more
  std::vector<store::Id> history;  // screen, closer: programs the same process had run before, oldest first
  int worker = 0;                  // screen, beyond, closer: number of the process in its group
  double seconds = 0;              // worker time
  std::string harness_failure;     // then nothing else counts
  std::vector<std::string> ends;   // of a harness failure: how each worker that was lost with it had ended
};

/// What one of PyTorch's debugging tools told; the error is the tool's or the harness'.
struct Inspected {
  Inspection what;
  tl::expected<std::string, std::string> text;
};

/// What screening came to; as many verdicts as there were programs, or none where the process died.
struct Sifted {
  std::int64_t number = 0;  // the caller's
  executor::ScreenResult told;
  std::string failure;  // the process died, the harness failed; then nothing was told
};

/// How many more runs of reductions and sweeps each group's warm workers may be given now. A trial waits in the queue
/// of its own group only, so that one slow group never keeps another's workers idle.
class TrialRoom {
 public:
  /// `places`: a number a group; below zero counts as none.
  explicit TrialRoom(std::vector<int> places) : places_(std::move(places)) {}

  [[nodiscard]] int left(executor::GroupIndex group) const {
    return group < places_.size() && places_[group] > 0 ? places_[group] : 0;
  }
  void take(executor::GroupIndex group, int trials) {
    if (group < places_.size()) places_[group] -= trials;
  }

 private:
  std::vector<int> places_;
};

class Examiner {
 public:
  /// `excuses_off`: excuses that do not count in any verdict.
  Examiner(executor::Workers& pool, std::filesystem::path scratch, std::uint64_t seed,
           const std::vector<std::string>& excuses_off = {});

  /// How a program is screened.
  struct Screening {
    std::vector<oracle::Neutraliser> neutralisers;  // of known findings; where torch knows none it runs plainly
    int much = 1;                                   // new forms of graphs (oracle::GraphForms)
    bool compile_all = true;                        // also graphs without much that is new
  };
  void screen(const Subject& subject, Screening how, executor::TimePoint now);
  /// All that the rules and the ladder ask, on a warm worker; `suspected`: what the screen saw.
  void closer(const Subject& subject, oracle::Kind suspected, executor::TimePoint now);
  /// A round by fresh processes. `what`: gate, final_gate of a reduced program, or recheck of a finding.
  void gate(const Subject& subject, Examination what, int round, executor::TimePoint now);
  void ladder(const Subject& subject, const oracle::Verdict& verdict, executor::TimePoint now);
  /// Warm, with neutralisers: all that the rules ask of a program whose fault of that kind they take away. `what`: rest
  /// of a finding's own program, or beyond of a suspect that was screened with them.
  void rest(const Subject& subject, Examination what, oracle::Kind kind, std::vector<oracle::Neutraliser> neutralisers,
            executor::TimePoint now);
  /// A whole round of the program with ordinary inputs: trial `number` of oracle::reach_trials(), from 1.
  void reach(const Subject& subject, int number, executor::TimePoint now);
  /// A smaller program in the given modes on a warm worker, judged by nobody: the reducer asks. `subject` carries the
  /// smaller text under the whole program's id; eager first, and what its names hold is noted.
  void candidate(const Subject& subject, int number, std::vector<oracle::Mode> modes, executor::TimePoint now);
  /// One warm run of eager and the compiled mode with neutralisers; of several programs or ablations as many at a time
  /// as there are workers. A harness failure is the answer not_tried.
  void ablate(const Subject& subject, const oracle::Ablation& ablation,
              const std::shared_ptr<const oracle::Shown>& symptom, executor::TimePoint now);
  /// Verdicts from now on.
  void set_excuses_off(const std::vector<std::string>& names) { excuses_off_ = {names.begin(), names.end()}; }
  /// Background work: it does not count as in flight.
  void inspect(Inspection what, executor::TimePoint now);

  /// Background work, too: which programs run eager, and programs composed. `number` comes back with the answer.
  void sift(std::int64_t number, executor::Screening screening, executor::TimePoint now);
  [[nodiscard]] std::vector<Sifted> take_sifted() { return std::exchange(sifted_, {}); }

  [[nodiscard]] std::vector<Examined> take(executor::TimePoint now);
  /// What inspect() came to, as far as take() has met it.
  [[nodiscard]] std::vector<Inspected> take_inspected() { return std::exchange(inspected_, {}); }
  [[nodiscard]] std::size_t in_flight() const { return jobs_.size(); }
  /// What candidates in flight leave of so many places, a number a group.
  [[nodiscard]] TrialRoom trial_room(std::vector<int> places) const;

 private:
  struct Task {
    Subject subject;
    Examination what = Examination::screen;
    int number = 0;
    oracle::Verdict verdict;                        // ladder: the verdict looked for
    std::shared_ptr<Round> round;                   // gate, ladder and reach
    std::shared_ptr<const oracle::Shown> symptom;   // ablation: what is looked for
    std::vector<oracle::Neutraliser> neutralisers;  // warm: that hold
    int much = 1;                                   // screen: as Screening has them
    bool compile_all = true;
    bool closer = false;  // the round looks for the second time
    std::size_t side = 0;
  };
  void submit_warm(Task task, std::vector<oracle::Mode> modes, executor::TimePoint now);
  void begin_round(Task task, RoundPlan plan, executor::TimePoint now);
  void submit_round(const Task& task, executor::TimePoint now);
  [[nodiscard]] Examined warm(const Task& task, const executor::JobResult& result) const;
  void judge_warm(const Task& task, Examined& examined) const;
  [[nodiscard]] std::optional<Examined> rounded(const Task& task, const executor::JobResult& result,
                                                executor::TimePoint now);
  /// After the first look: whether the round has gone on to the closer one.
  [[nodiscard]] bool looks_closer(const Task& task, const oracle::Evidence& evidence, executor::TimePoint now);
  [[nodiscard]] bool take_background(const executor::JobResult& result);
  /// Its other side, which a harness failure left running, is waited for no more.
  void end_round(const std::shared_ptr<Round>& round);

  executor::Workers& pool_;
  std::filesystem::path scratch_;
  std::uint64_t seed_;
  oracle::ExcusesOff excuses_off_;
  executor::JobId next_job_ = 1;
  std::map<executor::JobId, Task> jobs_;
  std::map<executor::JobId, std::shared_ptr<Round>> late_;  // still running: they write into their round's folder
  std::map<executor::JobId, Inspection> inspections_;
  std::vector<Inspected> inspected_;
  std::map<executor::JobId, std::int64_t> siftings_;  // the callers' numbers
  std::vector<Sifted> sifted_;
};

/// The modes a warm worker runs so that an inconsistency of this kind can be judged whole, with its stage; eager first.
[[nodiscard]] std::vector<oracle::Mode> closer_modes(oracle::Kind kind, oracle::Mode compiled);

/// The compiled mode a program's OPTIONS ask for; inductor when they say nothing usable.
[[nodiscard]] oracle::Mode compiled_mode(const std::string& options_json);

}  // namespace parityd::agent
