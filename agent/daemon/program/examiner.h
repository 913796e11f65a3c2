// The examiner: runs programs through the pool for the pipeline and turns the results into evidence and verdicts. It
// does not decide what comes next. One thread (the loop's).
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
  executor::GroupIndex group = 0;  // the group whose workers run it, in every examination
  /// Whose workers run the eager side of its rounds instead: where that group's torch is changed, eager must be the
  /// installed one's. nullopt: `group`.
  std::optional<executor::GroupIndex> eager_group = {};
};

using store::Examination;

/// Whether a warm worker's verdict of this examination alone may end a program.
[[nodiscard]] bool rests_on_worker(Examination examination);

struct Examined {
  store::Id program = 0;
  Examination what = Examination::screen;
  executor::GroupIndex group = 0;
  int round = 0;       // confirmation rounds and trigger trials count from 1; candidate, ablation: the caller's number
  std::string values;  // candidate: values of the program's names, as executor::RunResult::values
  oracle::Evidence evidence;
  oracle::Verdict verdict;  // not set for candidates and ablations
  /// Those that took effect: of those requested, the ones this torch knows.
  std::vector<oracle::Neutraliser> neutralisers;
  oracle::Stage stage = oracle::Stage::inductor;      // control runs and stage runs
  oracle::Answer answer = oracle::Answer::not_tried;  // ablation; neutralisers unknown to torch are in evidence.untried
  bool trusted = true;                                // warm worker: its verdict can be used
  bool died = false;                                  // the warm worker died with it and cannot be checked any more
  std::vector<store::Id> history;  // screen, control runs: programs that the same process ran before, oldest first
  int worker = 0;                  // screen, masked and control runs: number of the process in its group
  double seconds = 0;              // in worker time
  std::string harness_failure;     // if set, ignore everything else
  std::vector<std::string> ends;   // harness failure: how each worker lost with it ended
};

/// Output of one of PyTorch's debugging tools; the error is the tool's or the harness'.
struct Inspected {
  Inspection what;
  tl::expected<std::string, std::string> text;
};

/// Result of screening several programs: one verdict per program, or none if the process died.
struct Sifted {
  std::int64_t number = 0;  // the caller's number
  executor::ScreenResult told;
  std::string failure;  // the process died or the harness failed; then `told` is empty
};

/// How many more runs of reductions and sweeps each group's warm workers may get now. A trial waits only in its own
/// group's queue, so a slow group never keeps another's workers idle.
class TrialRoom {
 public:
  /// `places`: one number per group; negative counts as 0.
  explicit TrialRoom(std::vector<int> places) : places_(std::move(places)) {}

  [[nodiscard]] int left(executor::GroupIndex group) const {
    return group < places_.size() && places_[group] > 0 ? places_[group] : 0;
  }
  void reserve(executor::GroupIndex group, int trials) {
    if (group < places_.size()) places_[group] -= trials;
  }

 private:
  std::vector<int> places_;
};

class Examiner {
 public:
  /// `excuses_off`: excuses that no verdict may use.
  Examiner(executor::Workers& pool, std::filesystem::path scratch, std::uint64_t seed,
           const std::vector<std::string>& excuses_off = {});

  /// How to screen a program.
  struct Screening {
    /// Of known findings; if torch knows none of them the program runs without.
    std::vector<oracle::Neutraliser> neutralisers;
    int much = 1;             // how many new forms of graphs (oracle::GraphForms) make it compile
    bool compile_all = true;  // compile all graphs, however little is new
  };
  void screen(const Subject& subject, Screening how, executor::TimePoint now);
  /// All modes that the rules and the stage runs need, on a warm worker; `suspected`: the kind seen when screened.
  void run_controls(const Subject& subject, oracle::Kind suspected, executor::TimePoint now);
  /// A round of fresh processes. `what`: confirmation, final_confirmation of a reduced program, or recheck of a
  /// finding.
  void confirm(const Subject& subject, Examination what, int round, executor::TimePoint now);
  void run_stages(const Subject& subject, const oracle::Verdict& verdict, executor::TimePoint now);
  /// On a warm worker with neutralisers on: all modes that the rules need for a program whose fault of that kind they
  /// remove. `what`: residual for a finding's own program, or masked for a suspect that was screened with them.
  void run_masked(const Subject& subject, Examination what, oracle::Kind kind,
                  std::vector<oracle::Neutraliser> neutralisers, executor::TimePoint now);
  /// A whole round of the program with ordinary inputs: trial `number` of oracle::trigger_trials(), counted from 1.
  void try_trigger(const Subject& subject, int number, executor::TimePoint now);
  /// A smaller program in the given modes on a warm worker, returned without a verdict; for the reducer. `subject` has
  /// the smaller text under the whole program's id. Eager runs first, and the values of the program's names are
  /// recorded.
  void candidate(const Subject& subject, int number, std::vector<oracle::Mode> modes, executor::TimePoint now);
  /// One warm run of eager and the compiled mode with neutralisers. Ablations run in parallel, as many as there are
  /// workers. A harness failure yields the answer not_tried.
  void ablate(const Subject& subject, const oracle::Ablation& ablation,
              const std::shared_ptr<const oracle::Shown>& symptom, executor::TimePoint now);
  /// For verdicts from now on.
  void set_excuses_off(const std::vector<std::string>& names) { excuses_off_ = {names.begin(), names.end()}; }
  /// Background work: does not count as in flight.
  void inspect(Inspection what, executor::TimePoint now);

  /// Also background work: finds out which programs run eager, and composes programs. `number` is returned with the
  /// answer.
  void sift(std::int64_t number, executor::Screening screening, executor::TimePoint now);
  [[nodiscard]] std::vector<Sifted> take_sifted() { return std::exchange(sifted_, {}); }

  [[nodiscard]] std::vector<Examined> drain_results(executor::TimePoint now);
  /// Results of inspect() that drain_results() has received.
  [[nodiscard]] std::vector<Inspected> take_inspected() { return std::exchange(inspected_, {}); }
  [[nodiscard]] std::size_t in_flight() const { return jobs_.size(); }
  /// The room left in `places`, one number per group, by candidates in flight.
  [[nodiscard]] TrialRoom trial_room(std::vector<int> places) const;

 private:
  struct Task {
    Subject subject;
    Examination what = Examination::screen;
    int number = 0;
    oracle::Verdict verdict;                        // stage runs: the verdict to look for
    std::shared_ptr<Round> round;                   // confirmation, stage runs and trigger trials
    std::shared_ptr<const oracle::Shown> symptom;   // ablation: what to look for
    std::vector<oracle::Neutraliser> neutralisers;  // warm run: those in effect
    int much = 1;                                   // screen: as in Screening
    bool compile_all = true;
    bool controls = false;  // the round makes its control runs
    std::size_t side = 0;
  };
  void submit_warm(Task task, std::vector<oracle::Mode> modes, executor::TimePoint now);
  void begin_round(Task task, RoundPlan plan, executor::TimePoint now);
  void submit_round(const Task& task, executor::TimePoint now);
  [[nodiscard]] Examined warm(const Task& task, const executor::JobResult& result) const;
  void judge_warm(const Task& task, Examined& examined) const;
  [[nodiscard]] std::optional<Examined> rounded(const Task& task, const executor::JobResult& result,
                                                executor::TimePoint now);
  /// After the first look: whether the round continued with the control runs.
  [[nodiscard]] bool runs_controls(const Task& task, const oracle::Evidence& evidence, executor::TimePoint now);
  [[nodiscard]] bool take_background(const executor::JobResult& result);
  /// Stops waiting for the round's other side, which a harness failure left running.
  void end_round(const std::shared_ptr<Round>& round);

  executor::Workers& pool_;
  std::filesystem::path scratch_;
  std::uint64_t seed_;
  oracle::ExcusesOff excuses_off_;
  executor::JobId next_job_ = 1;
  std::map<executor::JobId, Task> jobs_;
  std::map<executor::JobId, std::shared_ptr<Round>> late_;  // still running: they write to their round's folder
  std::map<executor::JobId, Inspection> inspections_;
  std::vector<Inspected> inspected_;
  std::map<executor::JobId, std::int64_t> siftings_;  // numbers given by callers
  std::vector<Sifted> sifted_;
};

/// The modes a warm worker runs to judge an inconsistency of this kind completely, with its stage; eager first.
[[nodiscard]] std::vector<oracle::Mode> control_modes(oracle::Kind kind, oracle::Mode compiled);

/// The compiled mode that a program's OPTIONS ask for; inductor if they name none that is usable.
[[nodiscard]] oracle::Mode compiled_mode(const std::string& options_json);

}  // namespace parityd::agent
