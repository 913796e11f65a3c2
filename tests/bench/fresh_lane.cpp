#include "tests/bench/fresh_lane.h"

#include <fmt/format.h>

#include "agent/daemon/program/examiner.h"
#include "executor/pool/worker_launch.h"

namespace parityd::bench {

using executor::Clock;

void FreshLane::give(const Program& program) {
  const auto& limits = config().deadlines;
  answer_.reset();
  parts_.clear();
  since_ = Clock::now();
  part_ = "import torch";
  const auto folder = scratch() / fmt::format("{}", number_++);
  const auto limit = limits.start + limits.program * 2 + limits.compile;
  start(executor::launch_options(config(), folder, executor::Role::warm), limit);
  begin(program, limit);
}

void FreshLane::hear(const std::string& line) {
  if (const auto message = executor::decode(line)) {
    std::visit([&](const auto& one) { on(one); }, *message);
  }
}

void FreshLane::on(const executor::Hello& /*hello*/) {
  pass_to("import compiler");
  const executor::RunMessage run{.id = 1,
                                 .program = program()->text,
                                 .file = scratch() / fmt::format("{}", number_ - 1) / "program.py",
                                 .modes = {oracle::Mode::eager, agent::compiled_mode(program()->options_json)},
                                 .device = config().device};
  process().write(executor::encode(run));
}

void FreshLane::on(const executor::StepStarted& step) {
  if (step.step == oracle::Step::compare || step.step == oracle::Step::reset) {
    pass_to(std::string(oracle::name(step.step)));
  } else {
    pass_to(oracle::is_eager(step.mode) ? "eager" : "compile");
  }
}

void FreshLane::on(const executor::RunResult& result) {
  answer_ = "";
  for (const auto& [mode, outcome] : result.evidence.outcomes) {
    if (outcome.kind != oracle::OutcomeKind::ran) {
      answer_ = trouble(mode, outcome);
    }
  }
  pass_to("end");
  process().write(executor::encode(executor::ShutdownMessage{}));
  process().close_input();
}

void FreshLane::ended(executor::ExitState how, const std::string& /*words*/) {
  const std::string last = part_;
  pass_to("");
  finish(answer_ ? *answer_ : fmt::format("{} in {}", described(how), last), std::move(parts_));
}

void FreshLane::pass_to(std::string next) {
  const auto now = Clock::now();
  parts_[part_] += std::chrono::duration<double>(now - since_).count();
  since_ = now;
  part_ = std::move(next);
}

}  // namespace parityd::bench
