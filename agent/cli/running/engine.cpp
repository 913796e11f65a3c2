#include "agent/cli/running/engine.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <thread>

#include "agent/cli/running/worker_plan.h"
#include "executor/pool/devices.h"

namespace parityd::agent {
namespace fs = std::filesystem;
namespace {

constexpr const char* kOfItsHost = "of its host";

int cores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

/// With a launch prefix the worker may be built on another host: then only the interpreter must be named.
tl::expected<executor::BuiltWorker, std::string> worker_for(const WorkerGroup& group,
                                                            const Installation& installation) {
  if (auto worker = executor::find_worker(installation.worker_places(), group.python)) return *worker;
  if (!group.launch.empty() && !group.python.empty()) {
    return executor::BuiltWorker{
        .folder = installation.cache / "workers" / "launched", .python = group.python, .torch = kOfItsHost};
  }
  return tl::unexpected(
      fmt::format("no worker is built for {}; run: parityd worker build --python {}",
                  group.python.empty() ? std::string("any Python") : group.python.string(),
                  group.python.empty() ? std::string("PATH_OF_A_PYTHON_WITH_TORCH") : group.python.string()));
}

std::string why_no_gpu(const executor::BuiltWorker& worker) {
  if (!worker.cuda) return "torch " + worker.torch + " was built without CUDA";
  return fs::exists("/dev/nvidiactl") ? "CUDA_VISIBLE_DEVICES names no GPU of this machine"
                                      : "there is no /dev/nvidiactl";
}

/// Behind a launch prefix only the host there knows its GPUs.
std::vector<std::string> gpus_for(const executor::BuiltWorker& worker, const std::vector<std::string>& launch) {
  if (!worker.cuda) return {};
  return launch.empty() ? executor::visible_gpus() : std::vector<std::string>{""};
}

tl::expected<std::vector<WorkerGroup>, std::string> groups_for_machine(const Config& config,
                                                                       const Installation& installation) {
  const auto worker = worker_for({.python = config.python, .launch = config.launch}, installation);
  if (!worker) return tl::unexpected(worker.error());
  const auto gpus = gpus_for(*worker, config.launch);
  if (config.device == "cuda" && gpus.empty()) {
    return tl::unexpected("device cuda was requested, but " + why_no_gpu(*worker));
  }
  return planned_groups(config, {.cores = cores(), .gpus = gpus});
}

/// For each device that programs run on, a group that tries findings on the newest torch and runs nothing warm.
tl::expected<std::vector<WorkerGroup>, std::string> newest_groups(const Config& config,
                                                                  const std::vector<WorkerGroup>& tested,
                                                                  const Installation& installation) {
  std::vector<WorkerGroup> groups;
  for (const WorkerGroup& each : tested) {
    const std::string group_name = "newest." + each.device;
    if (std::ranges::any_of(groups, [&](const auto& made) { return made.name == group_name; })) continue;
    WorkerGroup group{.name = group_name, .device = each.device, .python = config.newest_python};
    group.launch = each.launch;
    group.gpu = each.gpu;
    group.workers = 0;
    group.fork_parents = 1;
    group.share = 0;
    const std::string where = fmt::format("[versions] newest in {}", config.file.string());
    if (group.launch.empty() && !fs::exists(group.python)) {
      return tl::unexpected(fmt::format("{}: there is no {}; set a Python with the newest torch, or remove newest",
                                        where, group.python.string()));
    }
    if (const auto worker = worker_for(group, installation); !worker) {
      return tl::unexpected(fmt::format("{}: {}", where, worker.error()));
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

executor::GroupConfig group_config(const Config& config, const WorkerGroup& group, const Engine& engine,
                                   const EngineUse& use) {
  const executor::BuiltWorker& worker = engine.workers.back();
  executor::GroupConfig made;
  made.name = group.name;
  made.launch_prefix = group.launch;
  made.gpu = group.gpu;
  made.launcher = engine.installation.launcher;
  made.python = worker.python;
  made.module = worker.folder;
  made.worker_sources = engine.installation.worker_sources();
  made.scratch = engine.scratch->path() / "workers" / group.name;
  made.shared_cache = worker.folder / "compiler-cache";
  made.records = use.records;
  made.sandbox = config.sandbox;
  made.device = oracle::device_named(group.device);
  const int workers = std::clamp(group.workers, 1, std::max(1, use.programs));
  const bool fresh = use.fresh || group.workers == 0;
  made.warm_workers = fresh ? 0 : workers;
  made.fork_parents = group.fork_parents > 0 ? group.fork_parents : std::max(1, fresh ? workers : workers / 2);
  made.fork_parents_at_once = use.unattended && !fresh;  // fresh processes prescreen new programs
  made.spares = use.unattended && !fresh ? config.spares : 0;
  made.canary_every = use.unattended ? config.canary_every : 0;
  made.wear.programs = config.programs_per_worker;
  made.deadlines.compile = milliseconds(config.compile_deadline_seconds);
  made.deadlines.program = milliseconds(config.program_deadline_seconds);
  return made;
}

}  // namespace

std::string Engine::description() const {
  std::string text;
  for (executor::GroupIndex group = 0; group < tested; ++group) {
    const auto& config = pool->config(group);
    text += fmt::format("{}torch {} on {}{}, {} worker{}", text.empty() ? "" : "; ", workers[group].torch,
                        executor::name(config.device), config.gpu.empty() ? "" : " (GPU " + config.gpu + ")",
                        config.warm_workers, config.warm_workers == 1 ? "" : "s");
  }
  if (tested < workers.size()) text += fmt::format("; findings are also checked on torch {}", workers[tested].torch);
  return text;
}

std::vector<std::string> Engine::torches() const {
  std::vector<std::string> all;
  for (const auto& worker : workers) all.push_back(worker.torch == kOfItsHost ? "" : worker.torch);
  return all;
}

tl::expected<std::filesystem::path, std::string> python_with(const std::string& torch) {
  std::string built;
  for (const auto& worker : executor::built_workers(find_installation().worker_places())) {
    if (worker.current && worker.torch == torch) return worker.python;
    built += worker.current ? (built.empty() ? "" : ", ") + worker.torch : "";
  }
  return tl::unexpected(fmt::format(
      "no worker is built for torch {} (built: {}); run: parityd worker build --python PATH_OF_ITS_PYTHON, or choose "
      "another torch with --python",
      torch, built.empty() ? "none" : built));
}

Config on_one_device(Config config, const fs::path& python, const std::string& device) {
  config.python = python;
  config.device = device;
  config.groups.clear();
  return config;
}

tl::expected<std::vector<WorkerGroup>, std::string> worker_groups(const Config& config) {
  return config.groups.empty() ? groups_for_machine(config, find_installation()) : config.groups;
}

tl::expected<Engine, std::string> make_engine(const Config& config, const fs::path& scratch, const EngineUse& use) {
  Engine engine{.installation = find_installation()};
  auto groups = worker_groups(config);
  if (!groups) return tl::unexpected(groups.error());
  if (!use.unattended) groups->resize(1);
  if (!use.overlay.empty()) {
    WorkerGroup without = groups->front();
    groups->front().name = "overlay";
    without.name = "installed";
    without.workers = 1;
    without.fork_parents = 1;
    groups->push_back(std::move(without));
  }
  engine.tested = groups->size();
  if (use.unattended && !config.newest_python.empty()) {
    const auto newest = newest_groups(config, *groups, engine.installation);
    if (!newest) return tl::unexpected(newest.error());
    groups->insert(groups->end(), newest->begin(), newest->end());
  }
  engine.scratch = std::make_unique<ScratchFolder>(scratch);
  std::vector<executor::GroupConfig> made;
  for (WorkerGroup& group : *groups) {
    group.python = group.python.empty() ? config.python : group.python;
    auto worker = worker_for(group, engine.installation);
    if (!worker) return tl::unexpected(fmt::format("group {}: {}", group.name, worker.error()));
    if (group.device == "cuda" && group.launch.empty() && gpus_for(*worker, {}).empty()) {
      return tl::unexpected(fmt::format("group {} requests cuda, but {}", group.name, why_no_gpu(*worker)));
    }
    engine.workers.push_back(std::move(*worker));
    engine.shares.push_back(group.share);
    made.push_back(group_config(config, group, engine, use));
    if (!use.overlay.empty() && made.size() == 1) {
      made.back().overlay = use.overlay / "tree";
      made.back().shared_cache = use.overlay / "compiler-cache";
    }
  }
  engine.syntax =
      std::make_unique<executor::SyntaxClient>(engine.installation.launcher, engine.workers.front().python,
                                               engine.installation.syntax_script, engine.scratch->path() / "syntax");
  if (use.unattended && groups->front().launch.empty()) {
    const auto sources_of = [&](const fs::path& python, const char* folder) {
      return std::make_unique<executor::SourceClient>(
          executor::SyntaxPlaces{.launcher = engine.installation.launcher,
                                 .python = python,
                                 .script = engine.installation.syntax_script,
                                 .scratch = engine.scratch->path() / folder});
    };
    engine.sources = sources_of(engine.workers.front().python, "sources");
    if (!config.previous_python.empty())
      engine.previous_sources = sources_of(config.previous_python, "previous_sources");
  }
  engine.pool = std::make_unique<executor::Pool>(std::move(made), executor::Clock::now());
  return engine;
}

}  // namespace parityd::agent
