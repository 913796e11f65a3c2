// A batch script for Slurm: one daemon and its workers in one job. Pure; any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "agent/config.h"

namespace parityd::agent {

/// The job's resources, and what runs in it.
struct BatchJob {
  int nodes = 1;
  int gpus = 0;   // per node; 0: programs run on CPUs
  int cores = 8;  // per node
  std::string time = "8:00:00";
  std::string partition, account;  // empty: Slurm's default
  bool built = false;  // the worker is already built where the nodes find it; otherwise the script builds it first
  std::filesystem::path parityd;  // this program
  std::filesystem::path state;
  std::filesystem::path python;  // the Python whose torch is tested; empty: the configuration's, or the newest worker
  std::vector<std::string> launch;  // inserted between srun's arguments and the worker's command
};

/// A group for each GPU of each node and one for each node's CPUs, each with its own `srun`. A GPU's group has one
/// worker per core of its share of the node, minus those that run the node's CPU programs (`cpu_share` of all).
[[nodiscard]] std::vector<WorkerGroup> groups_of(const BatchJob& job, double cpu_share);

/// The script; `config` is the complete text of the configuration to run with.
[[nodiscard]] std::string batch_script(const BatchJob& job, const std::string& config);

/// The configuration's text with these groups instead of the worker settings of its [executor]. `text`: valid TOML.
[[nodiscard]] std::string with_groups(const std::string& text, const std::vector<WorkerGroup>& groups);

}  // namespace parityd::agent
