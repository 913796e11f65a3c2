// parityd verify ID --overlay DIR: whether a change of torch's Python files mends a finding, and what it breaks.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "agent/cli/commands.h"
#include "agent/cli/commands/shared_options.h"
#include "agent/cli/json.h"
#include "agent/cli/reading.h"
#include "agent/cli/running/overlay.h"
#include "agent/cli/running/verifier.h"

namespace parityd::agent {
namespace fs = std::filesystem;
namespace {

struct VerifyOptions {
  store::Id id = 0;
  std::string overlay, python;
  int programs = 500;
  bool json = false;
};

struct Report {
  Overlay overlay;
  std::string torch;
  Verifier::Judged finding;
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
  [[nodiscard]] std::string sentence() const {
    if (finding.with.result == store::RecheckResult::cannot || finding.without.result == store::RecheckResult::cannot) {
      return "it cannot be told whether the patch mends the finding";
    }
    if (!shown_without()) return "without the patch the finding does not show here either: nothing to mend";
    if (mends()) return "the patch mends the finding";
    return finding.with.result == store::RecheckResult::still ? "the patch does not mend the finding"
                                                              : "the patch changes the finding, but does not mend it";
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
                         {"not_judged", report.not_judged()},
                         {"broken", json_array(broken, program_json)}});
    return;
  }
  const auto line = [&](const std::string& text) { context.out << printable_line(text) << "\n"; };
  for (const auto& file : report.overlay.changed) line("changed: " + file.string());
  for (const auto& file : report.overlay.added) line("new: " + file.string());
  line(fmt::format("without it: {} ({})", name(report.finding.without.result), report.finding.without.reason));
  line(fmt::format("with it: {} ({})", name(report.finding.with.result), report.finding.with.reason));
  line(report.sentence());
  line(fmt::format("it breaks {} of {} programs that were consistent on torch {}{}", broken.size(),
                   report.programs.size(), report.torch,
                   report.not_judged() == 0 ? "" : fmt::format("; {} could not be run", report.not_judged())));
  for (const Tried* const tried : broken) {
    line(fmt::format("  program {}: {}: {}", tried->program.id, kind_of(*tried->with), tried->with->explanation));
  }
}

/// The error says what is missing.
tl::expected<Report, std::string> verify_finding(Context& context, const VerifyOptions& options, Config config,
                                                 const store::Store& store, const store::FindingRow& finding) {
  const auto python = options.python.empty() ? python_with(finding.torch) : fs::path(options.python);
  if (!python) return tl::unexpected(python.error());
  const auto worker = executor::find_worker(find_installation().worker_places(), *python);
  if (!worker || !config.launch.empty()) {
    return tl::unexpected(
        worker ? std::string("an overlay needs workers on this machine: leave [executor] launch out")
               : fmt::format("no worker is built for {0}; run: parityd worker build --python {0}", python->string()));
  }
  auto overlay = read_overlay(options.overlay, worker->torch_folder);
  if (!overlay) return tl::unexpected(overlay.error());
  config.python = *python;
  config.device = finding.device;
  config.groups.clear();  // it asks for one interpreter and one device
  const fs::path places = find_installation().cache / "scratch";
  const ScratchFolder folder(places / fmt::format("verify-{}-overlay", getpid()));
  make_overlay_tree(*overlay, worker->torch_folder, folder.path() / "tree");
  auto engine = make_engine(config, places / fmt::format("verify-{}", getpid()), {.overlay = folder.path()});
  if (!engine) return tl::unexpected(engine.error());
  Verifier verifier(*engine, config, [&](const std::string& said) { context.err << said << std::endl; });
  Report report{.overlay = std::move(*overlay), .torch = worker->torch, .finding = {}, .programs = {}};
  auto judged = verifier.finding(recheck_case(store, finding, 0));
  if (!judged) return tl::unexpected(judged.error());
  report.finding = std::move(*judged);
  auto programs =
      verifier.programs(store.programs.consistent(worker->torch, finding.device, options.programs, config.seed));
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
    context.exit_code = report->mends() && report->broken().empty() ? 0 : 1;
  });
}

}  // namespace

void add_verify(CLI::App& app, Context& context) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App* command = app.add_subcommand("verify", "Try a change of torch's Python files on a finding.");
  add_finding_option(*command, options->id)->required();
  command
      ->add_option("--overlay", options->overlay,
                   "Folder with changed files, as in site-packages: DIR/torch/_inductor/lowering.py")
      ->type_name("DIR")
      ->required();
  command->add_option("--programs", options->programs, "At most so many programs that were consistent have to stay so")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  add_python_option(*command, options->python, "Interpreter; default: a worker's that has the finding's torch");
  command->add_flag("--json", options->json, "One object: mends, with, without, programs, broken, …");
  command->footer(
      "The installed torch stays as it is, and nothing is built but the compiler caches of the changed one.\n"
      "Exit code: 0 it mends the finding and breaks nothing, 1 otherwise or no such finding, 2 misuse, 3 the\n"
      "environment or the overlay is at fault.");
  command->callback([&context, options] { verify(context, *options); });
}

}  // namespace parityd::agent
