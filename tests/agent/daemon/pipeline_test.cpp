#include "agent/daemon/pipeline.h"

#include "tests/catch.h"

using namespace parityd;
using agent::Action;
using oracle::VerdictKind;
using store::ProgramState;

namespace {

const agent::Policy kPolicy{.gate_rounds = 3, .find_stage = true, .repair_rounds = 3};

oracle::Verdict verdict(VerdictKind kind) {
  oracle::Verdict verdict;
  verdict.verdict = kind;
  if (kind == VerdictKind::inconsistent) {
    verdict.kind = oracle::Kind::numerical;
  }
  verdict.explanation = "because";
  return verdict;
}

agent::Position gating(int rounds, int hits, bool stage_known) {
  return {.state = ProgramState::gating, .gate_rounds = rounds, .gate_hits = hits, .stage_known = stage_known};
}

}  // namespace

TEST_CASE("a consistent program is finished after its two runs") {
  const auto move = agent::advance(kPolicy, {}, agent::Screened{.verdict = verdict(VerdictKind::consistent)});
  CHECK(move.state == ProgramState::finished);
  CHECK(move.action == Action::finish);
  REQUIRE(move.verdict);
  CHECK(move.verdict->verdict == VerdictKind::consistent);
}

TEST_CASE("a warm difference is only a suspect: fresh processes decide") {
  const auto move = agent::advance(kPolicy, {}, agent::Screened{.verdict = verdict(VerdictKind::inconsistent)});
  CHECK(move.state == ProgramState::gating);
  CHECK(move.action == Action::run_round);
  CHECK_FALSE(move.verdict);
}

TEST_CASE("the word of a lost or poisoned worker counts for nothing") {
  const auto kind = GENERATE(VerdictKind::consistent, VerdictKind::invalid, VerdictKind::inconsistent);
  const auto move = agent::advance(kPolicy, {}, agent::Screened{.verdict = verdict(kind), .trusted = false});
  CHECK(move.action == Action::run_round);
}

TEST_CASE("an invalid program is repaired until rounds or novelty of its error run out") {
  const agent::Screened invalid{.verdict = verdict(VerdictKind::invalid)};
  CHECK(agent::advance(kPolicy, {.repair_round = 0}, invalid).action == Action::ask_repair);
  CHECK(agent::advance(kPolicy, {.repair_round = 2}, invalid).action == Action::ask_repair);
  const auto last = agent::advance(kPolicy, {.repair_round = 3}, invalid);
  CHECK(last.action == Action::finish);
  REQUIRE(last.verdict);
  CHECK(last.verdict->verdict == VerdictKind::invalid);
  const auto same = agent::advance(kPolicy, {.repair_round = 1},
                                   agent::Screened{.verdict = verdict(VerdictKind::invalid), .same_error = true});
  CHECK(same.action == Action::finish);
  CHECK(same.why.find("same error") != std::string::npos);
}

TEST_CASE("a repair that cannot be had ends the program") {
  const agent::Position repairing{.state = ProgramState::repairing};
  CHECK(agent::advance(kPolicy, repairing, agent::RepairImpossible{"no provider"}).state == ProgramState::finished);
  CHECK(agent::advance(kPolicy, repairing, agent::Repaired{}).state == ProgramState::finished);
}

TEST_CASE("three hits in three rounds make a finding, with the stage found after the first") {
  const agent::RoundJudged hit{verdict(VerdictKind::inconsistent)};
  const auto first = agent::advance(kPolicy, gating(0, 0, false), hit);
  CHECK(first.action == Action::find_stage);
  CHECK(first.gate_rounds == 1);
  CHECK(first.gate_hits == 1);
  const auto stage = agent::advance(kPolicy, gating(1, 1, true), agent::StageFound{.verdict = hit.verdict});
  CHECK(stage.action == Action::run_round);
  const auto second = agent::advance(kPolicy, gating(1, 1, true), hit);
  CHECK(second.action == Action::run_round);
  const auto third = agent::advance(kPolicy, gating(2, 2, true), hit);
  CHECK(third.action == Action::find_reach);
  CHECK(third.state == ProgramState::gating);
  CHECK(third.gate_hits == 3);
  CHECK(third.gate_rounds == 3);
}

TEST_CASE("a confirmed finding is tried with ordinary inputs until that is settled, a flaky one never") {
  const auto inconsistent = verdict(VerdictKind::inconsistent);
  const auto more = agent::advance(kPolicy, gating(3, 3, true), agent::ReachTried{.verdict = inconsistent});
  CHECK(more.action == Action::find_reach);
  CHECK(more.state == ProgramState::gating);
  const auto settled =
      agent::advance(kPolicy, gating(3, 3, true), agent::ReachTried{.verdict = inconsistent, .settled = true});
  CHECK(settled.action == Action::add_finding);
  CHECK(settled.state == ProgramState::finished);
  CHECK(settled.gate_hits == 3);
  REQUIRE(settled.verdict);
  CHECK(settled.verdict->kind == inconsistent.kind);
  const auto flaky = agent::advance(kPolicy, gating(2, 1, true), agent::RoundJudged{inconsistent});
  CHECK(flaky.action == Action::add_flaky_finding);
}

TEST_CASE("a known signature is an occurrence, but now and then goes through the whole gate") {
  const auto known =
      agent::advance(kPolicy, gating(1, 1, true),
                     agent::StageFound{.verdict = verdict(VerdictKind::inconsistent), .signature_known = true});
  CHECK(known.action == Action::add_occurrence);
  REQUIRE(known.verdict);
  CHECK(known.verdict->verdict == VerdictKind::inconsistent);
  const auto recheck =
      agent::advance(kPolicy, gating(1, 1, true), agent::StageFound{.signature_known = true, .recheck = true});
  CHECK(recheck.action == Action::run_round);
}

TEST_CASE("a miss after a hit is flaky: all rounds run, so that its rate is known") {
  const auto miss = agent::advance(kPolicy, gating(1, 1, true), agent::RoundJudged{verdict(VerdictKind::consistent)});
  CHECK(miss.action == Action::run_round);
  CHECK(miss.gate_hits == 1);
  const auto end = agent::advance(kPolicy, gating(2, 1, true), agent::RoundJudged{verdict(VerdictKind::inconsistent)});
  CHECK(end.action == Action::add_flaky_finding);
  CHECK(end.gate_hits == 2);
}

TEST_CASE("a first round without a hit ends it; a consistent one is recorded as state-dependent") {
  const auto consistent =
      agent::advance(kPolicy, gating(0, 0, false), agent::RoundJudged{verdict(VerdictKind::consistent)});
  CHECK(consistent.state == ProgramState::finished);
  CHECK(consistent.action == Action::finish);
  CHECK(consistent.state_dependent);
  const auto excused = agent::advance(kPolicy, gating(0, 0, false), agent::RoundJudged{verdict(VerdictKind::excused)});
  CHECK(excused.action == Action::finish);
  CHECK_FALSE(excused.state_dependent);
}

TEST_CASE("check's policy: one round, no ladder, no trials, no repair") {
  const agent::Policy check{.gate_rounds = 1, .find_stage = false, .find_reach = false, .repair_rounds = 0};
  CHECK(agent::advance(check, gating(0, 0, false), agent::RoundJudged{verdict(VerdictKind::inconsistent)}).action ==
        Action::add_finding);
  CHECK(agent::advance(check, {}, agent::Screened{.verdict = verdict(VerdictKind::invalid)}).action == Action::finish);
}

TEST_CASE("after a restart every state goes on where it was") {
  CHECK(agent::advance(kPolicy, {.state = ProgramState::queued}, agent::Begin{}).action == Action::screen);
  CHECK(agent::advance(kPolicy, {.state = ProgramState::repairing}, agent::Begin{}).action == Action::ask_repair);
  CHECK(agent::advance(kPolicy, gating(0, 0, false), agent::Begin{}).action == Action::run_round);
  CHECK(agent::advance(kPolicy, gating(1, 1, false), agent::Begin{}).action == Action::find_stage);
  CHECK(agent::advance(kPolicy, gating(2, 2, true), agent::Begin{}).action == Action::run_round);
  const agent::Begin confirmed{.verdict = verdict(VerdictKind::inconsistent)};
  CHECK(agent::advance(kPolicy, gating(3, 3, true), confirmed).action == Action::find_reach);
  agent::Position tried = gating(3, 3, true);
  tried.reach_known = true;
  CHECK(agent::advance(kPolicy, tried, confirmed).action == Action::add_finding);
  CHECK(
      agent::advance(kPolicy, gating(3, 2, true), agent::Begin{.verdict = verdict(VerdictKind::inconsistent)}).action ==
      Action::add_flaky_finding);
}

TEST_CASE("a harness failure never becomes a finding") {
  const auto move = agent::advance(kPolicy, gating(2, 2, true), agent::HarnessFailed{"worker lost"});
  CHECK(move.action == Action::finish);
  CHECK_FALSE(move.verdict);
}

TEST_CASE("every move of every reachable position says its next step and why") {
  const std::vector<agent::Event> events = {agent::Begin{},
                                            agent::Screened{.verdict = verdict(VerdictKind::inconsistent)},
                                            agent::Screened{.verdict = verdict(VerdictKind::invalid)},
                                            agent::RoundJudged{verdict(VerdictKind::inconsistent)},
                                            agent::RoundJudged{verdict(VerdictKind::unstable)},
                                            agent::StageFound{.verdict = verdict(VerdictKind::inconsistent)},
                                            agent::ReachTried{.verdict = verdict(VerdictKind::inconsistent)},
                                            agent::RepairImpossible{"x"},
                                            agent::Repaired{},
                                            agent::HarnessFailed{"x"}};
  for (const auto state : {ProgramState::queued, ProgramState::repairing, ProgramState::gating}) {
    for (int rounds = 0; rounds < 3; ++rounds) {
      for (int hits = 0; hits <= rounds; ++hits) {
        for (const auto& event : events) {
          const auto move = agent::advance(
              kPolicy, {.state = state, .gate_rounds = rounds, .gate_hits = hits, .stage_known = hits > 0}, event);
          CHECK_FALSE(move.next_step.empty());
          CHECK_FALSE(move.why.empty());
        }
      }
    }
  }
}
