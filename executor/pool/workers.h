// The workers as the daemon sees them: jobs go in, what the processes did comes out. The pool (pool.h) starts real
// processes; the simulation of weeks in minutes (tests/simulation) has some that live by its own clock. One thread (the
// loop's); time comes in as an argument.
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

/// Which group of workers, by its place in the list they were made with.
using GroupIndex = std::size_t;

class Workers {
 public:
  virtual ~Workers() = default;

  virtual void submit(Job job, TimePoint now) = 0;
  virtual void append_interests(std::vector<Interest>& interests) const = 0;
  /// When service() has something to do that no interest announces.
  [[nodiscard]] virtual std::optional<TimePoint> next_deadline() const = 0;
  /// Reads, writes, starts, kills what is due. Call after every wait.
  virtual void service(TimePoint now) = 0;
  /// Hands what was submitted since then to workers that have nothing to do. Call after the last submission of a turn:
  /// they would wait for service() while the loop waits.
  virtual void hand_out(TimePoint now) = 0;
  [[nodiscard]] virtual std::vector<JobResult> take_results() = 0;
  /// What happened to workers since last asked.
  [[nodiscard]] virtual std::vector<PoolNotice> take_notices() = 0;
  /// Worker time by what it went to since last asked, a group each.
  [[nodiscard]] virtual std::vector<WorkerSeconds> take_seconds(TimePoint now) = 0;
  /// What became of warm workers' word on programs since last asked: each `judged` job of which a result came without a
  /// fault is told of once, after that result.
  [[nodiscard]] virtual std::vector<Settled> take_settled() = 0;
  /// These forms of graphs (oracle::GraphForms) are nothing new to the group's warm workers any more.
  virtual void know_forms(GroupIndex group, const std::vector<std::uint64_t>& forms) = 0;
  /// This warm worker's word is not to be relied on: it is ended, if it is still there.
  virtual void distrust(GroupIndex group, int worker, const std::string& why, TimePoint now) = 0;

  [[nodiscard]] virtual std::size_t groups() const = 0;
  [[nodiscard]] virtual const GroupConfig& config(GroupIndex group) const = 0;
  /// Jobs it can take without queueing.
  [[nodiscard]] virtual int free_warm(GroupIndex group) const = 0;
  [[nodiscard]] virtual int free_fresh(GroupIndex group) const = 0;
  [[nodiscard]] virtual PoolCounts counts() const = 0;
  [[nodiscard]] virtual PoolCounts counts(GroupIndex group) const = 0;
  /// From the first hello; empty until then.
  [[nodiscard]] virtual std::optional<Hello> hello(GroupIndex group) const = 0;
  /// Set when no worker of the group can be started (two failures in a row before primed): what to tell the operator.
  [[nodiscard]] virtual std::optional<std::string> broken(GroupIndex group) const = 0;
  /// Set while the group's device must not be used (devices.h): the words that said so. It is broken, too; one
  /// worker a minute tries whether the device is back.
  [[nodiscard]] virtual std::optional<std::string> parked(GroupIndex group) const = 0;
  /// Set while workers are missing because too few files can be opened: what to tell the operator.
  [[nodiscard]] virtual std::optional<std::string> short_of_files() const = 0;
  /// What an idle worker tells once of its machine and its compiler; its text is empty until then.
  [[nodiscard]] virtual const EnvironmentResult& environment(GroupIndex group) const = 0;
};

}  // namespace parityd::executor
