// Which torch the last run of a state folder tested: a daemon that goes on there stays with it unless another is asked
// for. One thread.
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
  std::string torch;  // empty where only its host can tell
  bool operator==(const LastWorker&) const = default;
};
/// nullopt: nothing has run here yet.
[[nodiscard]] std::optional<LastWorker> last_worker(const store::Store& store);
void remember_worker(store::Store& store, const LastWorker& worker);

/// Nothing names the Python of some group: the one to take is free to choose.
[[nodiscard]] bool chooses_python(const Config& config);

/// The Python that has the torch of the last run: the same one, or another that a worker is built for. The error says
/// what is there and the way out.
[[nodiscard]] tl::expected<std::filesystem::path, std::string> python_to_stay_with(
    const LastWorker& last, const executor::WorkerBuildPlaces& places);

/// What to say of a run with `now` where `before` ran last; empty: it is the same torch, or nobody can tell.
/// `asked_by`:
/// "--python".
[[nodiscard]] std::string change_of_torch(const LastWorker& before, const LastWorker& now, const std::string& asked_by);

}  // namespace parityd::agent
