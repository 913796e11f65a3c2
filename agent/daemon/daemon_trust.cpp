// Whose word verdicts rest on: a warm worker's counts once its whole state has been looked at
// (executor/pool/settled.h). What one said that was found changed, or ended before anybody looked, is said again by
// another; of what a second one is wrong about only fresh processes judge.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "agent/daemon/daemon.h"

namespace parityd::agent {
namespace {

/// So many differences that fresh processes do not show, and it is the worker that differs.
constexpr int kVanishedOfOne = 2;

/// By a warm worker alone: verdicts of fresh processes stand, and so does what became an occurrence of a finding.
bool ended_on_warm_word(const store::ProgramRow& program) {
  using oracle::VerdictKind;
  return program.state == store::ProgramState::finished && program.gate_rounds == 0 && program.verdict &&
         (program.verdict->verdict == VerdictKind::consistent || program.verdict->verdict == VerdictKind::excused ||
          program.verdict->verdict == VerdictKind::invalid);
}

}  // namespace

bool Daemon::is_counted_first(const store::ProgramRow& program) const {
  return is_first(program) && !judged_again_.contains(program.id);
}

void Daemon::note_word(const Examined& examined) {
  if (!rests_on_worker(examined.what) || !examined.trusted || examined.died) {
    return;
  }
  parts_.store.trust.note_unsettled(examined.program);
  unsettled_[examined.program] += 1;
  if (examined.verdict.verdict == oracle::VerdictKind::inconsistent) {
    saw_difference_[examined.program] = {examined.group, examined.worker};
  }
}

void Daemon::take_settled() {
  for (const auto& settled : parts_.pool.take_settled()) {
    int again = 0;
    for (const store::Id program : settled.subjects) {
      if (settled.why.empty()) {
        parts_.store.trust.settle(program);
        if (const auto open = unsettled_.find(program); open != unsettled_.end() && --open->second == 0) {
          unsettled_.erase(open);
        }
      } else {
        again += judge_again(program, EndOf::worker, settled.why) ? 1 : 0;
      }
    }
    if (again > 0) {
      say("judged_again", fmt::format("{} programs are judged again by other workers: {}", again, settled.why));
    }
  }
}

/// Once workers are gone nobody looks at them any more.
void Daemon::resume_unsettled() {
  const auto queued = parts_.store.trust.queued_again();
  judged_again_.insert(queued.begin(), queued.end());
  for (const store::Id program : parts_.store.trust.unsettled()) {
    if (judge_again(program, EndOf::daemon, "parityd ended before its worker was looked at")) {
      begun_before_.insert(parts_.store.programs.find(program)->root);
    }
  }
}

bool Daemon::judge_again(store::Id id, EndOf end, const std::string& why) {
  unsettled_.erase(id);
  auto program = parts_.store.programs.find(id).value();
  const auto repair = std::ranges::find(repairs_, id, &store::ProgramRow::id);  // not asked for yet
  if (!ended_on_warm_word(program) && repair == repairs_.end()) {
    parts_.store.trust.unsettle(id);
    return false;
  }
  const int times = parts_.store.trust.note_again(id, end == EndOf::worker);
  if (repair != repairs_.end()) {
    repairs_.erase(repair);
  } else if (!begun_before_.contains(program.root)) {
    uncount(program);
  }
  judged_again_.insert(id);
  program.state = store::ProgramState::queued;
  program.verdict.reset();
  program.finished_at = 0;
  program.next_step = "screen";
  program.why = "judged again: " + why;
  parts_.store.programs.update(program);
  if (times < kGateAfter) {
    queued_.push_back(std::move(program));
  } else {
    step(std::move(program), Screened{.verdict = {}, .trusted = false});
  }
  return true;
}

/// What finished() counted comes again.
void Daemon::uncount(const store::ProgramRow& program) {
  const auto verdict = program.verdict->verdict;
  session_.consistent -= verdict == oracle::VerdictKind::consistent ? 1 : 0;
  session_.excused -= verdict == oracle::VerdictKind::excused ? 1 : 0;
  if (verdict != oracle::VerdictKind::invalid && !is_derived(program)) {
    session_.valid -= 1;
    session_.repaired -= program.round > 0 ? 1 : 0;
  }
}

/// Fresh processes do not show what a warm worker saw of this program.
void Daemon::note_vanished(store::Id program) {
  const auto seen = saw_difference_.find(program);
  if (seen == saw_difference_.end()) {
    return;
  }
  const auto [group, worker] = seen->second;
  if (++vanished_[seen->second] == kVanishedOfOne) {
    parts_.pool.distrust(group, worker,
                         fmt::format("{} differences it saw are not there in fresh processes", kVanishedOfOne), now_);
  }
}

}  // namespace parityd::agent
