#include "agent/cli/running/last_worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "oracle/json_read.h"

namespace parityd::agent {

namespace fs = std::filesystem;

namespace {

constexpr const char* kKey = "last_worker";

}  // namespace

std::optional<LastWorker> last_worker(const store::Store& store) {
  const auto kept = oracle::parsed(store.values.find(kKey).value_or(""));
  if (!kept.is_object()) return std::nullopt;
  return LastWorker{.python = kept.value("python", ""), .torch = kept.value("torch", "")};
}

void remember_worker(store::Store& store, const LastWorker& worker) {
  const nlohmann::json kept{{"python", worker.python.string()}, {"torch", worker.torch}};
  store.values.set(kKey, oracle::compact(kept));
}

bool chooses_python(const Config& config) {
  const auto names_none = [](const WorkerGroup& group) { return group.python.empty(); };
  return config.python.empty() && (config.groups.empty() || std::ranges::any_of(config.groups, names_none));
}

tl::expected<fs::path, std::string> python_to_stay_with(const LastWorker& last,
                                                        const executor::WorkerBuildPlaces& places) {
  if (last.torch.empty()) return last.python;
  std::optional<fs::path> other;
  std::string built, has_now;
  for (const auto& worker : executor::built_workers(places)) {
    if (!worker.current) continue;
    if (worker.torch == last.torch) {
      if (worker.python == last.python) return last.python;
      other = other.value_or(worker.python);
    }
    built += fmt::format("\n  torch {} of {}", worker.torch, worker.python.string());
    if (worker.python == last.python) has_now = fmt::format(", which has torch {} now", worker.torch);
  }
  if (other) return *other;
  return tl::unexpected(fmt::format(
      "the last run here tested torch {0} of {1}{2}, and no worker is built for that torch; a state folder keeps its "
      "torch.\n"
      "To continue with it, install torch {0} in {1} and run: parityd worker build --python {1}\n"
      "To use another one, run: parityd run --python PATH, or set [executor] python; workers are built for:{3}",
      last.torch, last.python.string(), has_now, built.empty() ? " none" : built));
}

std::string change_of_torch(const LastWorker& before, const LastWorker& now, const std::string& asked_by) {
  if (before.torch.empty() || now.torch.empty() || before.torch == now.torch) return "";
  return fmt::format("{} asks for torch {} of {}; the last run here tested torch {} of {}", asked_by, now.torch,
                     now.python.string(), before.torch, before.python.string());
}

}  // namespace parityd::agent
