#include "agent/daemon/program/rechecker.h"

#include <algorithm>

namespace parityd::agent {
namespace {

/// Interval of looks without a change: a torch's version may have become known, or a second confirmation due.
constexpr store::Millis kLookAtQueueEvery = 60'000;

}  // namespace

Rechecker::Rechecker(const store::Store& store, const executor::Workers& pool, Examiner& examiner, int rounds,
                     executor::GroupIndex tested, std::vector<std::string> torches)
    : store_(store), pool_(pool), examiner_(examiner), rounds_(rounds), tested_(tested), torches_(std::move(torches)) {}

std::string Rechecker::torch_of(executor::GroupIndex group) const {
  const auto hello = pool_.hello(group);
  if (hello) return hello->torch;
  return group < torches_.size() ? torches_[group] : "";
}

std::string Rechecker::newest_torch() const { return has_newest() ? torch_of(tested_) : ""; }

void Rechecker::look(executor::GroupIndex group, store::Millis now) {
  const std::string device(name(pool_.config(group).device));
  const std::string torch = torch_of(group);
  const bool newest = group >= tested_;
  std::vector<store::Id> wanted;
  if (newest) {
    wanted = store_.rechecks.untried_on(torch, device);
    if (wanted.empty() && torch.empty()) {  // workers elsewhere: one job reveals which torch they have
      wanted = store_.rechecks.untried_on("not known", device);
      wanted.resize(std::min<std::size_t>(wanted.size(), 1));
    }
  } else if (!torch.empty()) {
    wanted = store_.rechecks.found_elsewhere(torch, device);
  }
  const auto again = store_.rechecks.gone_once(torch, device, now);
  wanted.insert(wanted.end(), again.begin(), again.end());
  std::erase_if(wanted, [&](store::Id finding) {
    const auto running = running_.find(group);
    return failed_.contains({group, finding}) || (running != running_.end() && running->second.finding == finding);
  });
  queues_[group].assign(wanted.begin(), wanted.end());
}

void Rechecker::look(store::Millis now) {
  // The wall clock may have been set back.
  const bool just_looked = now >= looked_at_ && now - looked_at_ < kLookAtQueueEvery;
  if (!look_ && just_looked) return;
  std::set<std::pair<std::string, std::string>>
      places;  // of groups with the same torch and device, the last: the newest torch's own
  for (executor::GroupIndex left = pool_.groups(); left > 0; --left) {
    if (places.emplace(torch_of(left - 1), name(pool_.config(left - 1).device)).second) look(left - 1, now);
  }
  look_ = false;
  looked_at_ = now;
}

bool Rechecker::has_room(executor::GroupIndex group, bool confirming) const {
  if (running_.contains(group) || pool_.broken(group)) return false;
  return group >= tested_ || pool_.free_fresh(group) > (confirming ? 1 : 0);
}

std::vector<std::function<void(executor::TimePoint)>> Rechecker::begin(bool confirming, store::Millis now) {
  look(now);
  std::vector<std::function<void(executor::TimePoint)>> effects;
  for (auto& [group, queue] : queues_) {
    if (queue.empty() || !has_room(group, confirming)) continue;
    const auto finding = store_.findings.find(queue.front());
    queue.pop_front();
    if (!finding) continue;
    auto [subject, known] = recheck_case(store_, *finding, group);
    running_.emplace(group, Running{.finding = finding->id, .subject = subject, .recheck = {known, rounds_}});
    effects.emplace_back([this, subject = std::move(subject)](executor::TimePoint time) {
      examiner_.confirm(subject, Examination::recheck, 1, time);
    });
  }
  return effects;
}

Rechecker::Taken Rechecker::on_result(const Examined& round, store::Millis now) {
  const auto running = running_.find(round.group);
  if (running == running_.end() || running->second.finding != round.program) return {};
  Recheck& recheck = running->second.recheck;
  recheck.on_result(round);
  if (!recheck.done()) {
    return {.row = {},
            .next = [this, subject = running->second.subject, number = recheck.next_round()](executor::TimePoint time) {
              examiner_.confirm(subject, Examination::recheck, number, time);
            }};
  }
  store::RecheckRow row = recheck_row(recheck, round.program, pool_, round.group, torch_of(round.group), now);
  row.newest = round.group >= tested_ || is_newest(row.torch, newest_torch(), store_.environments.torches());
  row.who = "parityd";
  if (row.result == store::RecheckResult::cannot) failed_.emplace(round.group, round.program);
  running_.erase(running);
  return {.row = std::move(row), .next = {}};
}

bool Rechecker::waits() const {
  if (look_) return true;
  const auto waits_at = [&](executor::GroupIndex group) {
    const auto queue = queues_.find(group);
    return !pool_.broken(group) && (running_.contains(group) || (queue != queues_.end() && !queue->second.empty()));
  };
  for (executor::GroupIndex group = 0; group < pool_.groups(); ++group) {
    if (waits_at(group)) return true;
  }
  return false;
}

}  // namespace parityd::agent
