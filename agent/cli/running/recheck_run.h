// Tries findings on one Python's torch or one group of workers, here and now. Blocks; one thread.
#pragma once

#include <tl/expected.hpp>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/cli/running/engine.h"
#include "store/store.h"

namespace parityd::agent {

struct RecheckRun {
  std::vector<store::FindingRow> findings;  // of one device, unless there is a group
  WorkerGroup group;                        // its Python and device count, its name and number of workers do not
};

/// Gives `told` each finding's row as soon as it is known, all but `newest` and `who` filled in. The error says what is
/// missing.
[[nodiscard]] tl::expected<void, std::string> run_rechecks(Config config, const store::Store& store,
                                                           const RecheckRun& run,
                                                           const std::function<void(store::RecheckRow)>& told);

/// What is missing for such a run: the interpreter or its worker, and the way out. nullopt: nothing.
[[nodiscard]] std::optional<std::string> obstacle_to(const Config& config, const std::filesystem::path& python);

/// The torch that a Python's worker was built for; empty where only its host can tell.
[[nodiscard]] std::string torch_built_for(const std::filesystem::path& python);

}  // namespace parityd::agent
