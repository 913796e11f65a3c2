// A command's programs at work: an engine, an examiner that submits jobs to its pool, and one loop that waits for what
// becomes of them. Deadlines are the pool's; Ctrl-C ends the process, whose workers end with their pipes. Blocks; one
// thread.
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
  /// `seed` is what programs run under; `excuses_off`: excuses that do not count in any verdict. REQUIRES: `engine`
  /// outlives it.
  JobSession(Engine& engine, std::uint64_t seed, const std::vector<std::string>& excuses_off);

  /// Takes jobs at any time.
  [[nodiscard]] Examiner& examiner() { return examiner_; }

  /// What is examined already; else one wait, a second at most, and what it brought: often nothing. Serves workers and
  /// the syntax process. The error: no worker of some group can be started.
  [[nodiscard]] tl::expected<std::vector<Examined>, std::string> turn();
  /// Turns until `done`; everything examined goes to `take`, which may submit more. The error is turn()'s.
  [[nodiscard]] tl::expected<void, std::string> run(const std::function<bool()>& done,
                                                    const std::function<void(const Examined&)>& take);
  /// Runs each case that `next` gives, until it gives none, through its rounds by fresh processes, `most` at a time;
  /// gives `told` each that is done. REQUIRES: their subjects' programs differ. The error is turn()'s.
  [[nodiscard]] tl::expected<void, std::string> recheck(
      const std::function<std::optional<RecheckCase>()>& next, int rounds, std::size_t most,
      const std::function<void(const Subject&, const Recheck&)>& told);
  /// Runs one of PyTorch's debugging tools. The error: it failed, or turn()'s.
  [[nodiscard]] tl::expected<std::string, std::string> inspect(Inspection what);

 private:
  void wait();

  Engine& engine_;
  Examiner examiner_;
  EventLoop loop_;
};

}  // namespace parityd::agent
