#include "agent/cli/running/checker.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "agent/daemon/findings/finding_disposition.h"
#include "agent/llm/reply.h"
#include "oracle/finding/attribute.h"
#include "store/report/draft.h"

namespace parityd::agent {
namespace {

using executor::Clock;

/// Control runs are needed only if a reduction must preserve the stage it finds.
Policy check_policy(bool reduce) {
  return {.confirmation_rounds = 1,
          .run_controls = reduce,
          .reduce = reduce,
          .find_stage = false,
          .attribute = false,
          .find_residual = false,
          .find_trigger = false,
          .find_extent = false,
          .repair_rounds = 0};
}

/// The result for a file without a program.
CheckedFile invalid(const std::string& name, const std::string& rule, const std::string& explanation) {
  CheckedFile file{.name = name};
  file.judged = {.verdict = oracle::VerdictKind::invalid, .rule = rule, .explanation = explanation};
  return file;
}

}  // namespace

oracle::Disposition CheckedFile::disposition(const oracle::DispositionChoices& choices) const {
  return oracle::dispose(judged, last.evidence, disposition_facts(script), choices).disposition;
}

Subject CheckedFile::smaller() const {
  Subject smaller = subject;
  smaller.text = reduced->text;
  smaller.options_json = reduced->options_json;
  return smaller;
}

std::string CheckedFile::script_text(const std::string& device, const std::string& torch) const {
  store::DraftFacts facts{.options_json = subject.options_json};
  facts.finding.reduced = subject.text;
  facts.finding.kind = last.verdict.kind.value_or(oracle::Kind::numerical);
  facts.finding.stage = last.stage;
  facts.finding.device = device;
  facts.finding.torch = torch;
  facts.rounds.push_back({.evidence = last.evidence, .verdict = last.verdict});
  return store::render_repro(facts);
}

void CheckedFile::note(const Examined& examined) {
  if (examined.what != Examination::final_confirmation)
    last = {.verdict = examined.verdict, .evidence = examined.evidence};
  if (examined.what == Examination::controls) {
    shown.stage = examined.stage;
  } else if (examined.what == Examination::confirmation) {
    shown.verdict = examined.verdict;
    shown.evidence = examined.evidence;
    confirmed = shown;
  } else if (examined.what == Examination::final_confirmation) {
    const auto why =
        oracle::why_another(shown, {.verdict = examined.verdict, .evidence = examined.evidence, .stage = shown.stage});
    position.final_rounds = 1;
    position.final_hits = why ? 0 : 1;
    if (!why) confirmed = {.verdict = examined.verdict, .evidence = examined.evidence};
    reduced->why += why ? "; in fresh processes: " + *why : "; fresh processes show it";
  }
}

Event CheckedFile::event_of(const Examined& examined) const {
  switch (examined.what) {
    case Examination::screen:
      return Screened{.verdict = examined.verdict, .trusted = examined.trusted};
    case Examination::controls:
      return ControlsRan{.verdict = examined.verdict, .trusted = examined.trusted};
    case Examination::confirmation:
      return RoundJudged{.verdict = examined.verdict};
    default:
      return Further{.verdict = shown.verdict};
  }
}

void CheckedFile::go_to(const Move& move) {
  position.state = move.state;
  position.confirmation_rounds = move.confirmation_rounds;
  position.confirmation_hits = move.confirmation_hits;
}

Checker::Checker(Engine& engine, const CheckPlan& plan)
    : engine_(engine),
      plan_(plan),
      session_(engine, 0, plan.excuses_off),
      reducer_(session_.examiner(), *engine.syntax) {}

tl::expected<void, std::string> Checker::run(Told told) {
  told_ = std::move(told);
  for (std::size_t index = 0; index < plan_.files.size(); ++index) {
    read(plan_.files[index], static_cast<store::Id>(index + 1));
  }
  while (!waiting_.empty() || !files_.empty() || !engine_.syntax->idle()) {
    const auto examined = session_.turn();
    if (!examined) return tl::unexpected(examined.error());
    for (const auto& each : *examined) on_result(each);
    take_reduced();
    take_scripts();
    begin_some();
  }
  return {};
}

void Checker::read(const std::string& name, store::Id id) {
  std::ifstream stream(name, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  if (!stream) return told_(invalid(name, "file.unreadable", "cannot be read"));
  const GivenText given = given_text(name, text.str());
  engine_.syntax->normalise(given.text, true, given.truncated, [this, name, id](auto normalised) {
    if (!normalised) {
      told_(invalid(name, "syntax", normalised.error().message));
    } else if (!normalised->problem.empty()) {
      told_(invalid(name, "refused", normalised->problem));
    } else if (plan_.threads > 0) {
      with_threads(name, id, *normalised);
    } else {
      queue(name, id, *normalised);
    }
  });
}

void Checker::with_threads(const std::string& name, store::Id id, const executor::Normalised& program) {
  const std::string threads = fmt::format(R"({{"threads": {}}})", plan_.threads);
  engine_.syntax->with_options(
      program.text, threads, executor::StatedOptions::go, [this, name, id, program](const auto& with) {
        executor::Normalised given =
            with.value_or(program);  // OPTIONS that are not a constant dict stay, without effect
        given.fixes = program.fixes;
        queue(name, id, given);
      });
}

void Checker::queue(const std::string& name, store::Id id, const executor::Normalised& program) {
  waiting_.push_back({.name = name,
                      .fixes = program.fixes,
                      .subject = {.program = id, .text = program.text, .options_json = program.options_text}});
}

void Checker::begin_some() {
  while (!waiting_.empty() && engine_.pool->free_warm(0) > 0) {
    CheckedFile file = std::move(waiting_.front());
    waiting_.pop_front();
    session_.examiner().screen(file.subject, {}, Clock::now());
    files_[file.subject.program] = std::move(file);
  }
}

void Checker::on_result(const Examined& examined) {
  if (examined.what == Examination::candidate) return reducer_.on_result(examined, Clock::now());
  const auto found = files_.find(examined.program);
  if (found == files_.end()) return;
  CheckedFile& file = found->second;
  if (examined.what == Examination::stages || examined.what == Examination::ablation) {
    file.attributor->on_result(examined, Clock::now());
    if (file.attributor->done()) end(file);
    return;
  }
  if (!examined.harness_failure.empty()) {
    file.harness_failure = examined.harness_failure;
    return tell_and_forget(file);
  }
  file.note(examined);
  step(file, file.event_of(examined));
}

void Checker::take_reduced() {
  TrialRoom room = session_.examiner().trial_room({engine_.pool->config(0).warm_workers});
  reducer_.send_trials(room, Clock::now());
  for (auto next = files_.begin(); next != files_.end();) {
    auto& [id, file] = *next++;  // its last step removes it
    if (auto reduced = reducer_.take_finished(id)) {
      file.reduced = std::move(reduced);
      file.position.reduced = true;
      step(file, Further{.verdict = file.shown.verdict});
    }
  }
}

void Checker::take_scripts() {
  for (const auto& inspected : session_.examiner().take_inspected()) {
    CheckedFile& file = files_.at(inspected.what.finding);
    const std::string told = inspected.text ? *inspected.text : oracle::script_not_run(inspected.text.error());
    file.script = oracle::read_script_report(oracle::script_report("", told));
    tell_and_forget(file);
  }
}

void Checker::step(CheckedFile& file, const Event& event) {
  const Move move = advance(check_policy(plan_.reduce), file.position, event);
  file.go_to(move);
  const auto now = Clock::now();
  switch (move.action) {
    case Action::run_controls:
      return session_.examiner().run_controls(file.subject, file.last.verdict.kind.value_or(oracle::Kind::numerical),
                                              now);
    case Action::run_round:
      return session_.examiner().confirm(file.subject, Examination::confirmation, move.confirmation_rounds + 1, now);
    case Action::reduce:
      return reducer_.begin(file.subject, file.shown, {}, now);
    case Action::run_final_round:
      return session_.examiner().confirm(file.smaller(), Examination::final_confirmation, 1, now);
    default:
      return finish(file, move);
  }
}

void Checker::finish(CheckedFile& file, const Move& move) {
  file.judged = move.verdict.value_or(file.last.verdict);
  if (move.state_dependent) {
    file.judged.explanation += " (a warm worker saw a difference that fresh processes do not show)";
  }
  if (plan_.attribute && file.inconsistent()) {
    begin_attribution(file);
  } else {
    end(file);
  }
}

/// Attributes the reduced program if fresh processes confirmed it, else the whole one.
void Checker::begin_attribution(CheckedFile& file) {
  const bool confirmed = file.reduced && file.position.final_hits == 1;
  Subject subject = confirmed ? file.smaller() : file.subject;
  const Place place{.torch = torch(), .device = engine_.pool->config(subject.group).device};
  file.attributor = std::make_unique<Attributor>(session_.examiner(), std::move(subject), file.confirmed, place);
  file.attributor->begin(std::nullopt, Clock::now());
}

/// A file is not ready if its script does not show the inconsistency.
void Checker::end(CheckedFile& file) {
  if (!file.inconsistent() || file.disposition(plan_.choices).klass != oracle::Disposition::Class::ready) {
    return tell_and_forget(file);
  }
  const std::string device(executor::name(engine_.pool->config(0).device));
  session_.examiner().inspect(script_inspection(file.subject.program, file.script_text(device, torch())), Clock::now());
}

void Checker::tell_and_forget(const CheckedFile& file) {
  told_(file);
  const store::Id program = file.subject.program;  // the file is destroyed
  files_.erase(program);
}

/// The workers' torch; empty until one has reported it.
std::string Checker::torch() const {
  const auto hello = engine_.pool->hello(0);
  return hello ? hello->torch : "";
}

}  // namespace parityd::agent
