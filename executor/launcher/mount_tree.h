// The private tree: built from a plan in a new mount namespace, with the old tree gone at the end. For a process with
// one thread.
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

/// Why a layer is not available.
struct Setback {
  Layer layer;
  std::string why;
};

struct TreeOptions {
  const TreePlan& plan;
  const HeaderPlan& header;
  bool fresh_proc;               // of a new process namespace
  std::optional<uid_t> program;  // the user who must be able to read it, if not the caller
};

/// The folders in memory listed in docs/sandbox.md; without /tmp if the plan shows something below it.
[[nodiscard]] std::vector<confine::MemoryFolder> memory_folders(const TreePlan& plan);

/// Leaves the caller in the new tree. It holds folders of this machine at their own paths (mostly read-only), devices,
/// a fresh /proc, and folders in memory of limited size.
[[nodiscard]] std::optional<Setback> enter_private_tree(const TreeOptions& options);

}  // namespace parityd::launcher
