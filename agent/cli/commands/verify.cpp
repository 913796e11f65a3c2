// parityd verify ID --overlay DIR: whether a change of torch's Python files fixes a finding, and what it breaks.
#include <algorithm>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <set>

#include "agent/cli/commands.h"
#include "agent/cli/commands/shared_options.h"
#include "agent/cli/json.h"
#include "agent/cli/reading.h"
#include "agent/cli/running/job_session.h"
#include "agent/daemon/findings/finding_operators.h"
#include "agent/fixing/overlay.h"

namespace parityd::agent {
namespace fs = std::filesystem;
namespace {

struct VerifyOptions {
  store::Id id = 0;
  std::string overlay, python;
  int programs = 500;
  bool json = false;
};

using executor::Clock;
using oracle::VerdictKind;

constexpr executor::GroupIndex kWith = 0;  // groups of the engine
constexpr executor::GroupIndex kWithout = 1;

/// Both sides run at once, and a round's folder is named after the subject's program.
Subject on_side(Subject subject, executor::GroupIndex group) {
  subject.group = group;
  subject.program = group == kWith ? subject.program : -subject.program;
  return subject;
}

Subject subject_of(const store::ProgramRow& program, executor::GroupIndex group) {
  return on_side({.program = program.id, .text = program.text, .options_json = program.options_json}, group);
}

/// Fewer programs than this that call the operators say too little about a patch.
constexpr std::size_t kFewestRelated = 10;

/// A program that was consistent, and its results with the overlay.
struct Tried {
  store::ProgramRow program;
  bool related = false;                 // it calls an operator that the finding is about
  oracle::Verdict screened;             // by a warm worker
  std::optional<oracle::Verdict> with;  // by fresh processes, if the warm worker saw a difference
  std::optional<oracle::Verdict> without;
  std::string harness_failure;

  [[nodiscard]] bool broken() const;
  [[nodiscard]] bool judged() const { return harness_failure.empty(); }
};

class Verifier {
 public:
  /// Results for a finding with and without the overlay: result, hits, rounds and reason.
  struct Judged {
    store::RecheckRow with, without;
  };

  /// `progress`: called with a line from time to time. REQUIRES: an engine made with an overlay (EngineUse::overlay).
  Verifier(Engine& engine, const Config& config, std::function<void(const std::string&)> progress);

  /// The error: no worker can be started.
  [[nodiscard]] tl::expected<Judged, std::string> finding(const RecheckCase& found);
  [[nodiscard]] tl::expected<std::vector<Tried>, std::string> programs(std::vector<Tried> programs);

 private:
  void begin_some();
  void on_result(const Examined& examined);
  void finish(std::map<store::Id, Tried>::iterator found);

  Engine& engine_;
  JobSession session_;
  int rounds_;
  std::function<void(const std::string&)> progress_;
  std::deque<Tried> waiting_;
  std::map<store::Id, Tried> running_;
  std::vector<Tried> done_;
};

bool Tried::broken() const {
  return with && without && with->verdict != VerdictKind::consistent && without->verdict == VerdictKind::consistent;
}

Verifier::Verifier(Engine& engine, const Config& config, std::function<void(const std::string&)> progress)
    : engine_(engine),
      session_(engine, config.seed, config.excuses_off),
      rounds_(config.confirmation_rounds),
      progress_(std::move(progress)) {}

tl::expected<Verifier::Judged, std::string> Verifier::finding(const RecheckCase& found) {
  std::vector<executor::GroupIndex> sides{kWithout, kWith};
  const auto next = [&]() -> std::optional<RecheckCase> {
    if (sides.empty()) return std::nullopt;
    RecheckCase side = found;
    side.subject = on_side(std::move(side.subject), sides.back());
    sides.pop_back();
    return side;
  };
  Judged judged;
  const auto ran = session_.recheck(next, rounds_, sides.size(), [&](const Subject& subject, const Recheck& recheck) {
    (subject.group == kWith ? judged.with : judged.without) = recheck.result();
  });
  return ran.map([&] { return judged; });
}

tl::expected<std::vector<Tried>, std::string> Verifier::programs(std::vector<Tried> programs) {
  waiting_.assign(std::make_move_iterator(programs.begin()), std::make_move_iterator(programs.end()));
  begin_some();
  const auto ran = session_.run([this] { return running_.empty(); },
                                [this](const Examined& examined) {
                                  on_result(examined);
                                  begin_some();
                                });
  return ran.map([this] { return std::move(done_); });
}

void Verifier::begin_some() {
  const auto most = std::size_t{2} * static_cast<std::size_t>(engine_.pool->config(kWith).warm_workers);
  while (running_.size() < most && !waiting_.empty()) {
    Tried tried = std::move(waiting_.front());
    waiting_.pop_front();
    session_.examiner().screen(subject_of(tried.program, kWith), {}, Clock::now());
    running_.emplace(tried.program.id, std::move(tried));
  }
}

void Verifier::on_result(const Examined& examined) {
  const auto found = running_.find(std::abs(examined.program));
  if (found == running_.end()) return;
  Tried& tried = found->second;
  if (!examined.harness_failure.empty()) {
    tried.harness_failure = examined.harness_failure;
    return finish(found);
  }
  if (examined.what == Examination::screen) {
    tried.screened = examined.verdict;
    if (examined.trusted && examined.verdict.verdict == VerdictKind::consistent) return finish(found);
    for (const auto group : {kWith, kWithout}) {
      session_.examiner().confirm(subject_of(tried.program, group), Examination::recheck, 1, Clock::now());
    }
    return;
  }
  (examined.group == kWith ? tried.with : tried.without) = examined.verdict;
  if (tried.with && tried.without) finish(found);
}

void Verifier::finish(std::map<store::Id, Tried>::iterator found) {
  done_.push_back(std::move(found->second));
  running_.erase(found);
  constexpr std::size_t kTellEvery = 10;
  if (done_.size() % kTellEvery == 0) {
    progress_(fmt::format("{} programs, {} to go", done_.size(), waiting_.size() + running_.size()));
  }
}

struct Report {
  Overlay overlay;
  std::string torch;
  Verifier::Judged finding;
  std::vector<std::string> operators;  // that the finding is about
  std::vector<Tried> programs;

  [[nodiscard]] bool shown_without() const { return finding.without.result == store::RecheckResult::still; }
  [[nodiscard]] bool mends() const { return shown_without() && finding.with.result == store::RecheckResult::gone; }
  [[nodiscard]] std::vector<const Tried*> broken() const {
    std::vector<const Tried*> found;
    for (const auto& tried : programs) {
      if (tried.broken()) found.push_back(&tried);
    }
    return found;
  }
  [[nodiscard]] std::int64_t not_judged() const {
    return std::ranges::count_if(programs, [](const auto& tried) { return !tried.judged(); });
  }
  /// Programs that call the operators and could be judged.
  [[nodiscard]] std::size_t related() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(programs, [](const auto& tried) { return tried.related && tried.judged(); }));
  }
  [[nodiscard]] bool too_few() const { return related() < kFewestRelated; }
  [[nodiscard]] bool passes() const { return mends() && broken().empty() && !too_few(); }
  [[nodiscard]] std::string sentence() const {
    if (finding.with.result == store::RecheckResult::cannot || finding.without.result == store::RecheckResult::cannot) {
      return "cannot tell whether the patch fixes the finding";
    }
    if (!shown_without()) return "the finding does not show here even without the patch: nothing to fix";
    if (mends()) return "the patch fixes the finding";
    return finding.with.result == store::RecheckResult::still ? "the patch does not fix the finding"
                                                              : "the patch changes the finding, but does not fix it";
  }
};

std::string kind_of(const oracle::Verdict& verdict) {
  return verdict.kind ? fmt::format("{} ({})", name(verdict.verdict), name(*verdict.kind))
                      : std::string(name(verdict.verdict));
}

std::vector<std::string> strings(const std::vector<fs::path>& paths) { return {paths.begin(), paths.end()}; }

void print(Context& context, const VerifyOptions& options, const Report& report) {
  const auto broken = report.broken();
  if (options.json) {
    const auto program_json = [](const Tried* tried) -> nlohmann::json {
      return {{"program", tried->program.id},
              {"verdict", tried->with->verdict},
              {"kind", or_null(tried->with->kind)},
              {"explanation", tried->with->explanation}};
    };
    const auto side = [](const store::RecheckRow& row) -> nlohmann::json {
      return {{"result", row.result}, {"hits", row.hits}, {"rounds", row.rounds}, {"reason", row.reason}};
    };
    print_json(context, {{"finding", options.id},
                         {"torch", report.torch},
                         {"changed", strings(report.overlay.changed)},
                         {"new", strings(report.overlay.added)},
                         {"with", side(report.finding.with)},
                         {"without", side(report.finding.without)},
                         {"mends", report.mends()},
                         {"programs", report.programs.size()},
                         {"operators", report.operators},
                         {"related", report.related()},
                         {"too_few", report.too_few()},
                         {"not_judged", report.not_judged()},
                         {"broken", json_array(broken, program_json)}});
    return;
  }
  const auto line = [&](const std::string& text) { context.out << printable_line(text) << "\n"; };
  for (const auto& file : report.overlay.changed) line("changed: " + file.string());
  for (const auto& file : report.overlay.added) line("new: " + file.string());
  line(fmt::format("without the patch: {} ({})", name(report.finding.without.result), report.finding.without.reason));
  line(fmt::format("with the patch: {} ({})", name(report.finding.with.result), report.finding.with.reason));
  line(report.sentence());
  line(fmt::format("it breaks {} of {} programs that were consistent on torch {}{}", broken.size(),
                   report.programs.size(), report.torch,
                   report.not_judged() == 0 ? "" : fmt::format("; {} could not be run", report.not_judged())));
  line(fmt::format(
      "{} of them call {}{}", report.related(), fmt::join(report.operators, ", "),
      report.too_few() ? fmt::format(": too few to tell what it breaks, {} are needed", kFewestRelated) : ""));
  for (const Tried* const tried : broken) {
    line(fmt::format("  program {}: {}: {}", tried->program.id, kind_of(*tried->with), tried->with->explanation));
  }
}

/// Programs that call the operators first, at least as many as are needed; then any others, up to the limit.
std::vector<Tried> chosen_programs(const store::Store& store, const std::string& torch, const std::string& device,
                                   const Report& report, const VerifyOptions& options, std::uint64_t seed) {
  std::vector<Tried> chosen;
  std::set<store::Id> taken;
  const auto add = [&](std::vector<store::ProgramRow> rows, bool related) {
    for (auto& row : rows) {
      if (chosen.size() == static_cast<std::size_t>(options.programs)) return;
      if (taken.insert(row.id).second) chosen.push_back({.program = std::move(row), .related = related});
    }
  };
  add(store.programs.consistent_calling(torch, device, report.operators, options.programs), true);
  add(store.programs.consistent(torch, device, options.programs, seed), false);
  return chosen;
}

/// The error says what is missing.
tl::expected<Report, std::string> verify_finding(Context& context, const VerifyOptions& options, Config config,
                                                 const store::Store& store, const store::FindingRow& finding) {
  const auto python = options.python.empty() ? python_with(finding.torch) : fs::path(options.python);
  if (!python) return tl::unexpected(python.error());
  const auto worker = executor::find_worker(find_installation().worker_places(), *python);
  if (!worker || !config.launch.empty()) {
    return tl::unexpected(
        worker ? std::string("an overlay needs local workers: remove [executor] launch")
               : fmt::format("no worker is built for {0}; run: parityd worker build --python {0}", python->string()));
  }
  auto overlay = read_overlay(options.overlay, worker->torch_folder);
  if (!overlay) return tl::unexpected(overlay.error());
  config.python = *python;
  config.device = finding.device;
  config.groups.clear();  // one interpreter and one device are wanted
  const ScratchFolder folder(scratch_for("verify-overlay"));
  make_overlay_tree(*overlay, worker->torch_folder, folder.path() / "tree");
  auto engine = make_engine(config, scratch_for("verify"), {.overlay = folder.path()});
  if (!engine) return tl::unexpected(engine.error());
  Verifier verifier(*engine, config, [&](const std::string& said) { context.err << said << std::endl; });
  Report report{.overlay = std::move(*overlay),
                .torch = worker->torch,
                .finding = {},
                .operators = operators_of(finding),
                .programs = {}};
  auto judged = verifier.finding(recheck_case(store, finding, 0));
  if (!judged) return tl::unexpected(judged.error());
  report.finding = std::move(*judged);
  auto programs =
      verifier.programs(chosen_programs(store, worker->torch, finding.device, report, options, config.seed));
  if (!programs) return tl::unexpected(programs.error());
  report.programs = std::move(*programs);
  return report;
}

void verify(Context& context, const VerifyOptions& options) {
  const auto config = load_context_config(context);
  if (!config) return;
  with_finding(context, options.id, [&](const store::Store& store, const store::FindingRow& finding) {
    const auto report = verify_finding(context, options, *config, store, finding);
    if (!report) return context.fail(3, "parityd verify: {}", printable(report.error()));
    print(context, options, *report);
    context.exit_code = report->passes() ? 0 : 1;
  });
}

}  // namespace

void add_verify(CLI::App& app, Context& context) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App* command = app.add_subcommand("verify", "Check whether a change to torch's Python files fixes a finding.");
  add_finding_option(*command, options->id)->required();
  command
      ->add_option("--overlay", options->overlay,
                   "Folder with the changed files, laid out as in site-packages: DIR/torch/_inductor/lowering.py")
      ->type_name("DIR")
      ->required();
  command->add_option("--programs", options->programs, "Maximum number of consistent programs to check for regressions")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  add_python_option(*command, options->python,
                    "Python interpreter (default: that of a worker with the finding's torch)");
  command->add_flag("--json", options->json, "Print a JSON object: mends, with, without, programs, broken, …");
  command->footer(
      "The installed torch is not changed. Only the compiler caches of the changed one are built.\n"
      "Exit code: 0 it fixes the finding and breaks none of the programs, of which ten or more call the finding's\n"
      "operators; 1 otherwise or no such finding, 2 usage error, 3 environment or overlay error.");
  command->callback([&context, options] { verify(context, *options); });
}

}  // namespace parityd::agent
