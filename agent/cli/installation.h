// Where parityd's own files lie: beside the installed program, or in the source tree it was built from. Any thread.
#pragma once

#include <filesystem>

#include "executor/worker_build.h"

namespace parityd::agent {

struct Installation {
  std::filesystem::path launcher;  // parityd-worker
  std::filesystem::path sources;   // holds executor/worker and oracle
  std::filesystem::path prompts;
  std::filesystem::path draft_template;
  std::filesystem::path known_issues;
  std::filesystem::path syntax_script;
  std::filesystem::path cache;  // $XDG_CACHE_HOME/parityd

  [[nodiscard]] std::filesystem::path worker_sources() const { return sources / "executor" / "worker"; }
  [[nodiscard]] executor::WorkerBuildPlaces worker_places() const;
};

[[nodiscard]] Installation find_installation();

}  // namespace parityd::agent
