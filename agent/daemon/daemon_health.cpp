// The daemon about itself: what became of workers and devices, how well parityd does, and what that stops.
#include <fmt/format.h>

#include "agent/daemon/daemon.h"
#include "agent/daemon/upkeep/health.h"
#include "oracle/rules/refusals.h"

namespace parityd::agent {
namespace {

using namespace std::chrono_literals;
using executor::PoolNotice;
using store::EventKind;

constexpr auto kReviewEvery = 10min;  // it counts the rows of a day

/// Nothing for what is no fault.
std::optional<EventKind> fault_of(PoolNotice::What what) {
  switch (what) {
    case PoolNotice::What::retired:
    case PoolNotice::What::tainted:
      return std::nullopt;
    case PoolNotice::What::died:
      return EventKind::worker_died;
    case PoolNotice::What::hung:
      return EventKind::worker_hung;
    case PoolNotice::What::silent:
      return EventKind::worker_silent;
    case PoolNotice::What::garbled:
      return EventKind::worker_garbled;
    case PoolNotice::What::left_processes:
      return EventKind::processes_left;
    case PoolNotice::What::parent_touched:
      return EventKind::parent_touched;
    case PoolNotice::What::flooded:
      return EventKind::output_flooded;
    case PoolNotice::What::device_error:
      return EventKind::device_error;
    case PoolNotice::What::device_memory:
      return EventKind::device_out_of_memory;
    case PoolNotice::What::canary_failed:
      return EventKind::canary_failed;
    case PoolNotice::What::cache_lost:
      return EventKind::cache_lost;
    case PoolNotice::What::environment_changed:
      return EventKind::environment_changed;
  }
  return std::nullopt;
}

/// The first error of that name among the outcomes.
const oracle::ErrorReport* machine_failure(const oracle::Evidence& evidence, std::string_view pattern) {
  for (const auto& [mode, outcome] : evidence.outcomes) {
    const auto* row = outcome.error ? oracle::match(oracle::environment_failures(), *outcome.error) : nullptr;
    if (row != nullptr && row->name == pattern) {
      return &*outcome.error;
    }
  }
  return nullptr;
}

}  // namespace

void Daemon::tell_of_workers() {
  for (const auto& notice : parts_.pool.take_notices()) {
    const auto fault = fault_of(notice.what);
    if (!fault) {
      note("worker", notice.text);
      continue;
    }
    alarms_.raise(*fault, notice.text, notice.group);
    if (*fault == EventKind::environment_changed) {
      for (executor::GroupIndex group = 0; group < parts_.pool.groups(); ++group) {
        if (parts_.pool.config(group).name == notice.group) {
          environment_complete_.erase(group);
          met_.erase(group);
          recorder_.forget_environment(group);
        }
      }
    }
  }
  for (executor::GroupIndex group = 0; group < parts_.pool.groups(); ++group) {
    const auto parked = parts_.pool.parked(group);
    const auto broken = parts_.pool.broken(group);
    hold(EventKind::device_lost, parked, group);
    hold(EventKind::worker_start_failed, parked ? std::nullopt : broken, group);
  }
}

/// Raised once when it begins, over when it ends.
void Daemon::hold(EventKind kind, const std::optional<std::string>& why, executor::GroupIndex group) {
  const std::string& name = parts_.pool.config(group).name;
  if (!why) {
    alarms_.over(kind, name);
  } else if (!alarms_.holds(kind, name)) {
    alarms_.raise(kind, fmt::format("{}: {}", name, *why), name);
  }
}

/// A program that found no memory on the device waits and runs again later. False: it is judged as it is.
bool Daemon::waits_for_device(store::ProgramRow& program, const Examined& examined) {
  const auto* short_of = machine_failure(examined.evidence, "device_memory");
  if (short_of == nullptr || examined.what != Examination::screen) {
    return false;
  }
  const auto& group = parts_.pool.config(examined.group);
  alarms_.raise(EventKind::device_out_of_memory, fmt::format("{}: {}", group.name, short_of->message), group.name);
  if (!pressure_.ran_short(program.id, examined.group, group.warm_workers, now_)) {
    return false;
  }
  program.next_step = "screen";
  program.why = "the device had no memory left: it runs again later, with fewer beside it";
  parts_.store.programs.update(program);
  session_.programs -= is_first(program) ? 1 : 0;  // counted again when it runs
  placed_.erase(program.id);
  return true;
}

/// Not the program's fault, unless it ended every worker it met: then it runs no more, with what is known of it kept.
void Daemon::failed_ourselves(const store::ProgramRow& program, const Examined& examined) {
  session_.harness_failures += 1;
  std::string text = examined.harness_failure;
  if (examined.ends.size() > 1) {
    text = fmt::format("it ended {} workers: {}", examined.ends.size(), fmt::join(examined.ends, "; then: "));
    if (!examined.history.empty()) {
      parts_.store.workers.set_history(program.id, examined.history);
    }
    alarms_.raise(EventKind::poison_program, fmt::format("program {}: {}", program.id, text));
  } else {
    alarms_.raise(EventKind::harness_failed, fmt::format("program {}: {}", program.id, text));
  }
  parts_.store.examinations.add_harness_failure(program.id, text, wall_);
}

/// How programs ended that says something of the machine.
void Daemon::tell_of_verdict(const store::ProgramRow& program, const Examined& examined) {
  const auto& verdict = examined.verdict;
  if (verdict.verdict == oracle::VerdictKind::unstable) {
    alarms_.raise(EventKind::program_unsteady, fmt::format("program {}: {}", program.id, verdict.explanation));
  }
  for (const char* pattern : {"memory", "host_memory", "compiler_memory"}) {
    if (const auto* error = machine_failure(examined.evidence, pattern)) {
      alarms_.raise(EventKind::worker_out_of_memory, fmt::format("program {}: {}", program.id, error->message));
      return;
    }
  }
}

/// Now and then, and at the end: are canaries sound, own failures rare, does what should go out go out?
void Daemon::review_health() {
  if (now_ < review_at_) {
    return;
  }
  review_at_ = now_ + kReviewEvery;
  const auto counts = parts_.pool.counts();
  parts_.store.alarms.add_checks("canary", counts.canaries_passed - canaries_passed_,
                                 counts.canaries_failed - canaries_failed_, wall_);
  canaries_passed_ = counts.canaries_passed;
  canaries_failed_ = counts.canaries_failed;
  const Health health = health_of(parts_.store, wall_, parts_.config.known_max_age);
  for (const auto& rate : health.rates) {
    if (!rate.is_alarming()) {
      alarms_.over(rate.alarm);
    } else if (!alarms_.holds(rate.alarm)) {
      alarms_.raise(rate.alarm, fmt::format("{}: {}", rate.name, in_words(rate)));
    }
  }
  for (const auto& path : health.paths) {
    if (!path.stale) {
      alarms_.over(EventKind::outgoing_stale, path.last.path);
    } else if (!alarms_.holds(EventKind::outgoing_stale, path.last.path)) {
      alarms_.raise(EventKind::outgoing_stale, fmt::format("{}: {}", path.last.path, in_words(path, wall_)),
                    path.last.path);
    }
  }
}

void Daemon::notify() {
  if (const auto told = notifier_.service(now_, wall_, !stopping_, outbox_)) {
    note("notified", *told);
  }
}

}  // namespace parityd::agent
