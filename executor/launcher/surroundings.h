// What a worker needs of this machine: system folders, its interpreter, compilers, CUDA, devices. One thread.
#pragma once

#include "executor/launcher/arguments.h"
#include "executor/launcher/tree_plan.h"

namespace parityd::launcher {

struct Surroundings {
  TreePlan plan;
  bool gpu = false;  // the devices of an NVIDIA driver exist
};

/// Reads the file system and, from the environment, PATH, LD_LIBRARY_PATH and HOME.
[[nodiscard]] Surroundings look_around(const Arguments& arguments);

}  // namespace parityd::launcher
