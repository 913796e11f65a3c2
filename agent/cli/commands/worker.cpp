// parityd worker build|list: builds or lists the torch-specific modules.
#include <nlohmann/json.hpp>

#include "agent/cli/commands.h"
#include "agent/cli/commands/shared_options.h"
#include "agent/cli/installation.h"

namespace parityd::agent {
namespace {

void build(Context& context, const std::string& python) {
  const auto say = [&context](const std::string& line) { context.err << line << std::endl; };
  const auto built = executor::build_worker(find_installation().worker_places(), python, say);
  if (!built) return context.fail(3, "parityd worker build: {}", built.error());
  context.out << fmt::format("worker for torch {} (Python {}, {}) in {}\n", built->torch, built->python_version,
                             built->cuda ? "CUDA" : "CPU", built->folder.string());
}

void list(Context& context, bool json) {
  nlohmann::json all = nlohmann::json::array();
  for (const auto& worker : executor::built_workers(find_installation().worker_places())) {
    all.push_back({{"torch", worker.torch},
                   {"python", worker.python.string()},
                   {"python_version", worker.python_version},
                   {"cuda", worker.cuda},
                   {"current", worker.current},
                   {"folder", worker.folder.string()}});
    if (!json) {
      context.out << fmt::format("torch {:<14} Python {:<8} {:<4} {:<8} {}\n", worker.torch, worker.python_version,
                                 worker.cuda ? "CUDA" : "CPU", worker.current ? "current" : "outdated",
                                 worker.python.string());
    }
  }
  if (json) {
    context.out << all.dump(2) << "\n";
  } else if (all.empty()) {
    context.out << "no worker is built; run: parityd worker build --python PATH_OF_A_PYTHON_WITH_TORCH\n";
  }
}

}  // namespace

void add_worker(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("worker", "Build or list worker modules, one per torch.");
  command->require_subcommand(1);
  auto python = std::make_shared<std::string>("python3");
  CLI::App* build_command = command->add_subcommand(
      "build", "Build the worker module for the torch of a Python interpreter, unless it is up to date.");
  add_python_option(*build_command, *python, "Python interpreter with torch")->capture_default_str();
  build_command->callback([&context, python] { build(context, *python); });
  auto json = std::make_shared<bool>(false);
  CLI::App* list_command = command->add_subcommand("list", "List the built worker modules, newest first.");
  list_command->add_flag("--json", *json, "Print a JSON array");
  list_command->callback([&context, json] { list(context, *json); });
}

}  // namespace parityd::agent
