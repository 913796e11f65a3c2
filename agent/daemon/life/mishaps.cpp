#include "agent/daemon/life/mishaps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "executor/pool/pool.h"
#include "oracle/rules/refusals.h"

namespace parityd::agent {
namespace {

using store::EventKind;

/// The first environment error of that name among the outcomes.
const oracle::ErrorReport* machine_failure(const oracle::Evidence& evidence, std::string_view pattern) {
  for (const auto& [mode, outcome] : evidence.outcomes) {
    const auto* row = outcome.error ? oracle::match(oracle::environment_failures(), *outcome.error) : nullptr;
    if (row != nullptr && row->name == pattern) return &*outcome.error;
  }
  return nullptr;
}

}  // namespace

void tell_harness_failure(Turn& turn, store::Id program, const Examined& examined) {
  turn.session.harness_failures += 1;
  std::string text = examined.harness_failure;
  if (examined.ends.size() > 1) {
    text = fmt::format("it killed {} workers: {}", examined.ends.size(), fmt::join(examined.ends, "; then: "));
    if (!examined.history.empty()) turn.store.workers.set_history(program, examined.history);
    turn.alarms.raise(EventKind::poison_program, fmt::format("program {}: {}", program, text));
  } else {
    turn.alarms.raise(EventKind::harness_failed, fmt::format("program {}: {}", program, text));
  }
  turn.store.examinations.add_harness_failure(program, text, turn.wall);
}

void tell_verdict(Turn& turn, store::Id program, const Examined& examined) {
  const auto& verdict = examined.verdict;
  if (verdict.verdict == oracle::VerdictKind::unstable) {
    turn.alarms.raise(EventKind::program_unsteady, fmt::format("program {}: {}", program, verdict.explanation));
  }
  for (const char* pattern : {"memory", "host_memory", "compiler_memory"}) {
    if (const auto* error = machine_failure(examined.evidence, pattern)) {
      turn.alarms.raise(EventKind::worker_out_of_memory, fmt::format("program {}: {}", program, error->message));
      return;
    }
  }
}

bool waits_for_device(Workshop& shop, store::ProgramRow& program, const Examined& examined) {
  Turn& turn = shop.turn;
  const auto* short_of = machine_failure(examined.evidence, "device_memory");
  if (short_of == nullptr || examined.what != Examination::screen) return false;
  const auto& group = turn.pool.config(examined.group);
  turn.alarms.raise(EventKind::device_out_of_memory, fmt::format("{}: {}", group.name, short_of->message), group.name);
  if (!shop.pressure.ran_short(program.id, examined.group, group.warm_workers, turn.now)) return false;
  program.next_step = "screen";
  program.why = "the device was out of memory; it is retried later with fewer beside it";
  turn.store.programs.update(program);
  return true;
}

}  // namespace parityd::agent
