// A batch script for Slurm: one daemon and its workers in one job. Pure; any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "agent/config.h"

namespace parityd::agent {

/// What the job asks for, and what runs in it.
struct BatchJob {
  int nodes = 1;
  int gpus = 0;   // of each node; 0: programs run on processors
  int cores = 8;  // of each node
  std::string time = "8:00:00";
  std::string partition, account;  // empty: Slurm's default
  bool built = false;              // the worker lies where its nodes find it: none is built first
  std::filesystem::path parityd;   // this program
  std::filesystem::path state;
  std::filesystem::path python;     // whose torch is tested; empty: the configuration's, or the newest worker
  std::vector<std::string> launch;  // stands between srun's words and the worker's command
};

/// A group for each GPU of each node and one for each node's processors, each behind an `srun` of its own: a GPU's has
/// as many workers as there are cores for it, less those that run the node's CPU programs (`cpu_share` of all).
[[nodiscard]] std::vector<WorkerGroup> groups_of(const BatchJob& job, double cpu_share);

/// The script; `config` is the whole text of the configuration that it runs with.
[[nodiscard]] std::string batch_script(const BatchJob& job, const std::string& config);

/// The configuration's text with these groups instead of what its [executor] says of workers. `text`: valid TOML.
[[nodiscard]] std::string with_groups(const std::string& text, const std::vector<WorkerGroup>& groups);

}  // namespace parityd::agent
