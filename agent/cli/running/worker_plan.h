// Which groups of workers a machine gets where the configuration names none. Pure.
#pragma once

#include <string>
#include <vector>

#include "agent/config.h"

namespace parityd::agent {

/// What workers have to run on.
struct Machine {
  int cores = 1;
  std::vector<std::string> gpus;  // as CUDA_VISIBLE_DEVICES takes them; "" is the one that a worker sees first
};

/// A group for each GPU and one for the processors beside them, whose backend has bugs of its own; without a GPU, or
/// with `device = "cpu"`, one for the processors. `workers` and `fork_parents` are those of all GPUs together.
[[nodiscard]] std::vector<WorkerGroup> planned_groups(const Config& config, const Machine& machine);

}  // namespace parityd::agent
