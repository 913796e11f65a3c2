#include "agent/cli/engine.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <thread>

namespace parityd::agent {
namespace fs = std::filesystem;
namespace {

int workers_for(const Config& config, executor::DeviceKind device) {
  if (config.workers > 0) {
    return config.workers;
  }
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return device == executor::DeviceKind::cuda ? std::min(cores, 8) : cores;
}

/// With a launch prefix the worker may be built elsewhere: then only the interpreter must be named.
tl::expected<executor::BuiltWorker, std::string> worker_for(const Config& config, const Installation& installation) {
  if (auto worker = executor::find_worker(installation.worker_places(), config.python)) {
    return *worker;
  }
  if (!config.launch.empty() && !config.python.empty()) {
    return executor::BuiltWorker{
        .folder = installation.cache / "workers" / "launched", .python = config.python, .torch = "of its host"};
  }
  return tl::unexpected(
      fmt::format("no worker is built for {}; run: parityd worker build --python {}",
                  config.python.empty() ? std::string("any Python") : config.python.string(),
                  config.python.empty() ? std::string("PATH_OF_A_PYTHON_WITH_TORCH") : config.python.string()));
}

tl::expected<executor::DeviceKind, std::string> device_for(const Config& config, const executor::BuiltWorker& worker) {
  const bool gpu = worker.cuda && fs::exists("/dev/nvidiactl");
  if (config.device == "cuda" && !gpu) {
    return tl::unexpected(
        fmt::format("device cuda was asked for, but {}",
                    worker.cuda ? "there is no /dev/nvidiactl" : "torch " + worker.torch + " was built without CUDA"));
  }
  return gpu && config.device != "cpu" ? executor::DeviceKind::cuda : executor::DeviceKind::cpu;
}

}  // namespace

ScratchFolder::ScratchFolder(fs::path folder) : folder_(std::move(folder)) {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
  fs::create_directories(folder_);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

tl::expected<Engine, std::string> make_engine(const Config& config, const fs::path& scratch, int at_most) {
  Engine engine{.installation = find_installation()};
  const auto worker = worker_for(config, engine.installation);
  if (!worker) {
    return tl::unexpected(worker.error());
  }
  engine.worker = *worker;
  const auto device = device_for(config, *worker);
  if (!device) {
    return tl::unexpected(device.error());
  }
  engine.device = *device;
  engine.workers = std::clamp(workers_for(config, *device), 1, std::max(1, at_most));
  engine.scratch = std::make_unique<ScratchFolder>(scratch);
  engine.syntax = std::make_unique<executor::SyntaxClient>(engine.installation.launcher, worker->python,
                                                           engine.installation.syntax_script);
  executor::PoolConfig pool;
  pool.launch_prefix = config.launch;
  pool.launcher = engine.installation.launcher;
  pool.python = worker->python;
  pool.module = worker->folder;
  pool.worker_sources = engine.installation.worker_sources();
  pool.scratch = engine.scratch->path() / "workers";
  pool.shared_cache = worker->folder / "compiler-cache";
  pool.device = *device;
  pool.warm_workers = engine.workers;
  pool.fork_parents = config.fork_parents > 0 ? config.fork_parents : std::max(1, engine.workers / 2);
  pool.programs_per_worker = config.programs_per_worker;
  pool.deadlines.compile = std::chrono::milliseconds(static_cast<std::int64_t>(config.compile_deadline_seconds * 1000));
  pool.deadlines.program = std::chrono::milliseconds(static_cast<std::int64_t>(config.program_deadline_seconds * 1000));
  engine.pool = std::make_unique<executor::Pool>(std::move(pool), executor::Clock::now());
  return engine;
}

}  // namespace parityd::agent
