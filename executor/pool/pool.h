// The pool: keeps workers running programs, one after another, and reports what the processes did. It makes no
// judgement. Workers come in groups: each has one device kind, one torch and one place (a launch prefix). A group has
// two roles: `warm` workers run program after program in their own process; `fork parents` never run a program and fork
// a fresh child for each job that requests one. One thread (the loop's); time is an argument.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "executor/pool/pool_notice.h"
#include "executor/pool/start_gate.h"
#include "executor/pool/worker_seconds.h"
#include "executor/pool/workers.h"
#include "executor/process/interest.h"
#include "executor/protocol.h"

namespace parityd::executor {

/// Limits for one step of one mode; 0: none. pool.cpp says where the defaults come from. Warm runs have tighter limits,
/// learnt from measured step times (worker_deadlines.h); fresh runs, on which findings rest, have these.
struct Deadlines {
  std::chrono::milliseconds start{
      120'000};  // process start to hello and primed (the first on a machine builds a header)
  std::chrono::milliseconds program{30'000};   // import, inputs, model, eager forward and backward
  std::chrono::milliseconds compile{180'000};  // the first compiled call
  std::chrono::milliseconds tool{300'000};     // a whole run of one of PyTorch's debugging tools
  std::chrono::milliseconds beat{30'000};      // silence of the heartbeat thread
};

/// When a warm worker counts as worn: it is replaced once it is idle and its spare is ready.
struct WearLimits {
  int programs = 200;
  std::int64_t resident_growth = std::int64_t{3} << 30;  // bytes above its size after its first program
  std::int64_t maps = 20'000;                       // compiled kernels are never unmapped; the kernel's limit is 65,530
  std::int64_t gpu_growth = std::int64_t{2} << 30;  // bytes above its size after its first program
};

struct GroupConfig {
  std::string name = "cpu";
  std::vector<std::string> launch_prefix;  // "srun …", "ssh host"; empty: this machine
  std::string gpu;                 // the GPU that workers on CUDA see, as CUDA_VISIBLE_DEVICES takes it; empty: all
  std::filesystem::path launcher;  // parityd-worker
  std::filesystem::path python;    // the target's interpreter
  std::filesystem::path module;    // folder of the built parityd_worker module for that interpreter
  std::filesystem::path worker_sources;  // folder of the Python beside it
  std::filesystem::path overlay;         // packages searched before the installed ones; empty: none
  std::filesystem::path scratch;         // each worker has a folder below it
  std::filesystem::path shared_cache;    // primed compiler caches; made once, by a process that runs no program
  std::filesystem::path records;         // one file per worker process, for the next daemon; empty: none
  std::string sandbox = "auto";          // level requested from the launcher: auto, full, reduced, none
  DeviceKind device = DeviceKind::cpu;
  int warm_workers = 1;
  int spares = 0;  // primed warm workers beyond those at work, so that a replacement takes no time
  int fork_parents = 1;
  bool fork_parents_at_once = false;  // started with the warm workers; otherwise when the first fresh job arrives
  int canary_every = 0;               // programs between two canaries of a warm worker (canary.h); 0: no canaries
  WearLimits wear;
  Deadlines deadlines;
};

using JobId = std::int64_t;

/// Instead of running a program: finds out which of these run in eager, and composes `compose` more.
struct Screening {
  std::vector<std::string> programs;
  int compose = 0;
  std::uint64_t composing = 0;  // seed of the composed programs
};

struct Job {
  JobId id = 0;
  GroupIndex group = 0;
  std::int64_t subject = 0;  // the caller's number for the program: histories are lists of these
  std::string program;
  std::vector<oracle::Mode> modes;
  bool choose_compiled = false;
  bool fresh = false;
  std::filesystem::path artefacts;  // set for fresh jobs that are judged by their bytes
  std::uint64_t seed = 0;
  std::vector<oracle::Neutraliser> neutralisers;
  int compile_from = 0;  // warm jobs: graphs run uncompiled unless the first one has this many fresh forms
  bool values = false;   // record what the program's names hold in `eager`; warm jobs only
  std::string tool;      // runs one of PyTorch's debugging tools (tools.h) instead of modes; such a job is fresh
  std::optional<SourceSpan> place;  // as InspectMessage::place
  std::string arguments;            // as InspectMessage::arguments
  bool judged = false;  // warm jobs: a verdict rests on the worker's report; take_settled() says whether it holds
  std::optional<Screening> screening;  // instead of a program; such a job is fresh
  std::string file_name;  // the name of the program's file, for tools that print it; empty: chosen by the pool
};

/// A mode that did not complete: what the pool observed.
struct Death {
  oracle::Mode mode = oracle::Mode::eager;
  oracle::Step step = oracle::Step::start;
  bool hung = false;  // killed by its deadline
  int signal = 0;
  int exit_status = 0;
  std::string output;  // captured stdout and stderr, capped
};

struct JobResult {
  JobId id = 0;
  oracle::Evidence evidence;          // outcomes (and, for warm jobs, measurements) of the modes that ended
  std::optional<Death> death;         // the mode whose process died; later modes did not run
  std::string tainted;                // why the worker was retired after this job; empty: it was not
  std::string harness_failure;        // the harness failed, not the program: start failed twice, forged frames, …
  std::string text;                   // a tool's text; if the tool died, what it had written until then
  std::string tool_failure;           // the tool itself failed, whatever the program
  ScreenResult screened;              // a screening's result
  double seconds = 0;                 // worker time
  int worker = 0;                     // number of the process in its group
  std::vector<std::int64_t> history;  // warm jobs: subjects the same process had run before, oldest first
  std::string values;                 // JSON, as RunResult::values
  std::vector<std::string> ends;      // after a harness failure: how each worker that had this job was lost
  int epoch = 0;                      // counts changes of the environment in its group
};

struct PoolCounts {
  int warm_ready = 0, warm_busy = 0, starting = 0, fork_ready = 0, fork_busy = 0;
  std::int64_t started = 0, retired = 0, killed = 0;
  std::int64_t canaries_passed = 0, canaries_failed = 0;
  int queued = 0;
};

class Group;

class Pool : public Workers {
 public:
  /// Groups start their workers in parallel.
  Pool(std::vector<GroupConfig> groups, TimePoint now);
  ~Pool() override;  // kills every worker tree
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  void submit(Job job, TimePoint now) override;
  void cancel_queued();  // forgets jobs not yet sent

  void append_interests(std::vector<Interest>& interests) const override;
  [[nodiscard]] std::optional<TimePoint> next_deadline() const override;
  void poll(TimePoint now) override;
  void hand_out(TimePoint now) override;
  [[nodiscard]] std::vector<JobResult> take_results() override;
  [[nodiscard]] std::vector<PoolNotice> take_notices() override;
  [[nodiscard]] std::vector<WorkerSeconds> take_seconds(TimePoint now) override;
  [[nodiscard]] std::vector<Settled> take_settled() override;
  void know_forms(GroupIndex group, const std::vector<std::uint64_t>& forms) override;
  void distrust(GroupIndex group, int worker, const std::string& why, TimePoint now) override;

  [[nodiscard]] std::size_t groups() const override { return groups_.size(); }
  [[nodiscard]] const GroupConfig& config(GroupIndex group) const override;
  [[nodiscard]] int free_warm(GroupIndex group) const override;
  [[nodiscard]] int free_fresh(GroupIndex group) const override;
  [[nodiscard]] bool idle() const;
  [[nodiscard]] PoolCounts counts() const override;
  [[nodiscard]] PoolCounts counts(GroupIndex group) const override;
  [[nodiscard]] std::optional<Hello> hello(GroupIndex group = 0) const override;
  /// The text of the first group if all groups are broken; otherwise nullopt.
  [[nodiscard]] std::optional<std::string> broken() const;
  [[nodiscard]] std::optional<std::string> broken(GroupIndex group) const override;
  [[nodiscard]] std::optional<std::string> parked(GroupIndex group) const override;
  [[nodiscard]] std::optional<std::string> short_of_files() const override;
  [[nodiscard]] const EnvironmentResult& environment(GroupIndex group = 0) const override;

 private:
  StartPace pace_;  // before the groups that use it
  std::vector<std::unique_ptr<Group>> groups_;
};

}  // namespace parityd::executor
