#include "agent/cli/running/worker_plan.h"

#include <fmt/format.h>

#include <algorithm>

namespace parityd::agent {
namespace {

/// A program takes a CPU worker two to three times as long as a GPU worker: a quarter of the workers for 15 % of the
/// programs.
constexpr int kCpuWorkersOf = 4;

/// Each group's part of `all`, at least one.
int split(int all, int groups) { return (all + groups - 1) / groups; }

}  // namespace

std::vector<WorkerGroup> planned_groups(const Config& config, const Machine& machine) {
  const bool chosen = config.workers > 0;
  WorkerGroup processors{.name = "cpu", .python = config.python, .launch = config.launch};
  processors.workers = chosen ? config.workers : machine.cores;
  if (machine.gpus.empty() || config.device == "cpu") {
    processors.fork_parents = config.fork_parents;
    return {processors};
  }
  processors.workers = std::max(1, processors.workers / kCpuWorkersOf);
  processors.share = config.cpu_share;
  const int gpus = static_cast<int>(machine.gpus.size());
  const int at_gpus = chosen ? config.workers : std::max(gpus, machine.cores - processors.workers);
  std::vector<WorkerGroup> groups;
  for (const std::string& gpu : machine.gpus) {
    groups.push_back({.name = gpus == 1 ? "cuda" : fmt::format("cuda{}", groups.size()),
                      .device = "cuda",
                      .python = config.python,
                      .launch = config.launch,
                      .gpu = gpus == 1 ? "" : gpu,
                      .workers = split(at_gpus, gpus),
                      .fork_parents = split(config.fork_parents, gpus),
                      .share = (1 - config.cpu_share) / gpus});
  }
  if (config.cpu_share > 0) groups.push_back(processors);
  return groups;
}

}  // namespace parityd::agent
