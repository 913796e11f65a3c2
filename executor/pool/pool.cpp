#include "executor/pool/pool.h"

#include <algorithm>

#include "executor/pool/group.h"

// Where the defaults of Deadlines come from: on two busy cores the first start on a machine took 50 s to build
// Inductor's precompiled header; a program's eager steps take milliseconds, so 30 s is a hang; max-autotune compiles
// took a minute; the heartbeat needs no interpreter lock, so only a stopped or overloaded machine keeps it silent for
// 30 s. WearLimits: 200 programs grew a warm worker by 160 MB and 1,000 maps (torch 2.13, CPU).

namespace parityd::executor {
namespace {

/// Concatenates what each group returns.
template <typename Groups, typename Taken>
Taken taken(const Groups& groups, Taken (Group::*take)()) {
  Taken all;
  for (const auto& group : groups) std::ranges::move((*group.*take)(), std::back_inserter(all));
  return all;
}

}  // namespace

Pool::Pool(std::vector<GroupConfig> groups, TimePoint now) {
  for (auto& config : groups) groups_.push_back(std::make_unique<Group>(std::move(config), pace_, now));
}

/// Groups are destroyed one after another, so all of them are asked to end now.
Pool::~Pool() {
  for (const auto& group : groups_) group->ask_to_end();
}

void Pool::submit(Job job, TimePoint now) {
  Group& group = *groups_.at(job.group);
  group.submit(Task{.work = std::move(job)}, now);
}

void Pool::cancel_queued() {
  for (const auto& group : groups_) group->cancel_queued();
}

void Pool::append_interests(std::vector<Interest>& interests) const {
  for (const auto& group : groups_) {
    if (const auto interest = group->interest()) interests.push_back(*interest);
  }
}

std::optional<TimePoint> Pool::next_deadline() const {
  std::optional<TimePoint> next;
  for (const auto& group : groups_) {
    if (const auto one = group->next_deadline()) next = std::min(next.value_or(*one), *one);
  }
  return next;
}

void Pool::poll(TimePoint now) {
  pace_.begin_turn(now);
  for (const auto& group : groups_) group->poll(now);
}

void Pool::hand_out(TimePoint now) {
  for (const auto& group : groups_) group->hand_out(now);
}

std::vector<JobResult> Pool::take_results() { return taken(groups_, &Group::take_results); }

std::vector<PoolNotice> Pool::take_notices() { return taken(groups_, &Group::take_notices); }

std::vector<WorkerSeconds> Pool::take_seconds(TimePoint now) {
  std::vector<WorkerSeconds> all;
  for (const auto& group : groups_) all.push_back(group->take_seconds(now));
  return all;
}

std::vector<Settled> Pool::take_settled() { return taken(groups_, &Group::take_settled); }

void Pool::know_forms(GroupIndex group, const std::vector<std::uint64_t>& forms) {
  groups_.at(group)->know_forms(forms);
}

void Pool::distrust(GroupIndex group, int worker, const std::string& why, TimePoint now) {
  groups_.at(group)->distrust(worker, why, now);
}

const GroupConfig& Pool::config(GroupIndex group) const { return groups_.at(group)->config(); }
int Pool::free_warm(GroupIndex group) const { return groups_.at(group)->free_warm(); }
int Pool::free_fresh(GroupIndex group) const { return groups_.at(group)->free_fresh(); }

bool Pool::idle() const {
  return std::ranges::all_of(groups_, [](const auto& group) { return group->idle(); });
}

PoolCounts Pool::counts() const {
  PoolCounts all;
  for (const auto& group : groups_) {
    const PoolCounts one = group->counts();
    all.warm_ready += one.warm_ready;
    all.warm_busy += one.warm_busy;
    all.starting += one.starting;
    all.fork_ready += one.fork_ready;
    all.fork_busy += one.fork_busy;
    all.started += one.started;
    all.retired += one.retired;
    all.killed += one.killed;
    all.canaries_passed += one.canaries_passed;
    all.canaries_failed += one.canaries_failed;
    all.queued += one.queued;
  }
  return all;
}

PoolCounts Pool::counts(GroupIndex group) const { return groups_.at(group)->counts(); }
std::optional<Hello> Pool::hello(GroupIndex group) const { return groups_.at(group)->hello(); }

std::optional<std::string> Pool::broken() const {
  std::optional<std::string> first;
  for (const auto& group : groups_) {
    const auto reason = group->broken();
    if (!reason) return std::nullopt;
    first = first.value_or(*reason);
  }
  return first;
}

std::optional<std::string> Pool::broken(GroupIndex group) const { return groups_.at(group)->broken(); }
std::optional<std::string> Pool::parked(GroupIndex group) const { return groups_.at(group)->parked(); }

std::optional<std::string> Pool::short_of_files() const {
  for (const auto& group : groups_) {
    if (const auto& reason = group->short_of_files()) return reason;
  }
  return std::nullopt;
}

const EnvironmentResult& Pool::environment(GroupIndex group) const { return groups_.at(group)->environment(); }

}  // namespace parityd::executor
