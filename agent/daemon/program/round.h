// One examination by bytes: fresh processes run modes, each writes an artefact, the daemon compares.
// A mode that takes its process with it is an outcome; the modes after it get another process. One thread.
#pragma once

#include <filesystem>
#include <vector>

#include "executor/pool/pool.h"
#include "oracle/measure/evidence.h"

namespace parityd::agent {

struct RoundPlan {
  std::string program;
  oracle::Mode compiled = oracle::Mode::inductor;
  std::vector<std::vector<oracle::Mode>> sides;  // each side has a process of its own
  std::filesystem::path folder;                  // artefacts; no other round's, and it goes with this one
  std::uint64_t seed = 0;
};

class Round {
 public:
  /// A jobless round; `jobs` gives what to submit. Ids are the caller's.
  explicit Round(RoundPlan plan);
  ~Round();
  Round(const Round&) = delete;
  Round& operator=(const Round&) = delete;

  /// The jobs not yet submitted: at first one a side, later what a death left over.
  [[nodiscard]] std::vector<executor::Job> take_jobs();
  /// The result of a job of this round.
  void take(std::size_t side, const executor::JobResult& result);
  /// Which side a job taken last time in take_jobs() belongs to: jobs come in the order of sides().
  [[nodiscard]] const std::vector<std::size_t>& sides_taken() const { return sides_taken_; }
  [[nodiscard]] bool done() const;
  /// Once done: more modes for each side, in another process; none where a death has settled the side.
  void extend(const std::vector<std::vector<oracle::Mode>>& sides);
  [[nodiscard]] oracle::Mode compiled() const { return plan_.compiled; }

  /// Once done: reads the artefacts and measures. A file that cannot be believed makes its mode's outcome a harness
  /// failure.
  [[nodiscard]] oracle::Evidence evidence();
  [[nodiscard]] const std::string& harness_failure() const { return harness_failure_; }
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  struct Side {
    std::vector<oracle::Mode> left;
    bool running = false;
    bool settled = false;  // by a death
  };
  [[nodiscard]] bool settles_side(const executor::Death& death) const;

  RoundPlan plan_;
  std::vector<Side> sides_;
  std::vector<std::size_t> sides_taken_;
  std::vector<std::pair<oracle::Mode, oracle::Outcome>> lost_;  // modes that died or hung
  std::vector<oracle::Mode> ended_;
  bool settled_ = false;  // whatever the other side says: its own code hung
  std::string harness_failure_;
  double seconds_ = 0;
  std::optional<int> epoch_;  // of the first side that ended
};

/// What the pool saw of a death, as the outcome of its mode.
[[nodiscard]] oracle::Outcome outcome_of(const executor::Death& death);

}  // namespace parityd::agent
