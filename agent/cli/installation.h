// Locates parityd's own files: beside the installed program, or in the source tree it was built from. Any thread.
#pragma once

#include <filesystem>
#include <string>

#include "executor/worker_build.h"

namespace parityd::agent {

struct Installation {
  std::filesystem::path launcher;  // parityd-worker
  std::filesystem::path sources;   // contains executor/worker and oracle
  std::filesystem::path prompts;
  std::filesystem::path draft_template;
  std::filesystem::path known_issues;
  std::filesystem::path syntax_script;
  std::filesystem::path sample;  // a database of real findings
  std::filesystem::path cache;   // $XDG_CACHE_HOME/parityd

  [[nodiscard]] std::filesystem::path worker_sources() const { return sources / "executor" / "worker"; }
  [[nodiscard]] executor::WorkerBuildPlaces worker_places() const;
};

[[nodiscard]] Installation find_installation();

/// A scratch folder for one process of a command such as "check".
[[nodiscard]] std::filesystem::path scratch_for(const std::string& command);

/// The torch that a Python's worker was built for; empty if only its host can tell.
[[nodiscard]] std::string torch_built_for(const std::filesystem::path& python);

}  // namespace parityd::agent
