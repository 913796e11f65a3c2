// The private tree: built in a new mount namespace from a plan, with the old one gone at the end.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "executor/confine/child_room.h"
#include "executor/launcher/environment.h"
#include "executor/launcher/layers.h"
#include "executor/launcher/tree_plan.h"

namespace parityd::launcher {

/// Why a layer cannot be had.
struct Setback {
  Layer layer;
  std::string why;
};

struct TreeOptions {
  const TreePlan& plan;
  const HeaderPlan& header;
  bool fresh_proc;               // of a new pid namespace
  std::optional<uid_t> program;  // who has to be able to read it, where that is not the caller
};

/// The folders in memory, as docs/sandbox.md has them; /tmp is none where the plan shows something below it.
[[nodiscard]] std::vector<confine::MemoryFolder> memory_folders(const TreePlan& plan);

/// Leaves the caller in the new tree. It holds folders of this machine at their own paths, mostly read-only, devices,
/// a fresh /proc, and sized folders in memory.
[[nodiscard]] std::optional<Setback> enter_private_tree(const TreeOptions& options);

}  // namespace parityd::launcher
