#include "agent/daemon/program/examiner.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/daemon/program/variant.h"
#include "oracle/json_read.h"

namespace parityd::agent {

namespace fs = std::filesystem;
using executor::TimePoint;

bool rests_on_worker(Examination examination) {
  return examination == Examination::screen || examination == Examination::masked ||
         examination == Examination::controls;
}

std::vector<oracle::Mode> control_modes(oracle::Kind kind, oracle::Mode compiled) {
  using oracle::Kind;
  using oracle::Mode;
  std::vector<Mode> modes{Mode::eager, Mode::eager_repeat, compiled};
  if (kind == Kind::crash || kind == Kind::hang) return modes;
  const auto add = [&](const std::vector<Mode>& more) {
    std::ranges::copy_if(more, std::back_inserter(modes),
                         [&](Mode mode) { return mode != compiled && !oracle::row(mode).normal; });
  };
  const auto controls = oracle::control_modes_of(compiled);
  add(controls.eager);  // an excuse that depends on a run is granted if the run is missing, so all of them must be here
  if (kind == Kind::missing_check || kind == Kind::behaviour) return modes;
  add(oracle::first_look(compiled).compiled);
  add(controls.compiled);
  for (const Mode mode : oracle::modes_of(oracle::Look::stage)) modes.push_back(mode);
  return modes;
}

oracle::Mode compiled_mode(const std::string& options_json) {
  const auto options = oracle::parsed_object(options_json);
  if (options.contains("mode") && options["mode"].is_string()) {
    const auto mode = oracle::from_name<oracle::Mode>(options["mode"].get<std::string>());
    if (mode && oracle::is_compiled_choice(*mode)) return *mode;
  }
  return oracle::Mode::inductor;
}

namespace {

constexpr std::size_t kEagerSide = 0;  // of every round

std::vector<oracle::Neutraliser> known_here(std::vector<oracle::Neutraliser> asked,
                                            const std::vector<std::string>& untried) {
  std::erase_if(asked, [&](const auto& each) { return std::ranges::find(untried, each.name) != untried.end(); });
  return asked;
}

/// Whether this torch knows none of the neutralisers.
bool ran_nothing(const std::vector<oracle::Neutraliser>& asked, const Examined& examined) {
  return !asked.empty() && examined.neutralisers.empty() && examined.harness_failure.empty() &&
         examined.evidence.outcomes.empty();
}

}  // namespace

Examiner::Examiner(executor::Workers& pool, fs::path scratch, std::uint64_t seed,
                   const std::vector<std::string>& excuses_off)
    : pool_(pool), scratch_(std::move(scratch)), seed_(seed), excuses_off_(excuses_off.begin(), excuses_off.end()) {}

void Examiner::submit_warm(Task task, std::vector<oracle::Mode> modes, TimePoint now) {
  executor::Job job;
  job.id = next_job_++;
  job.group = task.subject.group;
  job.subject = task.subject.program;
  job.program = task.subject.text;
  job.modes = std::move(modes);
  job.seed = seed_;
  job.values = task.what == Examination::candidate;
  job.neutralisers = task.neutralisers;
  job.compile_from = task.compile_all ? 0 : task.much;
  job.judged = rests_on_worker(task.what);
  jobs_[job.id] = std::move(task);
  pool_.submit(std::move(job), now);
}

void Examiner::screen(const Subject& subject, Screening how, TimePoint now) {
  submit_warm({.subject = subject,
               .what = Examination::screen,
               .neutralisers = std::move(how.neutralisers),
               .much = how.much,
               .compile_all = how.compile_all},
              {oracle::Mode::eager, compiled_mode(subject.options_json)}, now);
}

void Examiner::run_controls(const Subject& subject, oracle::Kind suspected, TimePoint now) {
  oracle::Verdict verdict;
  verdict.kind = suspected;
  submit_warm({.subject = subject, .what = Examination::controls, .verdict = std::move(verdict)},
              control_modes(suspected, compiled_mode(subject.options_json)), now);
}

void Examiner::run_masked(const Subject& subject, Examination what, oracle::Kind kind,
                          std::vector<oracle::Neutraliser> neutralisers, TimePoint now) {
  submit_warm({.subject = subject, .what = what, .neutralisers = std::move(neutralisers)},
              control_modes(kind, compiled_mode(subject.options_json)), now);
}

void Examiner::candidate(const Subject& subject, int number, std::vector<oracle::Mode> modes, TimePoint now) {
  submit_warm({.subject = subject, .what = Examination::candidate, .number = number}, std::move(modes), now);
}

TrialRoom Examiner::trial_room(std::vector<int> places) const {
  TrialRoom room(std::move(places));
  for (const auto& [id, task] : jobs_) {
    if (task.what == Examination::candidate) room.reserve(task.subject.group, 1);
  }
  return room;
}

void Examiner::ablate(const Subject& subject, const oracle::Ablation& ablation,
                      const std::shared_ptr<const oracle::Shown>& symptom, TimePoint now) {
  submit_warm({.subject = subject,
               .what = Examination::ablation,
               .number = ablation.number,
               .symptom = symptom,
               .neutralisers = ablation.neutralisers},
              {oracle::Mode::eager, compiled_mode(subject.options_json)}, now);
}

void Examiner::confirm(const Subject& subject, Examination what, int round, TimePoint now) {
  const oracle::Mode compiled = compiled_mode(subject.options_json);
  const auto modes = oracle::first_look(compiled);
  begin_round({.subject = subject, .what = what, .number = round},
              {.program = subject.text, .compiled = compiled, .sides = {modes.eager, modes.compiled}}, now);
}

void Examiner::run_stages(const Subject& subject, const oracle::Verdict& verdict, TimePoint now) {
  begin_round({.subject = subject, .what = Examination::stages, .verdict = verdict},
              {.program = subject.text,
               .compiled = compiled_mode(subject.options_json),
               .sides = {{oracle::Mode::eager}, oracle::modes_of(oracle::Look::stage)}},
              now);
}

void Examiner::try_trigger(const Subject& subject, int number, TimePoint now) {
  const auto trials = oracle::trigger_trials(has_settings(subject.options_json));
  const auto& trial = trials.at(static_cast<std::size_t>(number - 1));
  const oracle::Mode compiled = compiled_mode(variant_options(subject.options_json, trial));
  const auto modes = oracle::first_look(compiled);
  begin_round({.subject = subject, .what = Examination::trigger, .number = number},
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
  plan.folder = scratch_ / fmt::format("{}-{}-{}", name(task.what), task.subject.program, next_job_);
  plan.seed = seed_;
  task.round = std::make_shared<Round>(std::move(plan));
  submit_round(task, now);
}

void Examiner::submit_round(const Task& task, TimePoint now) {
  auto jobs = task.round->take_jobs();
  const auto& sides = task.round->sides_taken();
  for (std::size_t index = 0; index < jobs.size(); ++index) {
    jobs[index].id = next_job_++;
    jobs[index].group =
        sides[index] == kEagerSide ? task.subject.eager_group.value_or(task.subject.group) : task.subject.group;
    jobs[index].subject = task.subject.program;
    Task part = task;
    part.side = sides[index];
    jobs_[jobs[index].id] = std::move(part);
    pool_.submit(std::move(jobs[index]), now);
  }
}

/// A hang of the program's own code needs no fresh processes, which would hang as long.
bool settles(const executor::Death& death) {
  return oracle::own_hang({.outcomes = {{death.mode, outcome_of(death)}}}).has_value();
}

/// The result of a warm run; a death becomes an outcome.
Examined Examiner::warm(const Task& task, const executor::JobResult& result) const {
  Examined examined{.program = task.subject.program,
                    .what = task.what,
                    .group = task.subject.group,
                    .round = task.number,
                    .values = result.values,
                    .died = result.death.has_value(),
                    .history = result.history,
                    .worker = result.worker};
  examined.evidence = result.evidence;
  examined.evidence.compiled = compiled_mode(task.subject.options_json);
  examined.evidence.graphs.much = task.much;
  examined.seconds = result.seconds;
  examined.harness_failure = result.harness_failure;
  examined.ends = result.ends;
  if (result.death) examined.evidence.outcomes[result.death->mode] = outcome_of(*result.death);
  // Whatever changed torch may also have changed the comparison.
  examined.trusted =
      result.death ? settles(*result.death) : (result.tainted.empty() || !result.harness_failure.empty());
  examined.neutralisers = known_here(task.neutralisers, examined.evidence.untried);
  if (!result.harness_failure.empty()) return examined;
  if (task.what == Examination::ablation) {
    examined.answer = oracle::answer_of(*task.symptom, examined.evidence);
  } else if (examined.trusted || !result.death) {
    judge_warm(task, examined);
  }
  return examined;
}

void Examiner::judge_warm(const Task& task, Examined& examined) const {
  if (task.what == Examination::screen) {
    examined.verdict = oracle::without_compiling(
        oracle::beyond(oracle::screen(examined.evidence, excuses_off_), examined.neutralisers),
        examined.evidence.graphs);
  } else if (task.what == Examination::residual) {
    examined.verdict = oracle::judge(examined.evidence, excuses_off_);
  } else if (task.what == Examination::masked) {
    examined.verdict = oracle::beyond(oracle::judge(examined.evidence, excuses_off_), examined.neutralisers);
  } else if (task.what == Examination::controls) {
    examined.verdict = oracle::judge(examined.evidence, excuses_off_);
    examined.stage = oracle::first_differing_stage(examined.evidence, examined.verdict);
  }
}

bool Examiner::runs_controls(const Task& task, const oracle::Evidence& evidence, TimePoint now) {
  if (task.what == Examination::stages || task.controls ||
      !oracle::needs_controls(oracle::judge_first_look(evidence, excuses_off_))) {
    return false;
  }
  const auto modes = oracle::control_modes_of(task.round->compiled());
  Task more = task;
  more.controls = true;
  more.round->extend({modes.eager, modes.compiled});
  submit_round(more, now);
  return !more.round->done();
}

std::optional<Examined> Examiner::rounded(const Task& task, const executor::JobResult& result, TimePoint now) {
  task.round->on_result(task.side, result);
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
  if (runs_controls(task, examined.evidence, now)) return std::nullopt;
  if (task.what != Examination::stages) {
    examined.verdict = oracle::judge(examined.evidence, excuses_off_);
  } else {
    examined.verdict = task.verdict;
    examined.stage = oracle::first_differing_stage(examined.evidence, task.verdict);
  }
  return examined;
}

void Examiner::sift(std::int64_t number, executor::Screening screening, TimePoint now) {
  executor::Job job;
  job.id = next_job_++;
  job.seed = seed_;
  job.screening = std::move(screening);
  siftings_[job.id] = number;
  pool_.submit(std::move(job), now);
}

/// Whether the result was background work's.
bool Examiner::take_background(const executor::JobResult& result) {
  if (auto inspection = inspections_.extract(result.id)) {
    auto text = inspection_text(inspection.mapped(), result);
    inspected_.push_back({.what = std::move(inspection.mapped()), .text = std::move(text)});
    return true;
  }
  const auto sifting = siftings_.extract(result.id);
  if (!sifting) return false;
  Sifted sifted{.number = sifting.mapped(), .told = result.screened, .failure = result.harness_failure};
  if (result.death) {
    sifted.failure = result.death->hung ? "it hung" : fmt::format("it was killed by signal {}", result.death->signal);
  }
  sifted_.push_back(std::move(sifted));
  return true;
}

void Examiner::end_round(const std::shared_ptr<Round>& round) {
  std::erase_if(jobs_, [&](const auto& entry) {
    const bool its = entry.second.round == round;
    if (its) late_.emplace(entry.first, round);
    return its;
  });
}

std::vector<Examined> Examiner::drain_results(TimePoint now) {
  std::vector<Examined> all;
  for (const auto& result : pool_.take_results()) {
    if (take_background(result)) continue;
    late_.erase(result.id);
    const auto found = jobs_.find(result.id);
    if (found == jobs_.end()) continue;
    const Task task = std::move(found->second);
    jobs_.erase(found);
    if (!task.round) {
      Examined examined = warm(task, result);
      if (task.what == Examination::screen && ran_nothing(task.neutralisers, examined)) {
        screen(task.subject, {.neutralisers = {}, .much = task.much, .compile_all = task.compile_all}, now);
      } else {
        all.push_back(std::move(examined));
      }
    } else if (auto examined = rounded(task, result, now)) {
      end_round(task.round);
      all.push_back(std::move(*examined));
    }
  }
  return all;
}

}  // namespace parityd::agent
