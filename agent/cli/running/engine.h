// What running programs takes: the built worker, the pool, the syntax process and their scratch folder. One thread.
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
  std::vector<double> shares;                  // of the programs, by group
  executor::GroupIndex tested = 0;             // groups that run programs; those after them try findings alone
  std::unique_ptr<ScratchFolder> scratch;
  std::unique_ptr<executor::SyntaxClient> syntax;
  std::unique_ptr<executor::SourceClient> sources;           // of the first group's torch; null where it lies elsewhere
  std::unique_ptr<executor::SourceClient> previous_sources;  // [versions] previous; null: none, or as above
  std::unique_ptr<executor::Pool> pool;

  /// "torch 2.13.0 on cpu, 2 workers; …", a part for each group.
  [[nodiscard]] std::string description() const;
  /// What groups were built for, by group; empty where only their host can tell.
  [[nodiscard]] std::vector<std::string> torches() const;
};

/// The interpreter of the worker that is built for this torch; the error names those that are.
[[nodiscard]] tl::expected<std::filesystem::path, std::string> python_with(const std::string& torch);

/// The groups that run programs: those of the configuration, else what its [executor] and this machine make of it. The
/// error says what is missing.
[[nodiscard]] tl::expected<std::vector<WorkerGroup>, std::string> worker_groups(const Config& config);

/// What the engine is for.
struct EngineUse {
  int programs = 1024;            // never more workers than these need
  std::filesystem::path records;  // GroupConfig::records
  bool unattended = false;  // the daemon: every group, spares, canaries, the newest torch; else the first group alone
  std::filesystem::path
      overlay;         // a folder with `tree`, an overlay of packages for the first group; then a second group
                       // of fresh processes runs without it. Its compiler caches are made beside the tree
  bool fresh = false;  // nothing runs warm: as many fork parents as there would be workers
};

/// Starts the pool. The error says what is missing and the command that mends it.
[[nodiscard]] tl::expected<Engine, std::string> make_engine(const Config& config, const std::filesystem::path& scratch,
                                                            const EngineUse& use);

}  // namespace parityd::agent
