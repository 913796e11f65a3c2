// The torch tested by the last run in a state folder: a daemon that continues there keeps it unless another is
// requested. One thread.
#pragma once

#include <tl/expected.hpp>

#include <filesystem>
#include <optional>
#include <string>

#include "agent/config.h"
#include "executor/worker_build.h"
#include "store/store.h"

namespace parityd::agent {

struct LastWorker {
  std::filesystem::path python;
  std::string torch;  // empty if only its host can tell
  bool operator==(const LastWorker&) const = default;
};
/// The worker of the last run; nullopt: nothing has run here yet.
[[nodiscard]] std::optional<LastWorker> last_worker(const store::Store& store);
void remember_worker(store::Store& store, const LastWorker& worker);

/// Whether the Python of some group is not set, so that it may be chosen.
[[nodiscard]] bool chooses_python(const Config& config);

/// A Python with the torch of the last run: the same one, or another that has a built worker. The error says what
/// exists and the remedy.
[[nodiscard]] tl::expected<std::filesystem::path, std::string> python_to_stay_with(
    const LastWorker& last, const executor::WorkerBuildPlaces& places);

/// A note for a run with `now` after one with `before`; empty: the torch is the same, or unknown. `asked_by`: what
/// requested it, such as "--python".
[[nodiscard]] std::string change_of_torch(const LastWorker& before, const LastWorker& now, const std::string& asked_by);

}  // namespace parityd::agent
