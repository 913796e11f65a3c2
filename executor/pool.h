// The pool: keeps workers running programs, one after another, and says what the processes did. It judges nothing.
// Two roles: `warm` workers run program after program in their own process; `fork parents` never run a program and fork
// a fresh child for each job that asks for one. One thread (the loop's); time comes in as an argument.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "executor/interest.h"
#include "executor/protocol.h"

namespace parityd::executor {

/// Limits of one step of one mode; 0 never. Defaults in pool.cpp say where they come from.
struct Deadlines {
  std::chrono::milliseconds start{
      120'000};  // process start to hello and primed (the first on a machine builds a header)
  std::chrono::milliseconds program{30'000};   // import, inputs, model, eager forward and backward
  std::chrono::milliseconds compile{180'000};  // the first compiled call
  std::chrono::milliseconds beat{30'000};      // silence of the heartbeat thread
};

struct PoolConfig {
  std::vector<std::string> launch_prefix;  // "srun …", "ssh host"; empty: here
  std::filesystem::path launcher;          // parityd-worker
  std::filesystem::path python;            // the target's interpreter
  std::filesystem::path module;            // folder of the built parityd_worker module for that interpreter
  std::filesystem::path worker_sources;    // folder of the Python beside it
  std::filesystem::path scratch;           // one folder a worker below it
  std::filesystem::path shared_cache;      // primed compiler caches (precompiled header), shared by workers
  DeviceKind device = DeviceKind::cpu;
  int warm_workers = 1;
  int fork_parents = 1;           // started when the first fresh job arrives
  int programs_per_worker = 200;  // a warm worker is replaced after so many
  Deadlines deadlines;
};

using JobId = std::int64_t;

struct Job {
  JobId id = 0;
  std::string program;
  std::vector<oracle::Mode> modes;
  bool choose_compiled = false;
  bool fresh = false;
  std::filesystem::path artefacts;  // set for fresh jobs that are judged by bytes
  std::uint64_t seed = 0;
};
struct SameJob {
  JobId id = 0;
  std::filesystem::path expected, actual, reference;
};

/// A mode that did not come to its own end: what the pool saw.
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
  oracle::Evidence evidence;   // outcomes (and, for warm jobs, measurements) of the modes that ended
  std::optional<Death> death;  // the mode that took the process with it; later modes did not run
  std::string tainted;         // the worker was retired after this job, and why; empty: it was not
  std::optional<bool> same;    // SameJob only
  std::string same_detail;
  std::string harness_failure;  // the harness failed, not the program: start failed twice, forged frames, …
  double seconds = 0;           // worker time
};

struct PoolCounts {
  int warm_ready = 0, warm_busy = 0, starting = 0, fork_ready = 0, fork_busy = 0;
  std::int64_t started = 0, retired = 0, killed = 0;
  int queued = 0;
};

class Pool {
 public:
  Pool(PoolConfig config, TimePoint now);
  ~Pool();  // kills every worker tree
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  void submit(Job job, TimePoint now);
  void submit(SameJob job, TimePoint now);
  void cancel_queued();  // forgets jobs not yet sent

  void append_interests(std::vector<Interest>& interests) const;
  [[nodiscard]] std::optional<TimePoint> next_deadline() const;
  /// Reads, writes, starts, kills what is due. Call after every wait.
  void service(TimePoint now);
  [[nodiscard]] std::vector<JobResult> take_results();

  /// Jobs it can take without queueing.
  [[nodiscard]] int free_warm() const;
  [[nodiscard]] int free_fresh() const;
  [[nodiscard]] bool idle() const;
  [[nodiscard]] PoolCounts counts() const;
  /// From the first hello; empty until then.
  [[nodiscard]] std::optional<Hello> hello() const;
  /// Set when no worker can be started (two failures in a row before primed): what to tell the operator.
  [[nodiscard]] std::optional<std::string> broken() const;
  /// Text of collect_env, asked for once from an idle worker; empty until known.
  [[nodiscard]] std::string environment_text() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace parityd::executor
