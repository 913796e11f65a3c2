// parityd check FILE…: judges programs by hand. Nothing is stored; a warm difference is confirmed by one gate round.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "agent/cli/commands.h"
#include "agent/cli/commands/without_option.h"
#include "agent/cli/reports/attribution_text.h"
#include "agent/cli/running/engine.h"
#include "agent/cli/running/examining.h"
#include "agent/daemon/program/attributor.h"
#include "agent/daemon/program/examiner.h"
#include "agent/daemon/program/pipeline.h"
#include "agent/daemon/program/reducer.h"
#include "agent/llm/http.h"
#include "agent/llm/reply.h"
#include "oracle/finding/disposition.h"
#include "oracle/finding/script_report.h"
#include "oracle/rules/explain.h"
#include "store/report/draft.h"

namespace parityd::agent {
namespace {

using oracle::VerdictKind;

/// A closer look only where a reduction has to keep the stage that it finds.
Policy check_policy(bool reduce) {
  return {.gate_rounds = 1,
          .look_closer = reduce,
          .reduce = reduce,
          .find_stage = false,
          .attribute = false,
          .find_rest = false,
          .find_reach = false,
          .find_extent = false,
          .repair_rounds = 0};
}

struct CheckOptions {
  std::vector<std::string> files;
  std::string python;
  std::string device;
  int workers = 0;
  int threads = 0;  // 0: as the programs say
  bool json = false;
  bool explain = false;
  bool attribute = false;
  bool list_excuses = false;
  bool reduce = false;
  std::vector<std::string> excuses_off;
  oracle::DispositionChoices choices;
};

struct File {
  std::string name;
  std::vector<std::string> fixes;  // what was changed before it ran
  Subject subject;
  Position position;
  oracle::Verdict judged;
  oracle::Shown last;       // by whatever ran last
  oracle::Shown confirmed;  // by the last round of fresh processes that showed it
  oracle::Shown shown;      // by the gate; at which stage, a warm worker has told
  std::optional<store::ReductionRow> reduced;
  std::unique_ptr<Attributor> attributor;
  std::optional<oracle::ScriptReport> script;  // run where it would be ready
};

/// Drives every file through the pipeline; prints each verdict as soon as it is known.
class Checker {
 public:
  Checker(Context& context, const CheckOptions& options, Engine& engine)
      : context_(context),
        options_(options),
        engine_(engine),
        examiner_(*engine.pool, engine.scratch->path() / "rounds", 0, options.excuses_off),
        reducer_(examiner_, *engine.syntax) {}

  void run() {
    for (std::size_t index = 0; index < options_.files.size(); ++index) {
      read(options_.files[index], static_cast<store::Id>(index + 1));
    }
    while (!waiting_.empty() || !files_.empty() || !engine_.syntax->idle()) {
      turn();
      if (const auto broken = engine_.pool->broken()) {
        context_.err << "parityd check: " << *broken << "\n";
        context_.exit_code = 3;
        return;
      }
    }
    if (context_.exit_code == 0 && judged_ == 0) context_.exit_code = 2;
  }

 private:
  void read(const std::string& name, store::Id id) {
    std::ifstream stream(name, std::ios::binary);
    std::stringstream text;
    text << stream.rdbuf();
    if (!stream) {
      print(name, {.verdict = VerdictKind::invalid, .rule = "file.unreadable", .explanation = "cannot be read"}, {});
      return;
    }
    const GivenText given = given_text(name, text.str());
    engine_.syntax->normalise(given.text, true, given.truncated, [this, name, id](auto normalised) {
      if (!normalised || !normalised->problem.empty()) {
        print(name,
              {.verdict = VerdictKind::invalid,
               .rule = normalised ? "refused" : "syntax",
               .explanation = normalised ? normalised->problem : normalised.error().message},
              {});
        return;
      }
      if (options_.threads > 0) {
        with_threads(name, id, *normalised);
      } else {
        wait(name, id, *normalised);
      }
    });
  }

  void with_threads(const std::string& name, store::Id id, const executor::Normalised& program) {
    const std::string threads = fmt::format(R"({{"threads": {}}})", options_.threads);
    engine_.syntax->with_options(
        program.text, threads, executor::StatedOptions::go, [this, name, id, program](const auto& text) {
          nlohmann::json options = program.options();
          options["threads"] = options_.threads;
          executor::Normalised given = program;
          given.text = text.value_or(program.text);  // what is no constant dict stays as it is, and means nothing
          given.options_text = text ? options.dump() : program.options_text;
          wait(name, id, given);
        });
  }

  void wait(const std::string& name, store::Id id, const executor::Normalised& program) {
    waiting_.push_back({.name = name,
                        .fixes = program.fixes,
                        .subject = {.program = id, .text = program.text, .options_json = program.options_text}});
  }

  void take_reduced() {
    for (auto next = files_.begin(); next != files_.end();) {
      auto& [id, file] = *next++;  // its last step forgets it
      if (auto reduced = reducer_.take_finished(id)) {
        file.reduced = std::move(reduced);
        file.position.reduced = true;
        step(file, Further{.verdict = file.shown.verdict});
      }
    }
  }

  void turn() {
    serve(engine_, http_);
    for (auto& examined : examiner_.take(executor::Clock::now())) {
      if (examined.what == Examination::candidate) {
        reducer_.take(examined, executor::Clock::now());
      } else {
        take(examined);
      }
    }
    TrialRoom room = examiner_.trial_room({engine_.pool->config(0).warm_workers});
    reducer_.service(room, executor::Clock::now());
    take_reduced();
    for (const auto& inspected : examiner_.take_inspected()) {
      File& file = files_.at(inspected.what.finding);
      const std::string told = inspected.text ? *inspected.text : oracle::script_not_run(inspected.text.error());
      file.script = oracle::read_script_report(oracle::script_report("", told));
      print_and_forget(file);
    }
    while (!waiting_.empty() && engine_.pool->free_warm(0) > 0) {
      File file = std::move(waiting_.front());
      waiting_.pop_front();
      examiner_.screen(file.subject, executor::Clock::now());
      files_[file.subject.program] = std::move(file);
    }
  }

  void take(const Examined& examined) {
    const auto found = files_.find(examined.program);
    if (found == files_.end()) {
      return;
    }
    File& file = found->second;
    if (examined.what == Examination::ladder || examined.what == Examination::ablation) {
      attribute(file, examined);
      return;
    }
    if (!examined.harness_failure.empty()) {
      context_.err << fmt::format("{}: the harness failed, not the program: {}\n", file.name, examined.harness_failure);
      context_.exit_code = 3;
      files_.erase(found);
      return;
    }
    note(file, examined);
    step(file, event_of(file, examined));
  }

  void step(File& file, const Event& event) {
    const Move move = advance(check_policy(options_.reduce), file.position, event);
    file.position.state = move.state;
    file.position.gate_rounds = move.gate_rounds;
    file.position.gate_hits = move.gate_hits;
    const auto now = executor::Clock::now();
    switch (move.action) {
      case Action::look_closer:
        return examiner_.closer(file.subject, file.last.verdict.kind.value_or(oracle::Kind::numerical), now);
      case Action::run_round:
        return examiner_.gate(file.subject, Examination::gate, move.gate_rounds + 1, now);
      case Action::reduce:
        return reducer_.begin(file.subject, file.shown, {}, now);
      case Action::run_final_round: {
        Subject smaller = file.subject;
        smaller.text = file.reduced->text;
        smaller.options_json = file.reduced->options_json;
        return examiner_.gate(smaller, Examination::final_gate, 1, now);
      }
      default:
        return finish(file, move);
    }
  }

  void finish(File& file, const Move& move) {
    oracle::Verdict verdict = move.verdict.value_or(file.last.verdict);
    if (move.state_dependent) {
      verdict.explanation += " (a warm worker saw a difference that fresh processes do not show)";
    }
    file.judged = std::move(verdict);
    if (options_.attribute && file.judged.verdict == VerdictKind::inconsistent) {
      begin_attribution(file);
    } else {
      end(file);
    }
  }

  /// Nothing is ready whose script does not show it.
  void end(const File& file) {
    const bool ready = file.judged.verdict == VerdictKind::inconsistent &&
                       disposed(file.judged, file.last.evidence, &file).klass == oracle::Disposition::Class::ready;
    if (ready) {
      examiner_.inspect(script_inspection(file.subject.program, script_of(file)), executor::Clock::now());
    } else {
      print_and_forget(file);
    }
  }

  [[nodiscard]] std::string script_of(const File& file) const {
    const auto& [verdict, evidence, stage] = file.last;
    const auto hello = engine_.pool->hello(0);
    store::DraftFacts facts{.options_json = file.subject.options_json};
    facts.finding.reduced = file.subject.text;
    facts.finding.kind = verdict.kind.value_or(oracle::Kind::numerical);
    facts.finding.stage = stage;
    facts.finding.device = executor::name(engine_.pool->config(0).device);
    facts.finding.torch = hello ? hello->torch : "";
    facts.rounds.push_back({.evidence = evidence, .verdict = verdict});
    return store::render_repro(facts);
  }

  [[nodiscard]] oracle::Disposition disposed(const oracle::Verdict& verdict, const oracle::Evidence& evidence,
                                             const File* file) const {
    oracle::DispositionFacts facts;
    if (file != nullptr && file->script) {
      facts.script = oracle::script_runs(*file->script);
    }
    return oracle::dispose(verdict, evidence, facts, options_.choices).disposition;
  }

  void print_and_forget(const File& file) {
    print(file.name, file.judged, file.last.evidence, &file);
    const store::Id program = file.subject.program;  // the file goes
    files_.erase(program);
  }

  /// Of what it was reduced to, where fresh processes confirmed that.
  void begin_attribution(File& file) {
    Subject subject = file.subject;
    if (file.reduced && file.position.final_hits == 1) {
      subject.text = file.reduced->text;
      subject.options_json = file.reduced->options_json;
    }
    const auto hello = engine_.pool->hello(subject.group);
    const bool cuda = engine_.pool->config(subject.group).device == executor::DeviceKind::cuda;
    file.attributor = std::make_unique<Attributor>(examiner_, std::move(subject), file.confirmed,
                                                   Place{.torch = hello ? hello->torch : "", .cuda = cuda});
    file.attributor->begin(std::nullopt, executor::Clock::now());
  }

  void attribute(File& file, const Examined& examined) {
    file.attributor->take(examined, executor::Clock::now());
    if (file.attributor->done()) {
      end(file);
    }
  }

  void note(File& file, const Examined& examined) const {
    if (examined.what != Examination::final_gate) {
      file.last = {.verdict = examined.verdict, .evidence = examined.evidence};
    }
    if (examined.what == Examination::closer) {
      file.shown.stage = examined.stage;
    } else if (examined.what == Examination::gate) {
      file.shown.verdict = examined.verdict;
      file.shown.evidence = examined.evidence;
      file.confirmed = file.shown;
    } else if (examined.what == Examination::final_gate) {
      const auto why = oracle::why_another(
          file.shown, {.verdict = examined.verdict, .evidence = examined.evidence, .stage = file.shown.stage});
      file.position.final_rounds = 1;
      file.position.final_hits = why ? 0 : 1;
      if (!why) {
        file.confirmed = {.verdict = examined.verdict, .evidence = examined.evidence};
      }
      file.reduced->why += why ? "; fresh processes show " + *why : "; fresh processes show it";
    }
  }

  [[nodiscard]] static Event event_of(const File& file, const Examined& examined) {
    switch (examined.what) {
      case Examination::screen:
        return Screened{.verdict = examined.verdict, .trusted = examined.trusted};
      case Examination::closer:
        return LookedCloser{.verdict = examined.verdict, .trusted = examined.trusted};
      case Examination::gate:
        return RoundJudged{.verdict = examined.verdict};
      default:
        return Further{.verdict = file.shown.verdict};
    }
  }

  void print(const std::string& name, const oracle::Verdict& verdict, const oracle::Evidence& evidence,
             const File* file = nullptr) {
    const store::ReductionRow* const reduced = file != nullptr && file->reduced ? &*file->reduced : nullptr;
    const Attributor* const attributor = file != nullptr ? file->attributor.get() : nullptr;
    const bool inconsistent = verdict.verdict == VerdictKind::inconsistent;
    const std::string disposition = inconsistent ? disposed(verdict, evidence, file).text() : "";
    judged_ += verdict.verdict == VerdictKind::invalid ? 0 : 1;
    if (inconsistent && context_.exit_code == 0) {
      context_.exit_code = 1;
    }
    if (options_.json) {
      nlohmann::json line{
          {"file", name},
          {"verdict", oracle::name(verdict.verdict)},
          {"kind", verdict.kind ? nlohmann::json(oracle::name(*verdict.kind)) : nlohmann::json(nullptr)},
          {"rule", verdict.rule},
          {"disposition", inconsistent ? nlohmann::json(disposition) : nlohmann::json(nullptr)},
          {"explanation", verdict.explanation},
          {"fixes", file != nullptr ? file->fixes : std::vector<std::string>{}},
          {"script", file != nullptr && file->script ? nlohmann::json(oracle::in_words(*file->script))
                                                     : nlohmann::json(nullptr)}};
      if (reduced != nullptr) {
        line["reduced"] = {{"program", reduced->text},
                           {"statements_before", reduced->statements_before},
                           {"statements", reduced->statements},
                           {"lines", reduced->lines},
                           {"trials", reduced->trials},
                           {"seconds", reduced->seconds},
                           {"why", reduced->why}};
      }
      if (attributor != nullptr) {
        line.update(attribution_json(*attributor));
      }
      context_.out << line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << std::endl;
      return;
    }
    context_.out << printable(fmt::format("{}: {}{}  [{}]{}\n  {}", name, oracle::name(verdict.verdict),
                                          verdict.kind ? fmt::format(" ({})", oracle::name(*verdict.kind)) : "",
                                          verdict.rule, disposition.empty() ? "" : "  " + disposition,
                                          verdict.explanation))
                 << std::endl;
    if (file != nullptr && !file->fixes.empty()) {
      context_.out << printable(fmt::format("  judged after: {}", fmt::join(file->fixes, "; "))) << std::endl;
    }
    if (file != nullptr && file->script && file->script->says != oracle::ScriptSays::shown) {
      context_.out << printable(fmt::format("  {}", oracle::in_words(*file->script))) << std::endl;
    }
    if (reduced != nullptr) {
      context_.out
          << printable(fmt::format(
                 "  reduced from {} to {} statements, {} lines, by {} trials in {:.0f} worker seconds: {}\n\n{}",
                 reduced->statements_before, reduced->statements, reduced->lines, reduced->trials, reduced->seconds,
                 reduced->why, reduced->text))
          << std::endl;
    }
    if (attributor != nullptr) {
      context_.out << printable(attribution_text(*attributor)) << std::flush;
    }
    if (options_.explain) {
      const oracle::ExcusesOff off(options_.excuses_off.begin(), options_.excuses_off.end());
      context_.out << printable(oracle::reasoning(evidence, off) + oracle::explain(evidence)) << std::endl;
    }
  }

  Context& context_;
  const CheckOptions& options_;
  Engine& engine_;
  Examiner examiner_;
  Reducer reducer_;
  HttpClient http_;  // the one place to wait
  std::deque<File> waiting_;
  std::map<store::Id, File> files_;
  int judged_ = 0;  // that are not invalid
};

void list_excuses(Context& context, bool json) {
  for (const oracle::Excuse& excuse : oracle::excuses()) {
    if (json) {
      context.out << nlohmann::json{{"name", excuse.name}, {"about", excuse.about}, {"source", excuse.source}}.dump()
                  << "\n";
    } else {
      context.out << fmt::format("{:<40} {}{}\n", excuse.name, excuse.about,
                                 excuse.source.empty() ? "" : " (" + excuse.source + ")");
    }
  }
}

void check(Context& context, CheckOptions options) {
  if (options.list_excuses) {
    list_excuses(context, options.json);
    return;
  }
  auto config = load_context_config(context);
  if (!config) {
    return;
  }
  if (!options.python.empty()) {
    config->python = options.python;
  }
  if (!options.device.empty()) {
    config->device = options.device;
  }
  options.excuses_off.insert(options.excuses_off.end(), config->excuses_off.begin(), config->excuses_off.end());
  options.choices = config->dispositions;
  config->workers = options.workers > 0 ? options.workers : config->workers;
  const int wanted = static_cast<int>(std::min<std::size_t>(options.files.size(), 1024));
  auto engine = make_engine(*config, find_installation().cache / "scratch" / fmt::format("check-{}", getpid()),
                            {.programs = wanted});
  if (!engine) {
    context.err << "parityd check: " << engine.error() << "\n";
    context.exit_code = 3;
    return;
  }
  if (!options.json) {
    context.err << fmt::format("{} ({})\n", engine->description(), engine->workers.front().python.string());
  }
  Checker(context, options, *engine).run();
}

}  // namespace

void add_check(CLI::App& app, Context& context) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command = app.add_subcommand("check", "Judge programs by hand: eager against compiled. Stores nothing.");
  command
      ->add_option("files", options->files,
                   "Programs and scripts (.py); replies of a model, issues, notebooks (any other ending)")
      ->type_name("FILE");
  command->add_option("--python", options->python, "Interpreter whose torch judges; default: the newest worker built")
      ->type_name("PYTHON");
  command->add_option("--device", options->device, "cpu, cuda or auto")->check(CLI::IsMember({"auto", "cpu", "cuda"}));
  command->add_option("--workers", options->workers, "Programs at the same time")->check(CLI::Range(1, 256));
  command
      ->add_option("--threads", options->threads,
                   "For kernels on a CPU, whatever OPTIONS say; default: as they say, else 1")
      ->check(CLI::Range(1, 64));
  command->add_flag("--json", options->json,
                    "One object a line: file, verdict, kind, rule, disposition, explanation, fixes, script");
  command->add_flag("--explain", options->explain,
                    "For every leaf that differs what each rule asked and which decided, then all numbers");
  command->add_flag("--reduce", options->reduce,
                    "Make each inconsistent program as small as it can be while it shows the same; takes minutes");
  command->add_flag("--attribute", options->attribute,
                    "What makes an inconsistency vanish: up to 25 more runs each, the neutraliser and a workaround");
  add_without_option(*command, options->excuses_off);
  command->add_flag("--list-excuses", options->list_excuses, "Every excuse by name, with its source; checks nothing");
  command->footer(
      "Exit code: 0 nothing inconsistent, 1 something is, 2 no file could be judged, 3 the environment is at fault.");
  command->callback([&context, options] {
    if (options->files.empty() && !options->list_excuses) {
      throw CLI::RequiredError("files");
    }
    check(context, *options);
  });
}

}  // namespace parityd::agent
