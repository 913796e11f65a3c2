// Builds and finds the torch-specific module `parityd_worker`, one per torch, Python and source version, in
// $XDG_CACHE_HOME/parityd/workers/<torch>-<python>-<source hash>/, with worker.json beside the module. Any thread;
// blocks.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace parityd::executor {

struct BuiltWorker {
  std::filesystem::path folder;        // holds the module and worker.json
  std::filesystem::path python;        // interpreter it was built for (as given, links kept: a venv's python is a link)
  std::filesystem::path torch_folder;  // of the installed package
  std::string torch, python_version, source_hash;
  bool cuda = false;
  bool current = false;  // the source hash equals that of the installed sources
};

struct WorkerBuildPlaces {
  std::filesystem::path sources;  // executor/worker with its CMakeLists.txt
  std::filesystem::path oracle;   // the oracle/ sources compiled into the module
  std::filesystem::path cache;    // …/parityd/workers
};

/// Newest first.
[[nodiscard]] std::vector<BuiltWorker> built_workers(const WorkerBuildPlaces& places);
/// A current worker for `python`, or the newest current one if `python` is empty.
[[nodiscard]] std::optional<BuiltWorker> find_worker(const WorkerBuildPlaces& places,
                                                     const std::filesystem::path& python);
/// Builds unless a current worker exists. `progress` receives one line at a time. The error names what is missing and
/// how to fix it.
[[nodiscard]] tl::expected<BuiltWorker, std::string> build_worker(
    const WorkerBuildPlaces& places, const std::filesystem::path& python,
    const std::function<void(const std::string&)>& progress);

// Hash of everything a worker module is made from: when it changes, the module must be rebuilt. Any thread.

/// 16 hex digits over names and contents of what CMake reads and compiles. The Python beside the module is not
/// included: it is read at every start.
[[nodiscard]] std::string worker_source_hash(const WorkerBuildPlaces& places);

/// 16 hex digits of xxh3.
[[nodiscard]] std::string short_hash(std::string_view text);

/// Python code that prints, as JSON, what a build must know about an interpreter. It does not import torch, which takes
/// seconds.
extern const char* const kTorchFacts;

}  // namespace parityd::executor
