#include "agent/daemon/program/pipeline.h"

#include "tests/catch.h"

using namespace parityd;
using agent::Action;
using oracle::VerdictKind;
using store::ProgramState;

namespace {

const agent::Policy kPolicy{.confirmation_rounds = 3, .repair_rounds = 3};

oracle::Verdict verdict(VerdictKind kind) {
  oracle::Verdict verdict;
  verdict.verdict = kind;
  if (kind == VerdictKind::inconsistent) {
    verdict.kind = oracle::Kind::numerical;
  }
  verdict.explanation = "because";
  return verdict;
}

agent::Position confirming(int rounds, int hits) {
  return {.state = ProgramState::confirming,
          .confirmation_rounds = rounds,
          .confirmation_hits = hits,
          .controls_ran = true};
}

/// Shown by its first round, reduced, and as many rounds of the reduced program with as many hits.
agent::Position reduced(int rounds, int hits) {
  agent::Position position = confirming(1, 1);
  position.reduced = true;
  position.final_rounds = rounds;
  position.final_hits = hits;
  return position;
}

}  // namespace

TEST_CASE("a consistent program is finished after two runs") {
  const auto move = agent::advance(kPolicy, {}, agent::Screened{.verdict = verdict(VerdictKind::consistent)});
  CHECK(move.state == ProgramState::finished);
  CHECK(move.action == Action::finish);
  REQUIRE(move.verdict);
  CHECK(move.verdict->verdict == VerdictKind::consistent);
}

TEST_CASE("a difference in a warm worker is only a suspect: control runs follow, then fresh processes decide") {
  const auto suspect = agent::advance(kPolicy, {}, agent::Screened{.verdict = verdict(VerdictKind::inconsistent)});
  CHECK(suspect.state == ProgramState::confirming);
  CHECK(suspect.action == Action::run_controls);
  CHECK_FALSE(suspect.verdict);
  for (const auto kind : {VerdictKind::inconsistent, VerdictKind::unstable, VerdictKind::consistent}) {
    const auto looked = agent::advance(kPolicy, confirming(0, 0), agent::ControlsRan{.verdict = verdict(kind)});
    CHECK(looked.action == Action::run_round);
    CHECK(looked.next_step.find("pending") == 0);
  }
}

TEST_CASE("a program that differs although known findings were masked is examined with their neutralisers on") {
  const agent::Screened screened{.verdict = verdict(VerdictKind::inconsistent), .stepped_over = true};
  const auto move = agent::advance(kPolicy, {}, screened);
  CHECK(move.state == ProgramState::confirming);
  CHECK(move.action == Action::run_masked);
  agent::Position resumed{.state = ProgramState::confirming, .stepped_over = true};
  CHECK(agent::advance(kPolicy, resumed, agent::Begin{}).action == Action::run_masked);
  resumed.controls_ran = true;
  CHECK(agent::advance(kPolicy, resumed, agent::Begin{}).action == Action::run_round);
}

TEST_CASE("a program whose graphs replaced its code is finished if little is new and both sides agree") {
  const auto after = [](VerdictKind kind, bool trusted, bool much_new) {
    return agent::advance(
        kPolicy, {},
        agent::Screened{.verdict = verdict(kind), .trusted = trusted, .interpreted = true, .much_new = much_new});
  };
  CHECK(after(VerdictKind::consistent, true, false).action == Action::finish);
  for (const auto& move : {after(VerdictKind::consistent, true, true), after(VerdictKind::consistent, false, false),
                           after(VerdictKind::inconsistent, true, false), after(VerdictKind::excused, true, false),
                           after(VerdictKind::unstable, true, false)}) {
    CHECK(move.action == Action::screen_compiled);
    CHECK(move.state == ProgramState::queued);
    CHECK_FALSE(move.verdict);
  }
  CHECK(after(VerdictKind::invalid, true, true).action == Action::ask_repair);
}

TEST_CASE("residual differences continue as programs of their own, otherwise the whole program continues unmasked") {
  const agent::Position position{.state = ProgramState::confirming, .stepped_over = true};
  const auto stays = verdict(VerdictKind::inconsistent);
  const auto parted = agent::advance(kPolicy, position, agent::MaskedRan{.verdict = stays, .parts = 2});
  CHECK(parted.action == Action::finish);
  REQUIRE(parted.verdict);
  CHECK(parted.verdict->verdict == VerdictKind::inconsistent);
  CHECK(parted.why.find("2 separate programs") != std::string::npos);
  const auto whole = agent::advance(kPolicy, position, agent::MaskedRan{.verdict = stays});
  CHECK(whole.action == Action::run_controls);
  CHECK_FALSE(whole.verdict);
  const auto excused = verdict(VerdictKind::excused);
  CHECK(agent::advance(kPolicy, position, agent::MaskedRan{.verdict = excused}).action == Action::finish);
  CHECK(agent::advance(kPolicy, position, agent::MaskedRan{.verdict = excused, .trusted = false}).action ==
        Action::run_controls);
  const auto gone = verdict(VerdictKind::consistent);  // of a second look: it proves nothing of the program as it is
  CHECK(agent::advance(kPolicy, position, agent::MaskedRan{.verdict = gone}).action == Action::run_controls);
}

TEST_CASE("control runs settle an excused difference if their worker can be trusted") {
  const auto excused = verdict(VerdictKind::excused);
  const auto ended = agent::advance(kPolicy, confirming(0, 0), agent::ControlsRan{.verdict = excused});
  CHECK(ended.action == Action::finish);
  REQUIRE(ended.verdict);
  CHECK(ended.verdict->verdict == VerdictKind::excused);
  CHECK(agent::advance(kPolicy, confirming(0, 0), agent::ControlsRan{.verdict = excused, .trusted = false}).action ==
        Action::run_round);
}

TEST_CASE("a program whose own code hangs in a control run is dropped, a suspect that hangs is not") {
  auto own = verdict(VerdictKind::invalid);
  own.rule = oracle::kOwnHang;
  CHECK(agent::advance(kPolicy, confirming(0, 0), agent::ControlsRan{.verdict = own}).state == ProgramState::finished);
  CHECK(agent::advance(kPolicy, confirming(0, 0), agent::MaskedRan{.verdict = own}).state == ProgramState::finished);
  own.rule = "outcome.eager_died";
  CHECK(agent::advance(kPolicy, confirming(0, 0), agent::ControlsRan{.verdict = own}).action == Action::run_round);
}

TEST_CASE("results of a lost or poisoned worker are ignored") {
  const auto kind = GENERATE(VerdictKind::consistent, VerdictKind::invalid, VerdictKind::inconsistent);
  const auto move = agent::advance(kPolicy, {}, agent::Screened{.verdict = verdict(kind), .trusted = false});
  CHECK(move.action == Action::run_round);
}

TEST_CASE("an invalid program is repaired until its rounds or the novelty of its error are used up") {
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

TEST_CASE("a repair that is not available ends the program") {
  const agent::Position repairing{.state = ProgramState::repairing};
  CHECK(agent::advance(kPolicy, repairing, agent::RepairImpossible{"no provider"}).state == ProgramState::finished);
  CHECK(agent::advance(kPolicy, repairing, agent::Repaired{}).state == ProgramState::finished);
}

TEST_CASE("a hit is reduced, confirmed in three rounds, and gets stage, trigger and extent before it is a finding") {
  const agent::RoundJudged hit{.verdict = verdict(VerdictKind::inconsistent)};
  const auto suspect = agent::advance(kPolicy, confirming(0, 0), agent::KinTried{.verdict = hit.verdict});
  CHECK(suspect.next_step == "pending: confirmation round 1 of 1");
  const auto first = agent::advance(kPolicy, confirming(0, 0), hit);
  CHECK(first.action == Action::reduce);
  CHECK(first.state == ProgramState::confirming);
  CHECK(first.confirmation_rounds == 1);
  CHECK(first.confirmation_hits == 1);

  const agent::Further further{.verdict = hit.verdict};
  for (int rounds = 0; rounds < 3; ++rounds) {
    CHECK(agent::advance(kPolicy, reduced(rounds, rounds), further).action == Action::run_final_round);
  }
  agent::Position position = reduced(3, 3);
  CHECK(agent::advance(kPolicy, position, further).action == Action::find_stage);
  position.stage_known = true;
  CHECK(agent::advance(kPolicy, position, further).action == Action::attribute);
  position.attributed = true;
  CHECK(agent::advance(kPolicy, position, further).action == Action::find_residual);
  position.residual_known = true;
  CHECK(agent::advance(kPolicy, position, further).action == Action::find_trigger);
  position.trigger_known = true;
  CHECK(agent::advance(kPolicy, position, further).action == Action::find_extent);
  position.extent_known = true;
  const auto last = agent::advance(kPolicy, position, further);
  CHECK(last.action == Action::add_finding);
  CHECK(last.state == ProgramState::finished);
  CHECK(last.why == "the reduced program is confirmed in 3 of 3 rounds");
  REQUIRE(last.verdict);
  CHECK(last.verdict->kind == hit.verdict.kind);
}

TEST_CASE("if the reduced program misses a round the whole program is confirmed in the remaining rounds") {
  const agent::Further further{.verdict = verdict(VerdictKind::inconsistent)};
  CHECK(agent::advance(kPolicy, reduced(1, 0), further).action == Action::run_round);
  agent::Position position = reduced(2, 1);
  const auto second = agent::advance(kPolicy, position, further);
  CHECK(second.action == Action::run_round);
  CHECK(second.next_step == "confirmation round 2 of 3");
  position.confirmation_rounds = position.confirmation_hits = 2;
  const agent::RoundJudged hit{.verdict = further.verdict};
  const auto third = agent::advance(kPolicy, position, hit);
  CHECK(third.action == Action::find_stage);
  CHECK(third.confirmation_hits == 3);
  const agent::RoundJudged miss{.verdict = verdict(VerdictKind::consistent)};
  CHECK(agent::advance(kPolicy, position, miss).action == Action::add_flaky_finding);
}

TEST_CASE("without a reduction the whole program runs all rounds") {
  agent::Policy policy = kPolicy;
  policy.reduce = false;
  const agent::RoundJudged hit{.verdict = verdict(VerdictKind::inconsistent)};
  CHECK(agent::advance(policy, confirming(0, 0), hit).action == Action::run_round);
  CHECK(agent::advance(policy, confirming(1, 1), hit).action == Action::run_round);
  CHECK(agent::advance(policy, confirming(2, 2), hit).action == Action::find_stage);
}

TEST_CASE("a flaky program is not reduced") {
  const auto flaky =
      agent::advance(kPolicy, confirming(2, 1), agent::RoundJudged{.verdict = verdict(VerdictKind::inconsistent)});
  CHECK(flaky.action == Action::add_flaky_finding);
}

TEST_CASE("rounds that show different kinds are flaky") {
  const auto end = agent::advance(kPolicy, confirming(2, 2),
                                  agent::RoundJudged{.verdict = verdict(VerdictKind::inconsistent), .another = true});
  CHECK(end.action == Action::add_flaky_finding);
  CHECK(end.confirmation_hits == 2);
}

TEST_CASE("a hang is reduced after a second one, and does not count once a round shows something else") {
  auto hang = verdict(VerdictKind::inconsistent);
  hang.kind = oracle::Kind::hang;
  CHECK(agent::advance(kPolicy, confirming(0, 0), agent::RoundJudged{.verdict = hang}).action == Action::run_round);
  CHECK(agent::advance(kPolicy, confirming(1, 1), agent::RoundJudged{.verdict = hang}).action == Action::reduce);
  const auto wrong =
      agent::advance(kPolicy, confirming(2, 2),
                     agent::RoundJudged{.verdict = verdict(VerdictKind::inconsistent), .overrules_hang = true});
  CHECK(wrong.action == Action::reduce);
  CHECK(wrong.confirmation_rounds == 1);
  CHECK(wrong.confirmation_hits == 1);
}

TEST_CASE("a known signature is an occurrence but sometimes runs all confirmation rounds") {
  using agent::Familiar;
  const auto inconsistent = verdict(VerdictKind::inconsistent);
  const auto looked = [&](Familiar familiar, bool trusted) {
    return agent::advance(kPolicy, confirming(0, 0),
                          agent::ControlsRan{.verdict = inconsistent, .trusted = trusted, .familiar = familiar});
  };
  const auto known = looked(Familiar::yes, true);
  CHECK(known.action == Action::add_occurrence);
  REQUIRE(known.verdict);
  CHECK(known.verdict->verdict == VerdictKind::inconsistent);
  CHECK(looked(Familiar::yes, false).action == Action::run_round);
  CHECK(looked(Familiar::recheck, true).action == Action::run_round);
  // What no warm worker survives is known by its first round.
  const agent::RoundJudged round{.verdict = inconsistent, .familiar = Familiar::yes};
  CHECK(agent::advance(kPolicy, confirming(0, 0), round).action == Action::add_occurrence);
  CHECK(agent::advance(kPolicy, confirming(1, 1), round).action == Action::reduce);
}

TEST_CASE("a program that vanishes with a finding's neutraliser is its occurrence, anything else is confirmed") {
  const auto inconsistent = verdict(VerdictKind::inconsistent);
  const auto kin = agent::advance(
      kPolicy, confirming(0, 0),
      agent::KinTried{.verdict = inconsistent, .familiar = agent::Familiar::yes, .why = "it vanishes with"});
  CHECK(kin.action == Action::add_occurrence);
  CHECK(kin.why == "it vanishes with");
  CHECK(agent::advance(kPolicy, confirming(0, 0), agent::KinTried{.verdict = inconsistent}).action ==
        Action::run_round);
}

TEST_CASE("a suspect that is set aside ends without a verdict and gives the reason") {
  const auto move = agent::advance(kPolicy, confirming(0, 0), agent::SetAside{"too many wait"});
  CHECK(move.action == Action::finish);
  CHECK_FALSE(move.verdict);
  CHECK(move.why == "too many wait");
}

TEST_CASE("a miss after a hit is flaky and all rounds run so that the rate is known") {
  const auto miss =
      agent::advance(kPolicy, confirming(1, 1), agent::RoundJudged{.verdict = verdict(VerdictKind::consistent)});
  CHECK(miss.action == Action::run_round);
  CHECK(miss.confirmation_hits == 1);
  const auto end =
      agent::advance(kPolicy, confirming(2, 1), agent::RoundJudged{.verdict = verdict(VerdictKind::inconsistent)});
  CHECK(end.action == Action::add_flaky_finding);
  CHECK(end.confirmation_hits == 2);
}

TEST_CASE("a first round without a hit ends the program, a consistent one is recorded as state-dependent") {
  const auto consistent =
      agent::advance(kPolicy, confirming(0, 0), agent::RoundJudged{.verdict = verdict(VerdictKind::consistent)});
  CHECK(consistent.state == ProgramState::finished);
  CHECK(consistent.action == Action::finish);
  CHECK(consistent.state_dependent);
  const auto excused =
      agent::advance(kPolicy, confirming(0, 0), agent::RoundJudged{.verdict = verdict(VerdictKind::excused)});
  CHECK(excused.action == Action::finish);
  CHECK_FALSE(excused.state_dependent);
}

TEST_CASE("the policy of check is one round without preparation, follow-up or repair") {
  const agent::Policy check{.confirmation_rounds = 1,
                            .run_controls = false,
                            .reduce = false,
                            .find_stage = false,
                            .attribute = false,
                            .find_residual = false,
                            .find_trigger = false,
                            .find_extent = false,
                            .repair_rounds = 0};
  CHECK(agent::advance(check, confirming(0, 0), agent::RoundJudged{.verdict = verdict(VerdictKind::inconsistent)})
            .action == Action::add_finding);
  CHECK(agent::advance(check, {}, agent::Screened{.verdict = verdict(VerdictKind::invalid)}).action == Action::finish);
}

TEST_CASE("after a restart every state resumes where it stopped") {
  CHECK(agent::advance(kPolicy, {.state = ProgramState::queued}, agent::Begin{}).action == Action::screen);
  CHECK(agent::advance(kPolicy, {.state = ProgramState::repairing}, agent::Begin{}).action == Action::ask_repair);
  CHECK(agent::advance(kPolicy, {.state = ProgramState::confirming}, agent::Begin{}).action == Action::run_controls);
  CHECK(agent::advance(kPolicy, confirming(0, 0), agent::Begin{}).action == Action::run_round);
  const agent::Begin confirmed{.verdict = verdict(VerdictKind::inconsistent)};
  CHECK(agent::advance(kPolicy, confirming(1, 1), confirmed).action == Action::reduce);
  CHECK(agent::advance(kPolicy, reduced(1, 1), confirmed).action == Action::run_final_round);
  CHECK(agent::advance(kPolicy, reduced(1, 0), confirmed).action == Action::run_round);
  CHECK(agent::advance(kPolicy, confirming(2, 1), confirmed).action == Action::run_round);
  agent::Position tried = reduced(3, 3);
  tried.stage_known = tried.attributed = tried.residual_known = tried.trigger_known = tried.extent_known = true;
  CHECK(agent::advance(kPolicy, tried, confirmed).action == Action::add_finding);
  CHECK(agent::advance(kPolicy, confirming(3, 2), confirmed).action == Action::add_flaky_finding);
}

TEST_CASE("a harness failure never becomes a finding") {
  const auto move = agent::advance(kPolicy, confirming(2, 2), agent::HarnessFailed{"worker lost"});
  CHECK(move.action == Action::finish);
  CHECK_FALSE(move.verdict);
}

TEST_CASE("every transition of every reachable state gives its next step and reason") {
  const std::vector<agent::Event> events = {agent::Begin{},
                                            agent::Screened{.verdict = verdict(VerdictKind::inconsistent)},
                                            agent::Screened{.verdict = verdict(VerdictKind::invalid)},
                                            agent::RoundJudged{.verdict = verdict(VerdictKind::inconsistent)},
                                            agent::RoundJudged{.verdict = verdict(VerdictKind::unstable)},
                                            agent::ControlsRan{.verdict = verdict(VerdictKind::inconsistent)},
                                            agent::Further{.verdict = verdict(VerdictKind::inconsistent)},
                                            agent::RepairImpossible{"x"},
                                            agent::Repaired{},
                                            agent::HarnessFailed{"x"}};
  for (const auto state : {ProgramState::queued, ProgramState::repairing, ProgramState::confirming}) {
    for (int rounds = 0; rounds <= 3; ++rounds) {
      for (int hits = 0; hits <= rounds; ++hits) {
        for (const auto& event : events) {
          const auto move = agent::advance(
              kPolicy,
              {.state = state, .confirmation_rounds = rounds, .confirmation_hits = hits, .controls_ran = hits > 0},
              event);
          CHECK_FALSE(move.next_step.empty());
          CHECK_FALSE(move.why.empty());
        }
      }
    }
  }
}
