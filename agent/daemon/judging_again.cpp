#include "agent/daemon/judging_again.h"

#include <fmt/format.h>

#include <algorithm>

namespace parityd::agent {
namespace {

using oracle::VerdictKind;

/// Whether a warm worker's verdict alone ended it: verdicts of fresh processes stand, and so do occurrences of
/// findings.
bool ended_on_warm_word(const store::ProgramRow& program) {
  return program.state == store::ProgramState::finished && program.confirmation_rounds == 0 && program.verdict &&
         (program.verdict->verdict == VerdictKind::consistent || program.verdict->verdict == VerdictKind::excused ||
          program.verdict->verdict == VerdictKind::invalid);
}

}  // namespace

void JudgingAgain::apply_checks() {
  for (const auto& settled : shop_.turn.pool.take_settled()) {
    int again = 0;
    for (const store::Id program : settled.subjects) {
      if (settled.why.empty()) {
        shop_.trust.settle(program);
      } else {
        again += judge_again(program, EndOf::worker, settled.why) ? 1 : 0;
      }
    }
    if (again > 0) {
      shop_.turn.say("judged_again", fmt::format("{} programs are run again by other workers: {}", again, settled.why));
    }
  }
}

void JudgingAgain::resume() {
  const auto& store = shop_.turn.store;
  for (const store::Id program : store.trust.queued_again()) shop_.trust.judges_again(program);
  for (const store::Id program : store.trust.unsettled()) {
    judge_again(program, EndOf::daemon, "parityd ended before its worker was checked");
  }
}

bool JudgingAgain::judge_again(store::Id id, EndOf end, const std::string& why) {
  auto& store = shop_.turn.store;
  shop_.trust.unsettle(id);
  auto program = store.programs.find(id).value();
  auto& repairs = programs_.repairs();
  const auto repair = std::ranges::find(repairs, id);  // not requested yet
  if (!ended_on_warm_word(program) && repair == repairs.end()) {
    store.trust.unsettle(id);
    return false;
  }
  const int times = store.trust.note_again(id, end == EndOf::worker);
  if (repair != repairs.end()) {
    repairs.erase(repair);
  } else if (end == EndOf::worker) {
    programs_.uncount(program);  // its verdict was counted in this session
  }
  shop_.trust.judges_again(id);
  program.state = store::ProgramState::queued;
  program.verdict.reset();
  program.finished_at = 0;
  program.next_step = "screen";
  program.why = "judged again: " + why;
  store.programs.update(program);
  programs_.forget(id);
  if (times < Trust::kGateAfter) {
    programs_.queue(std::move(program));
  } else {
    programs_.step(programs_.task(id), Screened{.verdict = {}, .trusted = false});
  }
  return true;
}

}  // namespace parityd::agent
