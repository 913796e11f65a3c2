// The workers as the daemon sees them: jobs go in, results of the processes come out. The pool (pool.h) starts real
// processes; the simulation of weeks in minutes (tests/simulation) provides workers that run on its own clock. One
// thread (the loop's); time is an argument.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "executor/pool/pool_notice.h"
#include "executor/pool/worker_seconds.h"
#include "executor/process/interest.h"

namespace parityd::executor {

struct EnvironmentResult;
struct GroupConfig;
struct Hello;
struct Job;
struct JobResult;
struct PoolCounts;

/// Index of a group in the list from which the workers were made.
using GroupIndex = std::size_t;

class Workers {
 public:
  virtual ~Workers() = default;

  virtual void submit(Job job, TimePoint now) = 0;
  virtual void append_interests(std::vector<Interest>& interests) const = 0;
  /// When poll() will have something to do that no interest announces.
  [[nodiscard]] virtual std::optional<TimePoint> next_deadline() const = 0;
  /// Runs pending I/O, starts and kills that are due. To be called after every wait.
  virtual void poll(TimePoint now) = 0;
  /// Hands what was submitted since poll() to idle workers. To be called after the last submission of a turn:
  /// otherwise those jobs would wait for the next poll() while the loop waits.
  virtual void hand_out(TimePoint now) = 0;
  [[nodiscard]] virtual std::vector<JobResult> take_results() = 0;
  /// What happened to workers since the last call.
  [[nodiscard]] virtual std::vector<PoolNotice> take_notices() = 0;
  /// Worker time by occupation since the last call, one entry per group.
  [[nodiscard]] virtual std::vector<WorkerSeconds> take_seconds(TimePoint now) = 0;
  /// Whether warm workers' verdicts hold, since the last call: each `judged` job whose result came without a fault is
  /// reported once, after that result.
  [[nodiscard]] virtual std::vector<Settled> take_settled() = 0;
  /// These forms of graphs (oracle::GraphForms) are no longer new to the group's warm workers.
  virtual void know_forms(GroupIndex group, const std::vector<std::uint64_t>& forms) = 0;
  /// This warm worker's verdicts are not to be trusted: it is ended if it still exists.
  virtual void distrust(GroupIndex group, int worker, const std::string& why, TimePoint now) = 0;

  [[nodiscard]] virtual std::size_t groups() const = 0;
  [[nodiscard]] virtual const GroupConfig& config(GroupIndex group) const = 0;
  /// Jobs that the group can take without queueing.
  [[nodiscard]] virtual int free_warm(GroupIndex group) const = 0;
  [[nodiscard]] virtual int free_fresh(GroupIndex group) const = 0;
  [[nodiscard]] virtual PoolCounts counts() const = 0;
  [[nodiscard]] virtual PoolCounts counts(GroupIndex group) const = 0;
  /// From the first hello; nullopt until then.
  [[nodiscard]] virtual std::optional<Hello> hello(GroupIndex group) const = 0;
  /// Set when no worker of the group can be started (two failures in a row before primed): the text for the operator.
  [[nodiscard]] virtual std::optional<std::string> broken(GroupIndex group) const = 0;
  /// Set while the group's device must not be used (devices.h): the error text that said so. Such a group is broken,
  /// too; one worker a minute tests whether the device is back.
  [[nodiscard]] virtual std::optional<std::string> parked(GroupIndex group) const = 0;
  /// Set while workers are missing because too few files can be opened: the text for the operator.
  [[nodiscard]] virtual std::optional<std::string> short_of_files() const = 0;
  /// The machine and compiler as reported once by an idle worker; the text is empty until then.
  [[nodiscard]] virtual const EnvironmentResult& environment(GroupIndex group) const = 0;
};

}  // namespace parityd::executor
