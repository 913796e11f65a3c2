#include "agent/daemon/gathering.h"

#include <fmt/format.h>

#include <algorithm>

#include "executor/tools.h"

namespace parityd::agent {
namespace {

/// Findings looked up at once: the rest is found when these are done.
constexpr int kAtOnce = 16;

}  // namespace

Gathering::Gathering(store::Store& store, executor::Pool& pool, Examiner& examiner)
    : store_(store), pool_(pool), examiner_(examiner) {}

/// Before a restart a finding's device may have had workers that are not there now: the first group's then.
executor::GroupIndex Gathering::group_for(const std::string& device) const {
  for (executor::GroupIndex group = 0; group < pool_.groups(); ++group) {
    if (name(pool_.config(group).device) == device) {
      return group;
    }
  }
  return 0;
}

void Gathering::refill() {
  const auto all = executor::tools();
  for (const store::Id id : store_.findings_to_inspect(static_cast<int>(all.size()), kAtOnce)) {
    const auto finding = store_.finding(id);
    const auto run = store_.tools_run(id);
    for (const auto& tool : all) {
      const bool done = std::ranges::find(run, tool.name) != run.end();
      if (finding && !done && !failed_.contains({id, std::string(tool.name)})) {
        queue_.push_back(inspection_of(*finding, std::string(tool.name)));
        queue_.back().group = group_for(finding->device);
      }
    }
  }
  look_ = !queue_.empty();  // there may be more than were looked up
}

std::optional<Inspection> Gathering::next(bool gating) {
  if (running_) {  // what it runs is not in the store yet: a look there would ask for it again
    return std::nullopt;
  }
  if (queue_.empty() && look_) {
    refill();
  }
  if (queue_.empty() || pool_.free_fresh(queue_.front().group) <= (gating ? 1 : 0)) {
    return std::nullopt;
  }
  running_ = true;
  Inspection chosen = std::move(queue_.front());
  queue_.pop_front();
  return chosen;
}

std::vector<std::string> Gathering::store_results(store::Millis now) {
  std::vector<std::string> failures;
  for (const auto& inspected : examiner_.take_inspected()) {
    running_ = false;
    const Inspection& what = inspected.what;
    if (!inspected.text) {
      failed_.emplace(what.finding, what.tool);
      failures.push_back(fmt::format("{} of finding {}: {}", what.tool, what.finding, inspected.text.error()));
      continue;
    }
    const auto hello = pool_.hello(what.group);
    store_.add_inspection({.finding = what.finding,
                           .tool = what.tool,
                           .torch = hello ? hello->torch : "",
                           .device = std::string(name(pool_.config(what.group).device)),
                           .text = *inspected.text,
                           .at = now});
  }
  return failures;
}

}  // namespace parityd::agent
