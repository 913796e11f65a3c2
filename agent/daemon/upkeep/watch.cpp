#include "agent/daemon/upkeep/watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>

#include "agent/daemon/upkeep/health.h"
#include "executor/pool/pool.h"
#include "oracle/json_read.h"

namespace parityd::agent {
namespace {

using namespace std::chrono_literals;
using executor::GroupIndex;
using executor::PoolNotice;
using store::EventKind;

constexpr auto kAccountEvery = 10s;
constexpr auto kReviewEvery = 10min;  // it counts a day's rows

/// Notices of the pool that are faults.
struct Fault {
  PoolNotice::What what;
  EventKind kind;
};
constexpr std::array kFaults{Fault{PoolNotice::What::died, EventKind::worker_died},
                             Fault{PoolNotice::What::hung, EventKind::worker_hung},
                             Fault{PoolNotice::What::silent, EventKind::worker_silent},
                             Fault{PoolNotice::What::garbled, EventKind::worker_garbled},
                             Fault{PoolNotice::What::left_processes, EventKind::processes_left},
                             Fault{PoolNotice::What::parent_touched, EventKind::parent_touched},
                             Fault{PoolNotice::What::flooded, EventKind::output_flooded},
                             Fault{PoolNotice::What::device_error, EventKind::device_error},
                             Fault{PoolNotice::What::device_memory, EventKind::device_out_of_memory},
                             Fault{PoolNotice::What::canary_failed, EventKind::canary_failed},
                             Fault{PoolNotice::What::cache_lost, EventKind::cache_lost},
                             Fault{PoolNotice::What::environment_changed, EventKind::environment_changed}};

/// State of the workers for other processes, which read it in the database.
std::string workers_state(const executor::Workers& workers, store::Millis at) {
  auto groups = nlohmann::json::array();
  for (executor::GroupIndex group = 0; group < workers.groups(); ++group) {
    const auto& config = workers.config(group);
    const auto counts = workers.counts(group);
    const auto hello = workers.hello(group);
    groups.push_back({{"name", config.name},
                      {"device", executor::name(config.device)},
                      {"torch", hello ? hello->torch : ""},
                      {"ready", counts.warm_ready},
                      {"busy", counts.warm_busy},
                      {"starting", counts.starting},
                      {"fork_ready", counts.fork_ready},
                      {"fork_busy", counts.fork_busy},
                      {"queued", counts.queued},
                      {"started", counts.started},
                      {"retired", counts.retired},
                      {"killed", counts.killed},
                      {"problem", workers.broken(group).value_or("")}});
  }
  return oracle::compact(nlohmann::json{{"at", at}, {"groups", std::move(groups)}});
}

}  // namespace

std::vector<GroupIndex> Watch::report_events() {
  auto changed = tell_of_workers();
  if (accounted_ == executor::TimePoint{}) {
    accounted_ = turn_.now;
  }
  if (turn_.now - accounted_ >= kAccountEvery || turn_.stopping) account_workers();
  const auto lacking = turn_.pool.short_of_files();
  hold(EventKind::descriptors_short, lacking, "", lacking.value_or(""));
  if (turn_.now >= review_at_) review_health();
  return changed;
}

void Watch::end() {
  static_cast<void>(tell_of_workers());
  account_workers();
  review_health();
}

std::vector<GroupIndex> Watch::tell_of_workers() {
  std::vector<GroupIndex> changed;
  for (const auto& notice : turn_.pool.take_notices()) {
    const auto fault = std::ranges::find(kFaults, notice.what, &Fault::what);
    if (fault == kFaults.end()) {
      turn_.note("worker", notice.text);
      continue;
    }
    turn_.alarms.raise(fault->kind, notice.text, notice.group);
    for (GroupIndex group = 0; fault->kind == EventKind::environment_changed && group < turn_.pool.groups(); ++group) {
      if (turn_.pool.config(group).name == notice.group) changed.push_back(group);
    }
  }
  for (GroupIndex group = 0; group < turn_.pool.groups(); ++group) {
    const std::string& name = turn_.pool.config(group).name;
    const auto parked = turn_.pool.parked(group);
    const auto broken = parked ? std::nullopt : turn_.pool.broken(group);
    hold(EventKind::device_lost, parked, name, fmt::format("{}: {}", name, parked.value_or("")));
    hold(EventKind::worker_start_failed, broken, name, fmt::format("{}: {}", name, broken.value_or("")));
  }
  return changed;
}

/// Raises the alarm when the condition begins and clears it when it ends.
void Watch::hold(EventKind kind, const std::optional<std::string>& why, const std::string& subject,
                 const std::string& text) {
  if (!why) {
    turn_.alarms.over(kind, subject);
  } else if (!turn_.alarms.holds(kind, subject)) {
    turn_.alarms.raise(kind, text, subject);
  }
}

/// Records how worker time was used.
void Watch::account_workers() {
  accounted_ = turn_.now;
  std::vector<store::WorkerSecondsRow> rows;
  const auto all = turn_.pool.take_seconds(turn_.now);
  for (GroupIndex group = 0; group < all.size(); ++group) {
    for (std::size_t index = 0; index < executor::kOccupations; ++index) {
      const auto occupation = static_cast<executor::Occupation>(index);
      if (all[group][occupation] > 0) {
        rows.push_back({.group = turn_.pool.config(group).name,
                        .occupation = std::string(name(occupation)),
                        .seconds = all[group][occupation]});
      }
    }
  }
  turn_.store.workers.add_seconds(rows, turn_.wall);
  turn_.store.values.set("workers", workers_state(turn_.pool, turn_.wall));
}

/// Checks whether canaries pass, own failures are rare, and outgoing paths work.
void Watch::review_health() {
  review_at_ = turn_.now + kReviewEvery;
  const auto counts = turn_.pool.counts();
  turn_.store.alarms.add_checks("canary", counts.canaries_passed - canaries_passed_,
                                counts.canaries_failed - canaries_failed_, turn_.wall);
  canaries_passed_ = counts.canaries_passed;
  canaries_failed_ = counts.canaries_failed;
  const auto held = [](bool holds) { return holds ? std::optional<std::string>("") : std::nullopt; };
  const Health health = health_of(turn_.store, turn_.wall, turn_.config.known_max_age);
  for (const auto& rate : health.rates) {
    hold(rate.alarm, held(rate.is_alarming()), "", fmt::format("{}: {}", rate.name, in_words(rate)));
  }
  for (const auto& path : health.paths) {
    hold(EventKind::outgoing_stale, held(path.stale), path.last.path,
         fmt::format("{}: {}", path.last.path, in_words(path, turn_.wall)));
  }
}

/// Set if no group that runs programs can start a worker.
std::optional<std::string> Watch::why_broken() const {
  std::optional<std::string> first;
  for (GroupIndex group = 0; group < turn_.tested; ++group) {
    const auto reason = turn_.pool.broken(group);
    if (!reason) return std::nullopt;
    first = first.value_or(*reason);
  }
  return first;
}

/// Workers that once ran are retried, one start a minute: a crowded machine or a lost GPU is no reason to end. If none
/// ever ran, the installation is wrong. While one is still starting, nothing is certain: sshd refuses some if all
/// connect at once.
std::optional<std::string> Watch::hopeless() {
  const auto broken = why_broken();
  if (!broken) {
    turn_.alarms.over(EventKind::no_workers);
    return std::nullopt;
  }
  bool one_ran = false, one_starts = false;
  for (GroupIndex group = 0; group < turn_.tested; ++group) {
    one_ran = one_ran || turn_.pool.hello(group).has_value();
    one_starts = one_starts || turn_.pool.counts(group).starting > 0;
  }
  if (!turn_.alarms.holds(EventKind::no_workers) && !one_starts) turn_.alarms.raise(EventKind::no_workers, *broken);
  return one_ran || one_starts ? std::nullopt : broken;
}

}  // namespace parityd::agent
