// The daemon's torches: findings tried on others, and what a new one makes of programs that were consistent.
#include <fmt/format.h>

#include "agent/daemon/daemon.h"

namespace parityd::agent {

/// What was consistent on the torch before runs again on one that is new here, before anything else of it is stored.
void Daemon::meet_torches() {
  for (executor::GroupIndex group = 0; group < parts_.tested; ++group) {
    const std::string torch = met_.contains(group) ? "" : rechecker_.torch_of(group);
    if (torch.empty()) {
      continue;
    }
    met_.insert(group);
    rechecker_.look_again();
    const std::string device(name(parts_.pool.config(group).device));
    const auto before = parts_.store.programs.torch_before(torch, device);
    if (!before) {
      continue;
    }
    int queued = 0;
    const auto programs =
        parts_.store.programs.consistent(*before, device, parts_.config.sentinel_sample, parts_.config.seed);
    for (const auto& program : programs) {
      queued += parts_.store.programs.add_sentinel(program, *before, torch, wall_) ? 1 : 0;
    }
    const auto findings = parts_.store.rechecks.found_elsewhere(torch, device).size();
    const std::string said = fmt::format(
        "torch {} is new to this database: {} findings are tried on it, {} programs that were consistent on {} run "
        "again",
        torch, findings, queued, *before);
    progress_.line(said);
    note("new_torch", said);
  }
  meet_workers();
  const std::string newest = rechecker_.newest_torch();
  if (rechecker_.has_newest() && newest != newest_torch_) {
    newest_torch_ = newest;
    recorder_.set_newest_torch(newest, wall_);
    findings_changed();
    rechecker_.look_again();
  }
}

/// A torch that is known to have workers can run scripts.
void Daemon::meet_workers() {
  std::vector<std::string> torches;
  for (executor::GroupIndex group = 0; group < parts_.pool.groups(); ++group) {
    torches.push_back(rechecker_.torch_of(group));
  }
  if (torches != gathering_.torches()) {
    recorder_.set_torches(torches, wall_);
    gathering_.set_torches(std::move(torches));
    findings_changed();
  }
}

bool Daemon::all_torches_met() const {
  for (executor::GroupIndex group = 0; group < parts_.tested; ++group) {
    if (!met_.contains(group) && !parts_.pool.broken(group)) {
      return false;
    }
  }
  return true;
}

void Daemon::begin_rechecks(bool gating) {
  for (auto& begin : rechecker_.begin(gating, wall_)) {
    outbox_.push_back([this, begin = std::move(begin)] { begin(now_); });
  }
}

void Daemon::rechecked(const Examined& examined) {
  if (examined.group < parts_.tested) {
    share_.spent(examined.group, true, examined.seconds);
  }
  auto taken = rechecker_.take(examined, wall_);
  if (taken.next && !stopping_) {
    outbox_.push_back([this, next = std::move(taken.next)] { next(now_); });
  }
  if (taken.row) {
    apply_request(requests::KeepRecheck{*taken.row}, taken.row->who);
  }
}

}  // namespace parityd::agent
