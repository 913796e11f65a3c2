// What of this machine a worker needs: system folders, its interpreter, compilers, CUDA, devices.
#pragma once

#include "executor/launcher/arguments.h"
#include "executor/launcher/tree_plan.h"

namespace parityd::launcher {

struct Surroundings {
  TreePlan plan;
  bool gpu = false;  // an NVIDIA driver's devices are here
};

/// Reads the file system and PATH, LD_LIBRARY_PATH and HOME of the environment.
[[nodiscard]] Surroundings look_around(const Arguments& arguments);

}  // namespace parityd::launcher
