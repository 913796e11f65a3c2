// Whether torch imports with changed files: the first and cheapest check of a change. It runs in a sandbox of its own,
// because importing runs the change. Blocks; one thread.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "agent/fixing/overlay.h"
#include "executor/worker_build.h"

namespace parityd::agent {

struct OverlayImport {
  std::string failure;  // which module does not import and the last lines of its error; empty: torch imports
  std::string problem;  // why it could not be checked; empty: it was
};

/// As long as a worker has for its start.
inline constexpr std::chrono::seconds kImportPatience{120};

/// Imports torch's compiler and the changed modules by a process of the worker's interpreter. A module that does not
/// import without the change either (it needs a package that is not installed) is no failure. `folder` contains `tree`,
/// made by make_overlay_tree(); everything else that is made there is removed. `sandbox`: as in [executor]. Texts come
/// from the change: several lines, but clean and capped. A change can forge that it imports; the checks that follow
/// find that it does not.
[[nodiscard]] OverlayImport import_overlay(const Overlay& overlay, const executor::BuiltWorker& worker,
                                           const std::filesystem::path& folder, const std::string& sandbox,
                                           std::chrono::seconds patience = kImportPatience);

/// "torch._inductor.fx_passes" of "torch/_inductor/fx_passes/__init__.py".
[[nodiscard]] std::string module_of(const std::filesystem::path& file);

}  // namespace parityd::agent
