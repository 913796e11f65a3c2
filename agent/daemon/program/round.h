// One examination by bytes: fresh processes run modes, each writes an artefact, the daemon compares. A mode that kills
// its process has that as its outcome; the modes after it get another process. One thread.
#pragma once

#include <filesystem>
#include <vector>

#include "executor/pool/pool.h"
#include "oracle/measure/evidence.h"

namespace parityd::agent {

struct RoundPlan {
  std::string program;
  oracle::Mode compiled = oracle::Mode::inductor;
  std::vector<std::vector<oracle::Mode>> sides;  // modes of each side; each side has its own process
  std::filesystem::path folder;                  // for artefacts; not shared with another round, removed with this one
  std::uint64_t seed = 0;
};

class Round {
 public:
  /// A round without jobs in flight; take_jobs() returns those to submit. The caller assigns their ids.
  explicit Round(RoundPlan plan);
  ~Round();
  Round(const Round&) = delete;
  Round& operator=(const Round&) = delete;

  /// Jobs to submit: at first one per side, later the modes left over by a death.
  [[nodiscard]] std::vector<executor::Job> take_jobs();
  /// Takes the result of a job of this round.
  void on_result(std::size_t side, const executor::JobResult& result);
  /// The sides of the jobs returned by the last take_jobs(), in the same order.
  [[nodiscard]] const std::vector<std::size_t>& sides_taken() const { return sides_taken_; }
  [[nodiscard]] bool done() const;
  /// REQUIRES: done(). Adds modes for each side, to run in another process; none if a death has settled the side.
  void extend(const std::vector<std::vector<oracle::Mode>>& sides);
  [[nodiscard]] oracle::Mode compiled() const { return plan_.compiled; }

  /// REQUIRES: done(). Reads the artefacts and measures. A mode with an untrustworthy file gets a harness failure as
  /// its outcome.
  [[nodiscard]] oracle::Evidence evidence();
  [[nodiscard]] const std::string& harness_failure() const { return harness_failure_; }
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  struct Side {
    std::vector<oracle::Mode> left;
    bool running = false;
    bool settled = false;  // settled by a death
  };
  [[nodiscard]] bool settles_side(const executor::Death& death) const;

  RoundPlan plan_;
  std::vector<Side> sides_;
  std::vector<std::size_t> sides_taken_;
  std::vector<std::pair<oracle::Mode, oracle::Outcome>> lost_;  // modes that died or hung
  std::vector<oracle::Mode> ended_;
  bool settled_ = false;  // whatever the other side shows: the program's own code hung
  std::string harness_failure_;
  double seconds_ = 0;
  std::optional<int> epoch_;  // epoch of the first side that ended
};

/// A death reported by the pool as the outcome of its mode.
[[nodiscard]] oracle::Outcome outcome_of(const executor::Death& death);

}  // namespace parityd::agent
