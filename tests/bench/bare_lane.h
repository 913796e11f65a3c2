// The plainest warm loop anyone would write, bare_loop.py: one process, one program after another, nothing watched,
// nothing measured but by allclose. Its environment, caches and priming are a worker's. One thread.
#pragma once

#include "tests/bench/lane.h"

namespace parityd::bench {

class BareLane : public Lane {
 public:
  /// Starts the process; the lane is free once it is primed.
  BareLane(const executor::GroupConfig& config, std::filesystem::path scratch);

  [[nodiscard]] bool free() const override { return ready_ && !program(); }
  void give(const Program& program) override;

 private:
  void start_loop();
  void hear(const std::string& line) override;
  void ended(executor::ExitState how, const std::string& words) override;

  bool ready_ = false;
  int number_ = 0;
};

/// How a Python outside the sandbox is started so that the compiler finds what a worker's finds.
[[nodiscard]] executor::ProcessOptions plain_python(const executor::GroupConfig& config,
                                                    const std::filesystem::path& scratch,
                                                    const std::vector<std::string>& arguments);

}  // namespace parityd::bench
