// Everything needed to run programs: built worker, pool, syntax process, scratch folder. One thread.
#pragma once

#include <tl/expected.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "agent/cli/installation.h"
#include "agent/cli/scratch_folder.h"
#include "agent/config.h"
#include "executor/pool/pool.h"
#include "executor/syntax/source_client.h"
#include "executor/syntax/syntax_client.h"
#include "executor/worker_build.h"

namespace parityd::agent {

struct Engine {
  Installation installation;
  std::vector<executor::BuiltWorker> workers;  // by group of the pool
  std::vector<double> shares;                  // share of the programs, by group
  executor::GroupIndex tested = 0;  // the first so many groups run programs; those after them only try findings
  std::unique_ptr<ScratchFolder> scratch;
  std::unique_ptr<executor::SyntaxClient> syntax;
  std::unique_ptr<executor::SourceClient> sources;  // of the first group's torch; null if it is on another host
  std::unique_ptr<executor::SourceClient> previous_sources;  // [versions] previous; null: none, or as above
  std::unique_ptr<executor::Pool> pool;

  /// "torch 2.13.0 on cpu, 2 workers; …", one part per group.
  [[nodiscard]] std::string description() const;
  /// The torch each group was built for; empty if only its host can tell.
  [[nodiscard]] std::vector<std::string> torches() const;
};

/// The interpreter of the worker built for this torch; the error names those that exist.
[[nodiscard]] tl::expected<std::filesystem::path, std::string> python_with(const std::string& torch);

/// The groups that run programs: those of the configuration, else derived from its [executor] and this machine. The
/// error says what is missing.
[[nodiscard]] tl::expected<std::vector<WorkerGroup>, std::string> worker_groups(const Config& config);

/// The configuration of a command that wants one interpreter and one device: without the groups.
[[nodiscard]] Config on_one_device(Config config, const std::filesystem::path& python, const std::string& device);

/// Purpose of the engine.
struct EngineUse {
  int programs = 1024;            // programs to run; never starts more workers than they need
  std::filesystem::path records;  // GroupConfig::records
  bool unattended = false;  // the daemon: every group, spares, canaries, the newest torch; else only the first group
  std::filesystem::path overlay;  // a folder containing `tree`, an overlay of packages for the first group; a second
                                  // group then runs without it. Compiler caches are created beside the tree
  bool fresh = false;             // nothing runs warm: as many fork parents as there would be workers
};

/// Starts the pool. The error says what is missing and which command fixes it.
[[nodiscard]] tl::expected<Engine, std::string> make_engine(const Config& config, const std::filesystem::path& scratch,
                                                            const EngineUse& use);

}  // namespace parityd::agent
