// Plans the groups of workers for a machine if the configuration names none. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "agent/config.h"

namespace parityd::agent {

/// What workers can run on.
struct Machine {
  int cores = 1;
  std::vector<std::string> gpus;  // as CUDA_VISIBLE_DEVICES takes them; "" is the first that a worker sees
};

/// One group per GPU, and one for the CPUs, whose backend has its own bugs; without a GPU, or with `device = "cpu"`,
/// only the latter. `workers` and `fork_parents` are totals of all GPUs.
[[nodiscard]] std::vector<WorkerGroup> planned_groups(const Config& config, const Machine& machine);

}  // namespace parityd::agent
