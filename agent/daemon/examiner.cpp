#include "agent/daemon/examiner.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "agent/daemon/variant.h"
#include "executor/artefact.h"

namespace parityd::agent {

namespace fs = std::filesystem;
using executor::TimePoint;

std::string_view name(Examination examination) {
  switch (examination) {
    case Examination::screen:
      return "screen";
    case Examination::gate:
      return "gate";
    case Examination::ladder:
      return "ladder";
    case Examination::reach:
      return "reach";
  }
  return "?";
}

oracle::Mode compiled_mode(const std::string& options_json) {
  const auto options = nlohmann::json::parse(options_json, nullptr, false);
  if (options.is_object() && options.contains("mode") && options["mode"].is_string()) {
    const auto mode = oracle::mode_from_name(options["mode"].get<std::string>());
    if (mode && oracle::is_compiled_choice(*mode)) {
      return *mode;
    }
  }
  return oracle::Mode::inductor;
}

Examiner::Examiner(executor::Pool& pool, fs::path scratch, std::uint64_t seed,
                   const std::vector<std::string>& excuses_off)
    : pool_(pool), scratch_(std::move(scratch)), seed_(seed), excuses_off_(excuses_off.begin(), excuses_off.end()) {}

fs::path Examiner::folder_of(store::Id program, Examination what) const {
  return scratch_ / fmt::format("{}-{}", name(what), program);
}

void Examiner::screen(const Subject& subject, TimePoint now) {
  executor::Job job;
  job.id = next_job_++;
  job.group = subject.group;
  job.subject = subject.program;
  job.program = subject.text;
  job.modes = {oracle::Mode::eager, compiled_mode(subject.options_json)};
  job.seed = seed_;
  jobs_[job.id] = {.subject = subject, .what = Examination::screen};
  pool_.submit(std::move(job), now);
}

void Examiner::gate(const Subject& subject, int round, TimePoint now) {
  const oracle::Mode compiled = compiled_mode(subject.options_json);
  const auto modes = oracle::first_look(compiled);
  begin_round({.subject = subject, .what = Examination::gate, .number = round},
              {.program = subject.text, .compiled = compiled, .sides = {modes.eager, modes.compiled}}, now);
}

void Examiner::ladder(const Subject& subject, const oracle::Verdict& verdict, TimePoint now) {
  begin_round({.subject = subject, .what = Examination::ladder, .verdict = verdict},
              {.program = subject.text,
               .compiled = compiled_mode(subject.options_json),
               .sides = {{oracle::Mode::eager}, oracle::ladder_modes()}},
              now);
}

void Examiner::reach(const Subject& subject, int number, TimePoint now) {
  const auto trials = oracle::reach_trials(has_settings(subject.options_json));
  const auto& trial = trials.at(static_cast<std::size_t>(number - 1));
  const oracle::Mode compiled = compiled_mode(variant_options(subject.options_json, trial));
  const auto modes = oracle::first_look(compiled);
  begin_round({.subject = subject, .what = Examination::reach, .number = number},
              {.program = variant_text(subject.text, subject.options_json, trial),
               .compiled = compiled,
               .sides = {modes.eager, modes.compiled}},
              now);
}

void Examiner::inspect(Inspection what, TimePoint now) {
  pool_.submit(inspection_job(what, next_job_, seed_), now);
  inspections_.emplace(next_job_++, std::move(what));
}

void Examiner::begin_round(Task task, RoundPlan plan, TimePoint now) {
  plan.folder = folder_of(task.subject.program, task.what);
  plan.seed = seed_;
  fs::remove_all(plan.folder);
  fs::create_directories(plan.folder);
  task.round = std::make_shared<Round>(std::move(plan));
  submit_round(task, now);
}

void Examiner::forget(store::Id program) {
  std::error_code ignored;
  fs::remove_all(folder_of(program, Examination::gate), ignored);
  fs::remove_all(folder_of(program, Examination::ladder), ignored);
  fs::remove_all(folder_of(program, Examination::reach), ignored);
}

void Examiner::submit_round(const Task& task, TimePoint now) {
  auto jobs = task.round->take_jobs();
  const auto& sides = task.round->sides_taken();
  for (std::size_t index = 0; index < jobs.size(); ++index) {
    jobs[index].id = next_job_++;
    jobs[index].group = task.subject.group;
    jobs[index].subject = task.subject.program;
    Task part = task;
    part.side = sides[index];
    jobs_[jobs[index].id] = std::move(part);
    pool_.submit(std::move(jobs[index]), now);
  }
}

Examined Examiner::screened(const Task& task, const executor::JobResult& result) const {
  Examined examined{.program = task.subject.program,
                    .what = Examination::screen,
                    .group = task.subject.group,
                    .history = result.history};
  examined.evidence = result.evidence;
  examined.evidence.compiled = compiled_mode(task.subject.options_json);
  examined.seconds = result.seconds;
  examined.harness_failure = result.harness_failure;
  if (result.death) {
    examined.evidence.outcomes[result.death->mode] = outcome_of(*result.death);
    examined.trusted = false;
    return examined;
  }
  if (result.harness_failure.empty()) {
    examined.verdict = oracle::screen(examined.evidence, excuses_off_);
    examined.trusted = result.tainted.empty();  // what changed torch may have changed who compares, too
  }
  return examined;
}

bool Examiner::looks_closer(const Task& task, const oracle::Evidence& evidence, TimePoint now) {
  if (task.what == Examination::ladder || task.closer ||
      !oracle::needs_closer_look(oracle::judge_first_look(evidence, excuses_off_))) {
    return false;
  }
  const auto modes = oracle::closer_look(task.round->compiled());
  Task closer = task;
  closer.closer = true;
  closer.round->extend({modes.eager, modes.compiled});
  submit_round(closer, now);
  return !closer.round->done();
}

std::optional<Examined> Examiner::rounded(const Task& task, const executor::JobResult& result, TimePoint now) {
  task.round->take(task.side, result);
  if (!task.round->done()) {
    submit_round(task, now);
    return std::nullopt;
  }
  Examined examined{
      .program = task.subject.program, .what = task.what, .group = task.subject.group, .round = task.number};
  examined.evidence = task.round->harness_failure().empty() ? task.round->evidence() : oracle::Evidence{};
  examined.harness_failure = task.round->harness_failure();
  examined.seconds = task.round->seconds();
  if (!examined.harness_failure.empty()) {
    examined.verdict = {oracle::VerdictKind::unstable, std::nullopt, "harness", examined.harness_failure, {}};
    return examined;
  }
  if (looks_closer(task, examined.evidence, now)) {
    return std::nullopt;
  }
  if (task.what != Examination::ladder) {
    examined.verdict = oracle::judge(examined.evidence, excuses_off_);
  } else {
    examined.verdict = task.verdict;
    examined.stage = oracle::first_differing_stage(examined.evidence, task.verdict);
  }
  return examined;
}

std::vector<Examined> Examiner::take(TimePoint now) {
  std::vector<Examined> all;
  for (const auto& result : pool_.take_results()) {
    if (auto inspection = inspections_.extract(result.id)) {
      auto text = inspection_text(inspection.mapped(), result);
      inspected_.push_back({.what = std::move(inspection.mapped()), .text = std::move(text)});
      continue;
    }
    const auto found = jobs_.find(result.id);
    if (found == jobs_.end()) {
      continue;  // the other side of a round that a harness failure ended
    }
    const Task task = std::move(found->second);
    jobs_.erase(found);
    if (task.what == Examination::screen) {
      all.push_back(screened(task, result));
    } else if (auto examined = rounded(task, result, now)) {
      std::erase_if(jobs_, [&](const auto& entry) { return entry.second.round == task.round; });
      all.push_back(std::move(*examined));
    }
  }
  return all;
}

}  // namespace parityd::agent
