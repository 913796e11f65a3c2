// parityd inspect ID --tool NAME: output of one of PyTorch's debugging tools for a finding.
#include <algorithm>

#include "agent/cli/commands.h"
#include "agent/cli/commands/shared_options.h"
#include "agent/cli/json.h"
#include "agent/cli/reading.h"
#include "agent/cli/requesting.h"
#include "agent/cli/running/job_session.h"
#include "agent/daemon/loop/wall_clock.h"
#include "executor/tools.h"
#include "oracle/device.h"
#include "store/base/text.h"

namespace parityd::agent {
namespace fs = std::filesystem;
namespace {

struct InspectOptions {
  store::Id id = 0;
  std::string file, tool, python, device, output;
  bool again = false;
  bool list = false;
  bool json = false;
};

void list_tools(Context& context, const InspectOptions& options) {
  std::vector<std::string> run;
  const auto store = options.id != 0 ? open_for_reading(context) : nullptr;
  if (store) run = store->inspections.tools_run(options.id);
  for (const auto& tool : executor::tools()) {
    const bool kept = std::ranges::find(run, tool.name) != run.end();
    if (options.json) {
      context.out << nlohmann::json{{"tool", tool.name}, {"about", tool.about}, {"kept", kept}}.dump() << "\n";
    } else {
      context.out << fmt::format("{:<16} {}{}\n", tool.name, tool.about, kept ? "  (kept)" : "");
    }
  }
}

void print(Context& context, const InspectOptions& options, const store::InspectionRow& row) {
  if (!options.json) return write_out(context, printable(row.text), options.output);
  print_json(context, {{"finding", row.finding},
                       {"tool", row.tool},
                       {"torch", row.torch},
                       {"device", row.device},
                       {"at", utc(row.at)},
                       {"hash", row.hash},
                       {"text", row.text}});
}

/// What to run, and where.
struct ToolRun {
  Inspection what;
  fs::path python;  // empty: that of the worker built for `torch`, or of the newest if `torch` is empty
  std::string torch;
  std::string device;  // empty: as configured
};

/// Runs the tool. The error says what is missing or that the tool failed.
tl::expected<store::InspectionRow, std::string> run_tool(Config config, const ToolRun& asked) {
  fs::path python = asked.python;
  if (python.empty() && !asked.torch.empty()) {
    const auto found = python_with(asked.torch);
    if (!found) return tl::unexpected(found.error());
    python = *found;
  }
  const std::string device = asked.device.empty() ? config.device : asked.device;
  config = on_one_device(std::move(config), python, device);
  auto engine = make_engine(config, scratch_for("inspect"), {.programs = 1});
  if (!engine) return tl::unexpected(engine.error());
  const auto text = JobSession(*engine, config.seed, {}).inspect(asked.what);
  if (!text) return tl::unexpected(text.error());
  const auto hello = engine->pool->hello(0);
  return store::InspectionRow{.finding = asked.what.finding,
                              .tool = asked.what.tool,
                              .torch = hello ? hello->torch : engine->workers.front().torch,
                              .device = std::string(executor::name(engine->pool->config(0).device)),
                              .text = store::clean_text(*text),
                              .at = wall_clock()};
}

/// Nullopt after reporting why it could not be run.
std::optional<store::InspectionRow> run(Context& context, const ToolRun& asked) {
  const auto config = load_context_config(context);
  if (!config) return std::nullopt;
  auto told = run_tool(*config, asked);
  if (told) return std::move(*told);
  context.fail(3, "parityd inspect: {}", printable(told.error()));
  return std::nullopt;
}

void inspect_finding(Context& context, const InspectOptions& options) {
  std::optional<store::FindingRow> found;
  std::optional<store::InspectionRow> kept;
  with_finding(context, options.id, [&](const store::Store& store, const store::FindingRow& finding) {
    found = finding;
    kept = store.inspections.find(finding.id, options.tool);
  });
  if (!found) return;
  if (kept && !options.again) return print(context, options, *kept);
  const auto row = run(context, {.what = inspection_of(*found, options.tool),
                                 .python = options.python,
                                 .torch = found->torch,
                                 .device = options.device.empty() ? found->device : options.device});
  if (row) {
    RequestDesk(context).ask(requests::KeepInspection{*row});
    print(context, options, *row);
  }
}

void inspect_file(Context& context, const InspectOptions& options) {
  const auto text = text_of_file(options.file);
  if (!text) return context.fail(2, "parityd inspect: {}: cannot be read", printable_line(options.file));
  const auto row =
      run(context,
          {.what = {.file_name = fs::path(options.file).filename().string(), .program = *text, .tool = options.tool},
           .python = options.python,
           .torch = {},
           .device = options.device});
  if (row) print(context, options, *row);
}

void inspect(Context& context, const InspectOptions& options) {
  if (options.list) return list_tools(context, options);
  if ((options.id != 0) == !options.file.empty()) {
    throw CLI::ValidationError("inspect", "expected either FINDING or --file");
  }
  if (!executor::is_tool(options.tool)) {
    throw CLI::ValidationError("--tool", "expected one of the tools that `parityd inspect --list` lists");
  }
  options.file.empty() ? inspect_finding(context, options) : inspect_file(context, options);
}

}  // namespace

void add_inspect(CLI::App& app, Context& context) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* command =
      app.add_subcommand("inspect", "Run one of PyTorch's debugging tools on a finding and store its output.");
  add_finding_option(*command, options->id)->check(CLI::PositiveNumber);
  command->add_option("--tool", options->tool, "Tool to run; --list lists them");
  command->add_flag("--list", options->list, "List the tools, or the tools with stored output for a finding");
  command->add_option("--file", options->file, "Inspect a program instead of a finding; nothing is stored")
      ->type_name("FILE");
  command->add_flag("--again", options->again, "Run the tool even if its output is stored");
  add_python_option(*command, options->python,
                    "Python interpreter (default: that of a worker with the finding's torch)");
  command->add_option("--device", options->device, "Device (default: the finding's)")
      ->check(one_of<oracle::DeviceKind>());
  add_output_option(*command, options->output);
  command->add_flag("--json", options->json, "Print a JSON object: finding, tool, torch, device, at, hash, text");
  command->footer(
      "The program runs in the sandbox. If torch lacks the tool, the answer is `not in torch X.Y: use …`.\n"
      "Exit code: 0 success, 1 no such finding, 2 usage error, 3 environment or tool error.");
  command->callback([&context, options] { inspect(context, *options); });
}

}  // namespace parityd::agent
