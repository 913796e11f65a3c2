#include "agent/daemon/program/pipeline.h"

#include <fmt/format.h>

namespace parityd::agent {
namespace {

using oracle::Verdict;
using oracle::VerdictKind;
using store::ProgramState;

Move finished(const Position& position, std::optional<Verdict> verdict, std::string why,
              Action action = Action::finish) {
  return {.state = ProgramState::finished,
          .action = action,
          .confirmation_rounds = position.confirmation_rounds,
          .confirmation_hits = position.confirmation_hits,
          .verdict = std::move(verdict),
          .next_step = "none",
          .why = std::move(why)};
}

Move confirming(const Position& position, Action action, std::string next_step, std::string why) {
  return {.state = ProgramState::confirming,
          .action = action,
          .confirmation_rounds = position.confirmation_rounds,
          .confirmation_hits = position.confirmation_hits,
          .next_step = std::move(next_step),
          .why = std::move(why)};
}

/// Suspects wait for their first round, because confirmation gets only a share of the workers' time (share.h). A
/// program to be reduced needs just one: the other rounds run the reduced program.
Move next_round(const Policy& policy, const Position& position, std::string why) {
  const bool first = position.confirmation_rounds == 0;
  return confirming(
      position, Action::run_round,
      fmt::format("{}confirmation round {} of {}", first ? "pending: " : "", position.confirmation_rounds + 1,
                  first && policy.reduce ? 1 : policy.confirmation_rounds),
      std::move(why));
}

Move to_run_masked(const Position& position, std::string why) {
  return confirming(position, Action::run_masked, "run it with known findings masked", std::move(why));
}

Move to_run_controls(const Position& position, std::string why) {
  return confirming(position, Action::run_controls, "control runs on a warm worker", std::move(why));
}

/// The same screen again, compiled: torch.compile must confirm what interpreted graphs show or excuse.
Move to_screen_compiled(std::string why) {
  return {.state = ProgramState::queued,
          .action = Action::screen_compiled,
          .next_step = "screen it with all graphs compiled",
          .why = std::move(why)};
}

Move repair_or_give_up(const Policy& policy, const Position& position, const Screened& screened) {
  if (screened.same_error) return finished(position, screened.verdict, "the repair raised the same error again");
  if (position.repair_round >= policy.repair_rounds) {
    return finished(position, screened.verdict, fmt::format("still invalid after {} repairs", position.repair_round));
  }
  return {.state = ProgramState::repairing,
          .action = Action::ask_repair,
          .verdict = screened.verdict,
          .next_step = fmt::format("repair {} of {}", position.repair_round + 1, policy.repair_rounds),
          .why = screened.verdict.explanation};
}

/// Whether interpreted graphs suffice: eager alone settles an invalid program.
bool needs_no_code(const Screened& screened) {
  const auto verdict = screened.verdict.verdict;
  return screened.trusted &&
         (verdict == VerdictKind::invalid || (verdict == VerdictKind::consistent && !screened.much_new));
}

Move after_screen(const Policy& policy, const Position& position, const Screened& screened) {
  if (screened.interpreted && !needs_no_code(screened)) return to_screen_compiled(screened.verdict.explanation);
  if (!screened.trusted) {
    return next_round(policy, position, "the warm worker was lost or poisoned; only fresh processes can decide");
  }
  switch (screened.verdict.verdict) {
    case VerdictKind::inconsistent:
      if (screened.stepped_over) return to_run_masked(position, screened.verdict.explanation);
      return policy.run_controls ? to_run_controls(position, screened.verdict.explanation)
                                 : next_round(policy, position, screened.verdict.explanation);
    case VerdictKind::invalid:
      return repair_or_give_up(policy, position, screened);
    default:
      return finished(position, screened.verdict, screened.verdict.explanation);
  }
}

/// Whether the verdict needs no fresh processes, which would take as long and give the same.
bool settled(const Verdict& verdict) {
  return verdict.verdict == VerdictKind::excused || verdict.rule == oracle::kOwnHang;
}

/// Outputs that stay wrong on their own become programs of their own, without neutralisers: fresh processes run none.
/// If the program cannot be split, it continues as a whole as if nothing had been stepped over.
Move after_masked(const Position& position, const MaskedRan& looked) {
  const auto verdict = looked.verdict.verdict;
  if (looked.trusted && settled(looked.verdict)) return finished(position, looked.verdict, looked.verdict.explanation);
  if (looked.trusted && verdict == VerdictKind::inconsistent && looked.parts > 0) {
    return finished(position, looked.verdict,
                    fmt::format("the remaining differences continue as {} separate program{}; {}", looked.parts,
                                looked.parts == 1 ? "" : "s", looked.verdict.explanation));
  }
  return to_run_controls(position, "it cannot be split; " + looked.verdict.explanation);
}

/// Only an excuse, a hang or a finding's signature ends a suspect here; any other verdict of a warm worker must be
/// confirmed by fresh processes.
Move after_controls(const Policy& policy, const Position& position, const ControlsRan& looked) {
  const auto verdict = looked.verdict.verdict;
  if (looked.trusted && settled(looked.verdict)) return finished(position, looked.verdict, looked.verdict.explanation);
  if (looked.trusted && verdict == VerdictKind::inconsistent && looked.familiar == Familiar::yes) {
    return finished(position, looked.verdict, "the same raw signature", Action::add_occurrence);
  }
  return next_round(
      policy, position,
      looked.familiar == Familiar::recheck ? "every 50th occurrence is confirmed in full" : looked.verdict.explanation);
}

/// Steps that gather a finding's facts for its draft.
Move after_all_rounds(const Policy& policy, const Position& position, const Verdict& verdict, std::string confirmed) {
  if (policy.find_stage && !position.stage_known) {
    return confirming(position, Action::find_stage, "find the first stage that differs", verdict.explanation);
  }
  if (policy.attribute && !position.attributed) {
    return confirming(position, Action::attribute, "find what makes it vanish", verdict.explanation);
  }
  if (policy.find_residual && !position.residual_known) {
    return confirming(position, Action::find_residual, "look for other bugs in the whole program", verdict.explanation);
  }
  if (policy.find_trigger && !position.trigger_known) {
    return confirming(position, Action::find_trigger, "try it with ordinary inputs", verdict.explanation);
  }
  if (policy.find_extent && !position.extent_known) {
    return confirming(position, Action::find_extent, "try related operators, other dtypes, sizes and modes",
                      verdict.explanation);
  }
  return finished(position, verdict, std::move(confirmed), Action::add_finding);
}

/// Rounds of the whole program, if no reduced one replaces it. Flaky findings stop here: a difference that does not
/// show every time cannot be reduced or tried.
Move after_whole_rounds(const Policy& policy, const Position& position, const Verdict& verdict) {
  if (position.confirmation_rounds < policy.confirmation_rounds)
    return next_round(policy, position, verdict.explanation);
  if (position.confirmation_hits < position.confirmation_rounds) {
    return finished(
        position, verdict,
        fmt::format("flaky: shown in {} of {} rounds", position.confirmation_hits, position.confirmation_rounds),
        Action::add_flaky_finding);
  }
  return after_all_rounds(
      policy, position, verdict,
      fmt::format("confirmed in {} of {} rounds", position.confirmation_hits, position.confirmation_rounds));
}

/// One round suffices to decide that a program is worth reducing; a hang may be a busy machine's and takes two.
Move after_hits(const Policy& policy, const Position& position, const Verdict& verdict) {
  const bool each_time = position.confirmation_hits == position.confirmation_rounds;
  if (verdict.kind == oracle::Kind::hang && position.confirmation_rounds == 1) {
    return next_round(policy, position, verdict.explanation);
  }
  if (!policy.reduce || !each_time) return after_whole_rounds(policy, position, verdict);
  if (!position.reduced) return confirming(position, Action::reduce, "reduce it", verdict.explanation);
  if (position.final_hits < position.final_rounds) return after_whole_rounds(policy, position, verdict);
  if (position.final_rounds < policy.confirmation_rounds) {
    return confirming(position, Action::run_final_round,
                      fmt::format("confirmation round {} of {} of the reduced program", position.final_rounds + 1,
                                  policy.confirmation_rounds),
                      verdict.explanation);
  }
  return after_all_rounds(policy, position, verdict,
                          fmt::format("the reduced program is confirmed in {} of {} rounds", position.final_hits,
                                      policy.confirmation_rounds));
}

Move after_round(const Policy& policy, Position position, const RoundJudged& judged) {
  const bool hit = judged.verdict.verdict == VerdictKind::inconsistent && !judged.another;
  if (judged.overrules_hang) position.confirmation_rounds = position.confirmation_hits = 0;
  position.confirmation_rounds += 1;
  position.confirmation_hits += hit ? 1 : 0;
  if (position.confirmation_hits == 0) {
    Move move = finished(position, judged.verdict, judged.verdict.explanation);
    move.state_dependent = judged.verdict.verdict == VerdictKind::consistent;
    return move;
  }
  if (hit && position.confirmation_rounds == 1 && judged.familiar == Familiar::yes) {
    return finished(position, judged.verdict, "the same raw signature", Action::add_occurrence);
  }
  return after_hits(policy, position, judged.verdict);
}

Move after_known_causes(const Policy& policy, const Position& position, const KinTried& tried) {
  if (tried.familiar == Familiar::yes) return finished(position, tried.verdict, tried.why, Action::add_occurrence);
  if (position.confirmation_hits > 0) return after_hits(policy, position, tried.verdict);
  const auto& why = tried.verdict.explanation;
  return next_round(policy, position, why.empty() ? "only fresh processes can decide" : why);
}

Move begin(const Policy& policy, const Position& position, const Begin& event) {
  switch (position.state) {
    case ProgramState::queued:
      return {.state = ProgramState::queued, .action = Action::screen, .next_step = "screen", .why = "new"};
    case ProgramState::repairing:
      return {.state = ProgramState::repairing, .action = Action::ask_repair, .next_step = "repair", .why = "resumed"};
    case ProgramState::confirming:
      if (position.confirmation_rounds == 0 && policy.run_controls && !position.controls_ran) {
        return position.stepped_over ? to_run_masked(position, "resumed") : to_run_controls(position, "resumed");
      }
      if (position.confirmation_hits == 0) return next_round(policy, position, "resumed");
      return after_hits(policy, position, event.verdict.value_or(Verdict{.explanation = "resumed"}));
    case ProgramState::finished:
      break;
  }
  return finished(position, std::nullopt, "already finished");
}

}  // namespace

Move advance(const Policy& policy, const Position& position, const Event& event) {
  struct Visitor {
    const Policy& policy;
    const Position& position;
    Move operator()(const Begin& event) const { return begin(policy, position, event); }
    Move operator()(const Screened& screened) const { return after_screen(policy, position, screened); }
    Move operator()(const RoundJudged& judged) const { return after_round(policy, position, judged); }
    Move operator()(const MaskedRan& looked) const { return after_masked(position, looked); }
    Move operator()(const ControlsRan& looked) const { return after_controls(policy, position, looked); }
    Move operator()(const KinTried& tried) const { return after_known_causes(policy, position, tried); }
    Move operator()(const Further& further) const { return after_hits(policy, position, further.verdict); }
    Move operator()(const SetAside& aside) const { return finished(position, std::nullopt, aside.why); }
    Move operator()(const RepairImpossible& impossible) const {
      return finished(position, std::nullopt, impossible.why);
    }
    Move operator()(const Repaired&) const {
      return finished(position, std::nullopt, "repaired; see the repaired program");
    }
    Move operator()(const FindingWritten& written) const {
      Move move = written.decided;
      move.action = Action::finish;
      return move;
    }
    Move operator()(const HarnessFailed& failed) const {
      return finished(position, std::nullopt, "parityd itself failed, not the program: " + failed.why);
    }
  };
  return std::visit(Visitor{policy, position}, event);
}

}  // namespace parityd::agent
