#include "agent/daemon/program/round.h"

#include "agent/daemon/program/examiner.h"
#include "agent/daemon/supply/intake.h"
#include "tests/catch.h"

using namespace parityd;
using oracle::Mode;

namespace {

agent::RoundPlan plan() {
  agent::RoundPlan plan;
  plan.program = "class Model: ...";
  plan.sides = {{Mode::eager, Mode::reference}, {Mode::inductor, Mode::inductor_precise, Mode::inductor_fp64}};
  plan.folder = "/nonexistent";
  return plan;
}

executor::JobResult death(Mode mode, int signal) {
  executor::JobResult result;
  result.death = executor::Death{.mode = mode, .step = oracle::Step::compile, .signal = signal};
  return result;
}

executor::JobResult ended(const std::vector<Mode>& modes) {
  executor::JobResult result;
  for (const Mode mode : modes) {
    result.evidence.outcomes[mode] = {};
  }
  return result;
}

}  // namespace

TEST_CASE(
    "modes left unrun by a CUDA error get another process, and a process that runs no mode is a harness failure") {
  agent::Round round(plan());
  REQUIRE(round.take_jobs().size() == 2);
  round.on_result(1, ended({Mode::inductor}));
  const auto jobs = round.take_jobs();
  REQUIRE(jobs.size() == 1);
  CHECK(jobs[0].modes == std::vector{Mode::inductor_precise, Mode::inductor_fp64});
  round.on_result(1, ended({}));
  CHECK(round.done());
  CHECK(round.harness_failure().find("none of its modes") != std::string::npos);
}

TEST_CASE("a round gives each side a fresh process") {
  agent::Round round(plan());
  const auto jobs = round.take_jobs();
  REQUIRE(jobs.size() == 2);
  CHECK(jobs[0].fresh);
  CHECK(jobs[0].modes == std::vector{Mode::eager, Mode::reference});
  CHECK(jobs[1].modes == std::vector{Mode::inductor, Mode::inductor_precise, Mode::inductor_fp64});
  CHECK(jobs[0].artefacts == jobs[1].artefacts);
  CHECK_FALSE(round.done());
  CHECK(round.take_jobs().empty());
}

TEST_CASE("the modes after one that died run in another process") {
  agent::Round round(plan());
  REQUIRE(round.take_jobs().size() == 2);
  round.on_result(1, ended({Mode::inductor}));
  REQUIRE(round.take_jobs().size() == 1);
  round.on_result(1, death(Mode::inductor_precise, 11));
  const auto jobs = round.take_jobs();
  REQUIRE(jobs.size() == 1);
  CHECK(round.sides_taken() == std::vector<std::size_t>{1});
  CHECK(jobs[0].modes == std::vector{Mode::inductor_fp64});
}

TEST_CASE("if the compiled mode or eager dies the modes after it do not matter") {
  agent::Round round(plan());
  REQUIRE(round.take_jobs().size() == 2);
  round.on_result(1, death(Mode::inductor, 11));
  CHECK(round.take_jobs().empty());
  CHECK_FALSE(round.done());
  round.on_result(0, death(Mode::eager, 6));
  REQUIRE(round.done());
  const auto evidence = round.evidence();
  REQUIRE(evidence.outcome(Mode::inductor) != nullptr);
  CHECK(evidence.outcome(Mode::inductor)->kind == oracle::OutcomeKind::died);
  CHECK(evidence.outcome(Mode::inductor)->signal == 11);
  CHECK(evidence.outcome(Mode::eager)->signal == 6);
}

TEST_CASE("a round runs its remaining modes in other processes, except on a side that a crash has decided") {
  agent::Round round(plan());
  REQUIRE(round.take_jobs().size() == 2);
  round.on_result(0, ended({Mode::eager, Mode::reference}));
  round.on_result(1, death(Mode::inductor, 11));
  REQUIRE(round.done());
  round.extend({{Mode::eager_noise}, {Mode::inductor_normal}});
  CHECK_FALSE(round.done());
  const auto jobs = round.take_jobs();
  REQUIRE(jobs.size() == 1);
  CHECK(jobs[0].modes == std::vector{Mode::eager_noise});
  round.on_result(0, ended({Mode::eager_noise}));
  CHECK(round.done());
}

TEST_CASE("a hang of the program's own code decides the round, whatever the other side does") {
  const auto hang = [](Mode mode, oracle::Step step) {
    auto result = death(mode, 9);
    result.death->step = step;
    result.death->hung = true;
    return result;
  };
  for (const auto& [side, mode, step] :
       {std::tuple(0, Mode::eager, oracle::Step::forward), std::tuple(0, Mode::reference, oracle::Step::measure),
        std::tuple(1, Mode::inductor, oracle::Step::reset)}) {
    agent::Round round(plan());
    REQUIRE(round.take_jobs().size() == 2);
    round.on_result(static_cast<std::size_t>(side), hang(mode, step));
    CHECK(round.done());
    round.extend({{Mode::eager_noise}, {Mode::inductor}});
    CHECK(round.done());
  }
  agent::Round round(plan());
  REQUIRE(round.take_jobs().size() == 2);
  round.on_result(1, hang(Mode::inductor, oracle::Step::compile));
  CHECK_FALSE(round.done());
}

TEST_CASE("a fresh process that hangs before its program begins proves nothing about the program") {
  auto hang = death(Mode::eager, 9);
  hang.death->step = oracle::Step::start;
  hang.death->hung = true;  // a GPU that others keep busy
  agent::Round round(plan());
  REQUIRE(round.take_jobs().size() == 2);
  round.on_result(0, hang);
  CHECK(round.done());
  CHECK(round.harness_failure().find("before its program") != std::string::npos);
}

TEST_CASE("a missing result file is a harness failure, never a finding") {
  agent::Round round(plan());
  REQUIRE(round.take_jobs().size() == 2);
  round.on_result(0, ended({Mode::eager, Mode::reference}));
  round.on_result(1, ended({Mode::inductor, Mode::inductor_precise, Mode::inductor_fp64}));
  REQUIRE(round.done());
  CHECK(round.evidence().outcomes.empty());
  CHECK(round.harness_failure().find("eager") != std::string::npos);
}

TEST_CASE("a reported crash in a mode that was not requested is not believed") {
  agent::Round round(plan());
  REQUIRE(round.take_jobs().size() == 2);
  round.on_result(0, death(Mode::inductor_freezing, 9));
  CHECK(round.done());
  CHECK_FALSE(round.harness_failure().empty());
  CHECK(round.take_jobs().empty());
}

TEST_CASE("a native crash keeps the innermost Python frame of faulthandler's report") {
  executor::Death native;
  native.signal = 11;
  native.output =
      "noise\nFatal Python error: Segmentation fault\n\nCurrent thread 0x1 (most recent call first):\n"
      "  File \"/x/torch/_inductor/codecache.py\", line 12 in load\n  File \"/x/main.py\", line 1 in run\n";
  CHECK(agent::outcome_of(native).native_frame == "codecache.py:load");
  native.output = "nothing of use";
  CHECK(agent::outcome_of(native).native_frame.empty());
}

TEST_CASE("a program's compiled mode comes from its OPTIONS") {
  CHECK(agent::compiled_mode("{}") == Mode::inductor);
  CHECK(agent::compiled_mode(R"({"mode": "inductor_freezing"})") == Mode::inductor_freezing);
  CHECK(agent::compiled_mode(R"({"mode": "eager"})") == Mode::inductor);
  CHECK(agent::compiled_mode(R"({"mode": 7})") == Mode::inductor);
  CHECK(agent::compiled_mode("not json") == Mode::inductor);
}

TEST_CASE("options are drawn by weight and are the same for the same seed") {
  CHECK(agent::draw_options({{"inductor", 1}}, 5) == "{}");
  CHECK(agent::draw_options({{"backward", 1}}, 5) == R"({"backward": true})");
  const std::map<std::string, double> weights = {{"inductor", 50}, {"backward", 50}};
  int backward = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    CHECK(agent::draw_options(weights, seed) == agent::draw_options(weights, seed));
    backward += agent::draw_options(weights, seed) == "{}" ? 0 : 1;
  }
  CHECK(backward > 120);
  CHECK(backward < 280);
}
