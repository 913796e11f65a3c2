#include "agent/cli/installation.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

namespace parityd::agent {
namespace fs = std::filesystem;
namespace {

fs::path cache_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/') {
    return fs::path(cache) / "parityd";
  }
  const char* home = std::getenv("HOME");
  return fs::path(home != nullptr ? home : "/tmp") / ".cache" / "parityd";
}

}  // namespace

executor::WorkerBuildPlaces Installation::worker_places() const {
  return {.sources = worker_sources(), .oracle = sources / "oracle", .cache = cache / "workers"};
}

Installation find_installation() {
  const fs::path program = fs::read_symlink("/proc/self/exe");
  const fs::path shared = program.parent_path().parent_path() / "share" / "parityd";
  const fs::path sources = fs::exists(shared / "prompts") ? shared : fs::path(PARITYD_SOURCE_DIR);
  return {.launcher = program.parent_path() / "parityd-worker",
          .sources = sources,
          .prompts = sources / "prompts",
          .draft_template = sources / "store" / "draft.mustache",
          .known_issues = sources / "store" / "known_issues.jsonl",
          .syntax_script = sources / "executor" / "syntax" / "syntax.py",
          .sample = sources / "store" / "sample.db",
          .cache = cache_folder()};
}

fs::path scratch_for(const std::string& command) {
  return cache_folder() / "scratch" / fmt::format("{}-{}", command, getpid());
}

std::string torch_built_for(const fs::path& python) {
  const auto worker = executor::find_worker(find_installation().worker_places(), python);
  return worker ? worker->torch : "";
}

}  // namespace parityd::agent
