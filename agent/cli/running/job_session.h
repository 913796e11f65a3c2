// Runs a command's programs: an engine, an examiner that submits jobs to its pool, and a loop that waits for results.
// The pool enforces deadlines; Ctrl-C ends the process, and its workers end with their pipes. Blocks; one thread.
#pragma once

#include <tl/expected.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/cli/running/engine.h"
#include "agent/daemon/program/examiner.h"
#include "agent/daemon/program/recheck.h"
#include "agent/loop/event_loop.h"

namespace parityd::agent {

class JobSession {
 public:
  /// `seed`: the seed that programs run under; `excuses_off`: excuses that no verdict may use. REQUIRES: `engine`
  /// outlives this object.
  JobSession(Engine& engine, std::uint64_t seed, const std::vector<std::string>& excuses_off);

  /// Jobs may be submitted to it at any time.
  [[nodiscard]] Examiner& examiner() { return examiner_; }

  /// Returns examinations that are already done; otherwise waits once, at most a second, and returns its results, often
  /// none. Serves workers and the syntax process. The error: no worker of some group can be started.
  [[nodiscard]] tl::expected<std::vector<Examined>, std::string> turn();
  /// Repeats turn() until `done`; every examination goes to `on_result`, which may submit more. The error is turn()'s.
  [[nodiscard]] tl::expected<void, std::string> run(const std::function<bool()>& done,
                                                    const std::function<void(const Examined&)>& on_result);
  /// Runs each case that `next` returns, until it returns none, through its rounds of fresh processes, `most` at a
  /// time, and calls `told` for each finished one. REQUIRES: the subjects' programs differ. The error is turn()'s.
  [[nodiscard]] tl::expected<void, std::string> recheck(
      const std::function<std::optional<RecheckCase>()>& next, int rounds, std::size_t most,
      const std::function<void(const Subject&, const Recheck&)>& told);
  /// Runs one of PyTorch's debugging tools. The error: the tool failed, or turn()'s.
  [[nodiscard]] tl::expected<std::string, std::string> inspect(Inspection what);
  /// The same at once for several groups, in the given order; what is within is an error if the tool failed. The error:
  /// turn()'s. REQUIRES: the groups differ.
  [[nodiscard]] tl::expected<std::vector<tl::expected<std::string, std::string>>, std::string> inspect_together(
      const std::vector<Inspection>& all);

 private:
  void wait();

  Engine& engine_;
  Examiner examiner_;
  EventLoop loop_;
};

}  // namespace parityd::agent
