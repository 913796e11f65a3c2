#include "agent/daemon/supply/gathering.h"

#include <algorithm>
#include <chrono>

#include "executor/tools.h"
#include "oracle/finding/tool_reports.h"

namespace parityd::agent {
namespace {

/// Findings read at once; the rest follow when these are done.
constexpr int kAtOnce = 16;

constexpr std::chrono::seconds kBetweenLooks{10};

/// Trials of a script per session until it counts as inconclusive.
constexpr int kScriptTrials = 2;

Inspection take_first(std::deque<Inspection>& queue) {
  Inspection first = std::move(queue.front());
  queue.pop_front();
  return first;
}

}  // namespace

Gathering::Gathering(store::Store& store, executor::Workers& pool, Examiner& examiner)
    : store_(store), pool_(pool), examiner_(examiner) {}

/// A finding's device may have had workers only before a restart: then the first group. A broken group is used only if
/// no other has the device.
executor::GroupIndex Gathering::group_for(const std::string& device) const {
  std::optional<executor::GroupIndex> found;
  for (executor::GroupIndex group = 0; group < pool_.groups(); ++group) {
    if (name(pool_.config(group).device) == device && (!found || pool_.broken(*found))) found = group;
  }
  return found.value_or(0);
}

/// Queues the tool unless it already ran on the finding or failed.
void Gathering::queue(const store::FindingRow& finding, const std::vector<std::string>& run, std::string_view tool) {
  if (std::ranges::find(run, tool) == run.end() && !failed_.contains({finding.id, std::string(tool)})) {
    queue_.push_back(inspection_of(finding, std::string(tool)));
    queue_.back().group = group_for(finding.device);
  }
}

/// compute-sanitizer goes first: it can change what a finding is. Findings whose tools failed are still returned by the
/// query, so they are added to the limit.
void Gathering::refill() {
  const int most = kAtOnce + static_cast<int>(failed_.size());
  for (const store::Id id : store_.inspections.to_sanitize(most)) {
    const auto finding = store_.findings.find(id).value();
    const auto run = store_.inspections.tools_run(id);
    for (const auto tool : oracle::kSanitizerTools) queue(finding, run, tool);
  }
  const auto all = executor::tools();
  for (const store::Id id : store_.inspections.to_inspect(static_cast<int>(all.size()), most)) {
    const auto finding = store_.findings.find(id).value();
    const auto run = store_.inspections.tools_run(id);
    for (const auto& tool : all) queue(finding, run, tool.name);
  }
  all_gathered_ = queue_.empty();
}

void Gathering::look_again() {
  queue_.clear();
  all_gathered_ = false;
  look_for_scripts_ = true;
}

/// Queues each script for every torch here that has not run it or was inconclusive, in the group configured last: of
/// two groups with the newest torch, the one dedicated to it.
void Gathering::refill_scripts() {
  scripts_.clear();
  look_for_scripts_ = false;
  for (const store::Id id : store_.scripts.to_run()) {
    const auto finding = store_.findings.find(id).value();
    const auto draft = store_.drafts.find(id);
    auto torches = store_.scripts.torches_claimed(id);
    for (const auto& run : store_.scripts.runs(id)) {
      if (run.device == finding.device && run.report.says != oracle::ScriptSays::cannot_tell) {
        std::erase(torches, run.torch);
      }
    }
    for (executor::GroupIndex left = torches_.size(); draft && left > 0; --left) {
      const executor::GroupIndex group = left - 1;
      const bool here = name(pool_.config(group).device) == finding.device && !pool_.broken(group);
      const auto failed = script_failures_.find({draft->repro, group});
      if (here && (failed == script_failures_.end() || failed->second < kScriptTrials) &&
          std::erase(torches, torches_[group]) > 0) {
        scripts_.push_back(script_inspection(id, draft->repro));
        scripts_.back().group = group;
      }
    }
  }
}

std::optional<Inspection> Gathering::next_script() {
  if (script_running_) {  // as for tools
    return std::nullopt;
  }
  if (look_for_scripts_) refill_scripts();
  std::erase_if(scripts_, [&](const auto& each) { return pool_.broken(each.group).has_value(); });
  const auto free = std::ranges::find_if(scripts_, [&](const auto& each) { return pool_.free_fresh(each.group) > 0; });
  if (free == scripts_.end()) return std::nullopt;
  Inspection script = std::move(*free);
  scripts_.erase(free);
  script_running_ = true;
  return script;
}

Gathering::Gathered Gathering::store_script(const Inspected& inspected, store::Millis now) {
  script_running_ = false;
  const Inspection& what = inspected.what;
  int& failures = script_failures_[{what.program, what.group}];
  if (!inspected.text && ++failures < kScriptTrials) {
    look_for_scripts_ = true;
    return {what, inspected.text.error()};
  }
  failures = kScriptTrials;  // if it is inconclusive now, retrying does not help
  const std::string told = inspected.text ? *inspected.text : oracle::script_not_run(inspected.text.error());
  const auto hello = pool_.hello(what.group);
  store_.scripts.add_run({.finding = what.finding,
                          .torch = hello ? hello->torch : torches_.at(what.group),
                          .device = std::string(name(pool_.config(what.group).device)),
                          .text = told,
                          .at = now},
                         what.program);
  return {what, {}};
}

void Gathering::refill_looks(executor::TimePoint now) {
  if (!wanted_looks_ || now < looks_at_) return;
  looks_at_ = now + kBetweenLooks;
  for (const Look& look : wanted_looks_()) {
    const auto group = group_for(look.device);
    if (pool_.broken(group)) {
      store_.hypotheses.set_seen(look.hypothesis, "");  // the conversation continues without it
      continue;
    }
    looks_.push_back(inspection_of(look));
    looks_.back().group = group;
  }
}

std::optional<Inspection> Gathering::next(bool confirming, executor::TimePoint now) {
  if (running_) {  // its result is not in the store yet, so a query would return it again
    return std::nullopt;
  }
  if (looks_.empty()) refill_looks(now);
  if (!looks_.empty() && pool_.free_fresh(looks_.front().group) > 0) {  // a conversation is waiting for it
    running_ = true;
    return take_first(looks_);
  }
  if (queue_.empty() && !all_gathered_) refill();
  if (queue_.empty() || pool_.free_fresh(queue_.front().group) <= (confirming ? 1 : 0)) return std::nullopt;
  running_ = true;
  return take_first(queue_);
}

std::vector<Gathering::Gathered> Gathering::store_results(store::Millis now) {
  std::vector<Gathered> gathered;
  for (const auto& inspected : examiner_.take_inspected()) {
    if (inspected.what.tool == oracle::kScriptTool) {
      gathered.push_back(store_script(inspected, now));
      continue;
    }
    running_ = false;
    const Inspection& what = inspected.what;
    if (what.hypothesis != 0) {
      store_.hypotheses.set_seen(what.hypothesis, inspected.text.value_or(""));
      gathered.push_back({what, inspected.text ? "" : inspected.text.error()});
      continue;
    }
    if (!inspected.text) {
      failed_.emplace(what.finding, what.tool);
      gathered.push_back({what, inspected.text.error()});
      continue;
    }
    const auto hello = pool_.hello(what.group);
    store_.inspections.add({.finding = what.finding,
                            .tool = what.tool,
                            .torch = hello ? hello->torch : "",
                            .device = std::string(name(pool_.config(what.group).device)),
                            .text = *inspected.text,
                            .at = now});
    gathered.push_back({what, {}});
  }
  return gathered;
}

}  // namespace parityd::agent
