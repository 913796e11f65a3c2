#include "agent/cli/running/batch_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "agent/toml.h"
#include "executor/pool/worker_launch.h"

namespace parityd::agent {
namespace {

using executor::shell_quoted;

/// Seconds before the time limit at which Slurm signals the daemon: it needs ten, and writes its results.
constexpr int kNotice = 120;

/// The share in percent, rounded to be readable.
double in_percent(double share) { return std::round(share * 1e4) / 100; }

std::vector<std::string> launch_on(const BatchJob& job, int node) {
  std::vector<std::string> words{
      "srun", "--overlap", fmt::format("--relative={}", node), "--nodes=1", "--ntasks=1", "--unbuffered", "--quiet"};
  words.insert(words.end(), job.launch.begin(), job.launch.end());
  return words;
}

toml::array words_array(const std::vector<std::string>& words) {
  toml::array array;
  for (const auto& word : words) array.push_back(word);
  return array;
}

toml::table table_of(const WorkerGroup& group) {
  toml::table table{{"name", group.name}, {"device", group.device}, {"workers", group.workers}, {"share", group.share}};
  if (!group.python.empty()) table.insert("python", group.python.string());
  table.insert("launch", words_array(group.launch));
  if (!group.gpu.empty()) table.insert("gpu", group.gpu);
  return table;
}

std::string directives(const BatchJob& job) {
  std::string text = fmt::format("#SBATCH --job-name=parityd\n#SBATCH --nodes={}\n", job.nodes);
  if (job.gpus > 0) text += fmt::format("#SBATCH --gpus-per-node={}\n", job.gpus);
  if (!job.partition.empty()) text += fmt::format("#SBATCH --partition={}\n", job.partition);
  if (!job.account.empty()) text += fmt::format("#SBATCH --account={}\n", job.account);
  return text + fmt::format("#SBATCH --exclusive --no-kill --time={} --signal=B:TERM@{}\n", job.time, kNotice);
}

}  // namespace

std::vector<WorkerGroup> groups_of(const BatchJob& job, double cpu_share) {
  std::vector<WorkerGroup> groups;
  const bool both = job.gpus > 0 && cpu_share > 0;
  const int for_cpu = job.gpus == 0 ? job.cores : both ? std::max(1, job.cores / 4) : 0;
  for (int node = 0; node < job.nodes; ++node) {
    for (int gpu = 0; gpu < job.gpus; ++gpu) {
      groups.push_back({.name = fmt::format("node{}-gpu{}", node, gpu),
                        .device = "cuda",
                        .python = job.python,
                        .launch = launch_on(job, node),
                        .gpu = std::to_string(gpu),
                        .workers = std::max(1, (job.cores - for_cpu) / job.gpus),
                        .share = in_percent((1 - cpu_share) / job.gpus)});
    }
    if (for_cpu > 0) {
      groups.push_back({.name = fmt::format("node{}-cpu", node),
                        .python = job.python,
                        .launch = launch_on(job, node),
                        .workers = for_cpu,
                        .share = in_percent(both ? cpu_share : 1)});
    }
  }
  return groups;
}

std::string with_groups(const std::string& text, const std::vector<WorkerGroup>& groups) {
  toml::table config = toml::parse(text);
  toml::table executor = config["executor"].as_table() == nullptr ? toml::table{} : *config["executor"].as_table();
  for (const char* const replaced : {"device", "workers", "fork_parents", "launch", "cpu_share"}) {
    executor.erase(replaced);
  }
  toml::array array;
  for (const auto& group : groups) array.push_back(table_of(group));
  executor.insert_or_assign("group", std::move(array));
  config.insert_or_assign("executor", std::move(executor));
  std::ostringstream out;
  out << config << "\n";
  return out.str();
}

std::string batch_script(const BatchJob& job, const std::string& config) {
  const std::string build = job.built ? ""
                                      : fmt::format(
                                            "# Find the worker, or build it on a node of this job, which has the same "
                                            "compiler as the other nodes.\n"
                                            "srun --nodes=1 --ntasks=1 \"$parityd\" worker build{}\n",
                                            job.python.empty() ? "" : " --python " + shell_quoted(job.python.string()));
  return fmt::format(
      "#!/bin/sh\n"
      "# One daemon and its workers in one job, made by `parityd cluster slurm`. Submit with: sbatch THIS_FILE\n"
      "{}"
      "set -eu\n"
      "parityd={}\n"
      "# Outlives the job. Must be on a file system that SQLite can lock and map, not a network file system.\n"
      "state={}\n"
      "mkdir -p \"$state\"\n"
      "config=\"$state/slurm.toml\"\n"
      "cat > \"$config\" <<'END_OF_CONFIGURATION'\n"
      "{}"
      "END_OF_CONFIGURATION\n"
      "{}"
      "exec \"$parityd\" --state \"$state\" --config \"$config\" run\n",
      directives(job), shell_quoted(job.parityd.string()), shell_quoted(job.state.string()), config, build);
}

}  // namespace parityd::agent
