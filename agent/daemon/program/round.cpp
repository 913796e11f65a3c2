#include "agent/daemon/program/round.h"

#include <fmt/format.h>

#include <algorithm>

#include "executor/artefact.h"
#include "executor/process/crash_report.h"
#include "oracle/rules/signature.h"

namespace parityd::agent {
namespace {

/// faulthandler prints the innermost Python frame first: `  File "…/graph.py", line 12 in run`.
std::string python_frame(const std::string& output) {
  const auto fatal = output.find("Fatal Python error");
  const auto file = output.find("  File \"", fatal == std::string::npos ? 0 : fatal);
  if (fatal == std::string::npos || file == std::string::npos) return {};
  const auto begin = file + 8;
  const auto end = output.find('"', begin);
  const auto function = output.find(" in ", begin);
  const auto line_end = output.find('\n', begin);
  if (end == std::string::npos || function == std::string::npos || function > line_end) return {};
  const std::string path = output.substr(begin, end - begin);
  return path.substr(path.find_last_of('/') + 1) + ":" + output.substr(function + 4, line_end - function - 4);
}

/// The record of eager or, if eager did not complete, of any other mode that did and had the same inputs.
const oracle::RunRecord* record_of_inputs(const std::vector<oracle::RunRecord>& records) {
  const oracle::RunRecord* found = nullptr;
  for (const auto& record : records) {
    const bool own = !oracle::row(record.mode).normal;
    const bool better = found == nullptr || record.mode == oracle::Mode::eager;
    found = own && better && record.outcome.kind == oracle::OutcomeKind::ran ? &record : found;
  }
  return found;
}

}  // namespace

oracle::Outcome outcome_of(const executor::Death& death) {
  oracle::Outcome outcome;
  outcome.kind = death.hung ? oracle::OutcomeKind::hung : oracle::OutcomeKind::died;
  outcome.step = death.step;
  outcome.signal = death.signal;
  outcome.exit_status = death.exit_status;
  const auto crash = executor::read_crash_report(death.output);
  outcome.native_frame = crash ? executor::innermost_frame(*crash) : "";
  if (outcome.native_frame.empty()) {  // the worker's handler did not get that far: use Python's position
    outcome.native_frame = python_frame(death.output);
  }
  return outcome;
}

Round::Round(RoundPlan plan) : plan_(std::move(plan)) {
  for (const auto& modes : plan_.sides) sides_.push_back({.left = modes});
}

Round::~Round() {
  std::error_code ignored;
  std::filesystem::remove_all(plan_.folder, ignored);
}

std::vector<executor::Job> Round::take_jobs() {
  std::vector<executor::Job> jobs;
  sides_taken_.clear();
  for (std::size_t index = 0; index < sides_.size(); ++index) {
    Side& side = sides_[index];
    if (side.running || side.left.empty() || !harness_failure_.empty()) continue;
    executor::Job job;
    job.program = plan_.program;
    job.modes = side.left;
    job.choose_compiled = true;
    job.fresh = true;
    job.artefacts = plan_.folder;
    job.seed = plan_.seed;
    jobs.push_back(std::move(job));
    sides_taken_.push_back(index);
    side.running = true;
  }
  return jobs;
}

void Round::on_result(std::size_t side_index, const executor::JobResult& result) {
  Side& side = sides_.at(side_index);
  side.running = false;
  seconds_ += result.seconds;
  if (!result.harness_failure.empty()) {
    harness_failure_ = result.harness_failure;
    return;
  }
  if (result.epoch != epoch_.value_or(result.epoch)) {
    harness_failure_ = "the environment changed during a round";
    return;
  }
  epoch_ = result.epoch;
  if (!result.death) {
    // After a CUDA error a process runs nothing more: its remaining modes get another one.
    const auto left = std::stable_partition(side.left.begin(), side.left.end(), [&](oracle::Mode mode) {
      return result.evidence.outcome(mode) != nullptr;
    });
    if (left == side.left.begin()) {
      harness_failure_ = "a fresh process completed none of its modes";
      return;
    }
    ended_.insert(ended_.end(), side.left.begin(), left);
    side.left.erase(side.left.begin(), left);
    return;
  }
  if (result.death->hung && result.death->step == oracle::Step::start) {
    harness_failure_ = "a fresh process hung before its program started";
    return;
  }
  const auto died = std::find(side.left.begin(), side.left.end(), result.death->mode);
  if (died == side.left.end()) {
    harness_failure_ =
        fmt::format("a death was reported in mode {}, which was not asked for", name(result.death->mode));
    return;
  }
  ended_.insert(ended_.end(), side.left.begin(), died);
  lost_.emplace_back(*died, outcome_of(*result.death));
  settled_ = settled_ || oracle::own_hang({.outcomes = {lost_.back()}});
  if (settles_side(*result.death)) {
    side.settled = true;
    side.left.clear();
  } else {
    side.left.erase(side.left.begin(), died + 1);
  }
}

/// A death settles the side if no later mode of it is needed. A hang costs a whole deadline.
bool Round::settles_side(const executor::Death& death) const {
  const bool is_stage = oracle::row(death.mode).look == oracle::Look::stage;
  return death.mode == oracle::Mode::eager || death.mode == plan_.compiled || (is_stage && death.hung);
}

bool Round::done() const {
  return !harness_failure_.empty() || settled_ ||
         std::all_of(sides_.begin(), sides_.end(), [](const Side& side) { return side.left.empty() && !side.running; });
}

void Round::extend(const std::vector<std::vector<oracle::Mode>>& sides) {
  for (std::size_t index = 0; index < sides.size(); ++index) {
    if (Side& side = sides_.at(index); !side.settled && !settled_) side.left = sides[index];
  }
}

oracle::Evidence Round::evidence() {
  std::vector<executor::Artefact> artefacts;
  std::vector<oracle::RunRecord> records;
  for (const oracle::Mode mode : ended_) {
    auto artefact = executor::read_artefact(plan_.folder / executor::artefact_name(mode));
    if (!artefact) {
      harness_failure_ = fmt::format("artefact of mode {}: {}", name(mode), artefact.error());
      return {};
    }
    artefacts.push_back(std::move(*artefact));
    records.push_back(artefacts.back().record());
    if (records.back().mode != mode) {
      harness_failure_ =
          fmt::format("the artefact of mode {} claims to be of mode {}", name(mode), name(records.back().mode));
      return {};
    }
  }
  for (const auto& [mode, outcome] : lost_) {
    oracle::RunRecord record;
    record.mode = mode;
    record.outcome = outcome;
    records.push_back(std::move(record));
  }
  oracle::Evidence evidence = oracle::evidence_from(plan_.compiled, records);
  if (const auto* ran = record_of_inputs(records)) evidence.inputs = oracle::input_facts(*ran);
  return evidence;
}

}  // namespace parityd::agent
