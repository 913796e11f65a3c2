// parityd recheck [ID] --python P: tries findings on another torch; --group NAME: on another device.
#include <algorithm>
#include <compare>
#include <map>
#include <nlohmann/json.hpp>

#include "agent/cli/commands.h"
#include "agent/cli/commands/shared_options.h"
#include "agent/cli/reading.h"
#include "agent/cli/requesting.h"
#include "agent/cli/running/job_session.h"
#include "agent/cli/table.h"
#include "agent/daemon/loop/wall_clock.h"
#include "agent/daemon/program/recheck.h"
#include "executor/build_command.h"
#include "oracle/json_read.h"
#include "store/findings/version_range.h"

namespace parityd::agent {
namespace fs = std::filesystem;
namespace {

struct RecheckOptions {
  store::Id id = 0;
  std::string python, group;
  bool sweep = false;
  bool json = false;
};

void fail(Context& context, int code, const std::string& message) {
  context.fail(code, "parityd recheck: {}", printable(message));
}

/// The oldest torch first, as far as versions are known without starting workers.
std::vector<fs::path> pythons_of(const RecheckOptions& options, const Config& config) {
  if (!options.sweep) return {options.python.empty() ? config.newest_python : fs::path(options.python)};
  std::vector<fs::path> pythons = config.version_pythons;
  if (!config.newest_python.empty() && std::ranges::find(pythons, config.newest_python) == pythons.end()) {
    pythons.push_back(config.newest_python);
  }
  std::map<fs::path, std::string> torches;
  for (const auto& python : pythons) torches[python] = torch_built_for(python);
  std::ranges::stable_sort(pythons, [&](const auto& left, const auto& right) {
    return std::is_lt(store::compare_torch(torches.at(left), torches.at(right)));
  });
  return pythons;
}

/// Stores and prints rows. If a daemon runs, it applies them.
class Keeper {
 public:
  Keeper(Context& context, const RecheckOptions& options, const Config& config)
      : context_(context), options_(options), config_(config) {
    if (!config.newest_python.empty()) newest_ = torch_built_for(config.newest_python);
  }

  void keep(store::RecheckRow row, const fs::path& python, const std::vector<std::string>& known) {
    row.newest = !row.elsewhere && (python == config_.newest_python || is_newest(row.torch, newest_, known));
    row.who = own_name();
    const bool written = RequestDesk(context_).ask(requests::KeepRecheck{row}, config_, newest_).has_value();
    if (options_.json) {
      auto json = recheck_json(row);
      json["written"] = written;  // false: a running daemon writes it
      context_.out << oracle::compact(json) << std::endl;
    } else {
      context_.out << printable_line(fmt::format("finding {}: torch {} on {}: {} ({}){}", row.finding, row.torch,
                                                 row.device_name.empty() ? row.device : row.device_name,
                                                 name(row.result), row.reason,
                                                 written ? "" : "; the running daemon stores it"))
                   << std::endl;
    }
    if (row.result == store::RecheckResult::cannot) context_.exit_code = 3;
  }

 private:
  Context& context_;
  const RecheckOptions& options_;
  const Config& config_;
  std::string newest_;
};

/// Nullopt after reporting why there are none.
std::optional<std::vector<store::FindingRow>> findings_of(Context& context, const RecheckOptions& options) {
  std::vector<store::FindingRow> findings;
  if (options.id != 0) {
    with_finding(context, options.id,
                 [&](const store::Store&, const store::FindingRow& found) { findings.push_back(found); });
    return findings.empty() ? std::nullopt : std::optional(findings);
  }
  const auto store = open_or_fail(context);
  if (!store) return std::nullopt;
  findings = store->findings.list({.limit = 0});
  std::erase_if(findings,
                [](const auto& finding) { return finding.hits < finding.rounds || is_closed(finding.status); });
  if (findings.empty()) context.err << "nothing to recheck: there is no open confirmed finding\n";
  return findings;
}

struct RecheckRun {
  std::vector<store::FindingRow> findings;  // of one device, unless a group is given
  WorkerGroup group;                        // only its Python and device are used, not its name and number of workers
};

/// Calls `told` with each finding's row as soon as it is known, without `newest` and `who`. The error says what is
/// missing.
tl::expected<void, std::string> run_rechecks(Config config, const store::Store& store, const RecheckRun& run,
                                             const std::function<void(store::RecheckRow)>& told) {
  config.groups = {run.group};
  auto engine =
      make_engine(config, scratch_for("recheck"), {.programs = static_cast<int>(run.findings.size()), .fresh = true});
  if (!engine) return tl::unexpected(engine.error());
  auto waiting = run.findings.begin();
  const auto next = [&] {
    return waiting == run.findings.end() ? std::nullopt : std::optional(recheck_case(store, *waiting++, 0));
  };
  const auto most = static_cast<std::size_t>(engine->pool->config(0).fork_parents);
  JobSession session(*engine, config.seed, config.excuses_off);
  return session.recheck(next, config.confirmation_rounds, most, [&](const Subject& subject, const Recheck& recheck) {
    store::RecheckRow row =
        recheck_row(recheck, subject.program, *engine->pool, 0, engine->workers.front().torch, wall_clock());
    const auto& finding = *std::ranges::find(run.findings, row.finding, &store::FindingRow::id);
    const auto found_on = store.environments.find(finding.environment);
    row.elsewhere = is_elsewhere(row, finding, found_on ? found_on->device_name : "");
    told(std::move(row));
  });
}

void recheck_by(Context& context, const Config& config, const RecheckRun& run, Keeper& keeper) {
  const auto store = open_for_reading(context);
  const auto known = store->environments.torches();
  const auto done = run_rechecks(config, *store, run,
                                 [&](store::RecheckRow row) { keeper.keep(std::move(row), run.group.python, known); });
  if (!done) fail(context, 3, fmt::format("findings on {}: {}", run.group.device, done.error()));
}

/// Rechecks each finding on its own kind of device.
void recheck_on(Context& context, const Config& config, const std::vector<store::FindingRow>& findings,
                const fs::path& python, Keeper& keeper) {
  std::map<std::string, std::vector<store::FindingRow>> by_device;
  for (const auto& finding : findings) by_device[finding.device].push_back(finding);
  for (const auto& [device, of_device] : by_device) {
    const Config there = on_one_device(config, python, device);
    const auto groups = worker_groups(there);
    if (!groups) {
      fail(context, 3, fmt::format("findings on {}: {}", device, groups.error()));
      continue;
    }
    recheck_by(context, config, {.findings = of_device, .group = groups->front()}, keeper);
  }
}

/// Nullopt after printing the existing groups.
std::optional<WorkerGroup> group_named(Context& context, const Config& config, const std::string& wanted) {
  const auto groups = worker_groups(config);
  if (!groups) {
    fail(context, 3, groups.error());
    return std::nullopt;
  }
  std::string names;
  for (const WorkerGroup& group : *groups) {
    if (group.name == wanted) {
      WorkerGroup found = group;
      found.python = found.python.empty() ? config.python : found.python;
      return found;
    }
    names += (names.empty() ? "" : ", ") + group.name;
  }
  fail(context, 2, fmt::format("there is no worker group {}; there are: {}", wanted, names));
  return std::nullopt;
}

/// What is missing for such a run (the interpreter or its worker) and the remedy; nullopt: nothing.
std::optional<std::string> obstacle_to(const Config& config, const std::filesystem::path& python) {
  if (!config.launch.empty() && config.groups.empty()) {
    return std::nullopt;  // only its host can tell
  }
  if (!std::filesystem::exists(executor::absolute_program(python))) {
    return fmt::format("there is no {}", python.string());
  }
  if (!executor::find_worker(find_installation().worker_places(), python)) {
    return fmt::format("no worker is built for {0}; run: parityd worker build --python {0}", python.string());
  }
  return std::nullopt;
}

void say_ranges(Context& context, const std::vector<store::FindingRow>& findings) {
  const auto store = open_for_reading(context);
  for (const auto& finding : findings) {
    const auto tried = store::torches_tried(finding, store->rechecks.of(finding.id));
    if (const std::string range = store::range_text(finding, tried); !range.empty()) {
      context.out << printable_line(fmt::format("finding {}: {}", finding.id, range)) << "\n";
    }
  }
}

void recheck_in_group(Context& context, const RecheckOptions& options, const Config& config) {
  const auto group = group_named(context, config, options.group);
  const auto findings = group ? findings_of(context, options) : std::nullopt;
  if (findings && !findings->empty()) {
    Keeper keeper(context, options, config);
    recheck_by(context, config, {.findings = *findings, .group = *group}, keeper);
  }
}

void recheck(Context& context, const RecheckOptions& options) {
  const auto config = load_context_config(context);
  if (!config) return;
  if (!options.group.empty()) return recheck_in_group(context, options, *config);
  const auto pythons = pythons_of(options, *config);
  if (pythons.empty() || pythons.front().empty()) {
    return fail(context, 2,
                options.sweep
                    ? "--sweep needs [versions] pythons in the configuration"
                    : "expected --python P, --sweep, --group NAME, or [versions] newest in the configuration");
  }
  for (const auto& python : pythons) {
    if (const auto why = obstacle_to(*config, python)) return fail(context, 3, *why);
  }
  const auto findings = findings_of(context, options);
  if (!findings || findings->empty()) return;
  Keeper keeper(context, options, *config);
  for (const auto& python : pythons) recheck_on(context, *config, *findings, python, keeper);
  if (options.sweep && !options.json) say_ranges(context, *findings);
}

}  // namespace

void add_recheck(CLI::App& app, Context& context) {
  auto options = std::make_shared<RecheckOptions>();
  CLI::App* command =
      app.add_subcommand("recheck", "Run findings on another torch or device and record whether they still show.");
  add_finding_option(*command, options->id, " (default: all open findings)");
  auto* const python = add_python_option(*command, options->python,
                                         "Python interpreter with the other torch (default: [versions] newest)");
  auto* const sweep =
      command
          ->add_flag("--sweep", options->sweep,
                     "Run on all of [versions] pythons and newest, to find the last good and first bad torch")
          ->excludes(python);
  command
      ->add_option("--group", options->group, "Run on the device and torch of this worker group of the configuration")
      ->type_name("NAME")
      ->excludes(python)
      ->excludes(sweep);
  command->add_flag("--json", options->json,
                    "Print one JSON object per line: finding, torch, result, hits, rounds, reason, …");
  command->footer(
      "Each round uses two fresh processes, as in confirmation. `gone` twice on the newest torch makes a finding "
      "fixed,\n"
      "a later `still` there makes it regressed; runs on other devices than the finding's do not count for that.\n"
      "`parityd show ID` lists the results.\n"
      "Exit code: 0 success, 1 no such finding, 2 usage error, 3 some could not be run.");
  command->callback([&context, options] { recheck(context, *options); });
}

}  // namespace parityd::agent
