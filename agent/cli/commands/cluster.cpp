// parityd cluster slurm: the batch script that runs one daemon on nodes of a cluster.

#include "agent/cli/commands.h"
#include "agent/cli/installation.h"
#include "agent/cli/reading.h"
#include "agent/cli/running/batch_script.h"

namespace parityd::agent {
namespace fs = std::filesystem;
namespace {

void print_script(Context& context, BatchJob job) {
  const auto config = load_context_config(context);
  if (!config) return;
  job.parityd = fs::read_symlink("/proc/self/exe");
  job.state = fs::absolute(context.state_directory);
  if (!job.python.empty()) job.python = fs::absolute(job.python);
  job.launch = config->launch;
  context.out << batch_script(job,
                              with_groups(text_of_file(config->file).value_or(""), groups_of(job, config->cpu_share)));
}

}  // namespace

void add_cluster(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("cluster", "Print job scripts that run parityd on a cluster.");
  command->require_subcommand(1);
  auto job = std::make_shared<BatchJob>();
  CLI::App* slurm =
      command->add_subcommand("slurm", "Print a Slurm batch script that runs one daemon and its workers in one job.");
  const auto count = [&](const char* option, int& value, int least, const char* help) {
    slurm->add_option(option, value, help)->check(CLI::Range(least, 64))->capture_default_str()->type_name("N");
  };
  count("--nodes", job->nodes, 1, "Number of nodes");
  count("--gpus", job->gpus, 0, "GPUs per node; 0: run programs on CPUs");
  slurm->add_option("--cores", job->cores, "CPU cores per node; a worker uses about one")
      ->check(CLI::Range(1, 256))
      ->capture_default_str()
      ->type_name("N");
  slurm
      ->add_option("--time", job->time,
                   "Time limit of the job in sbatch's format; the daemon shuts down cleanly before it")
      ->capture_default_str()
      ->type_name("TIME");
  slurm->add_option("--partition", job->partition, "Partition (default: Slurm's)")->type_name("NAME");
  slurm->add_option("--account", job->account, "Account (default: Slurm's)")->type_name("NAME");
  slurm->add_option("--python", job->python, "Python interpreter whose torch is tested, as a path on the nodes")
      ->type_name("PYTHON");
  slurm->add_flag("--built", job->built, "Do not build the worker in the job: the nodes can already find a build");
  slurm->footer(
      "Redirect the output to a file, review it, and submit it with `sbatch FILE`. The script contains the\n"
      "configuration, with a worker group for each GPU of each node; [executor] launch is appended to srun. See "
      "docs/cluster.md.");
  slurm->callback([&context, job] { print_script(context, *job); });
}

}  // namespace parityd::agent
