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
  CLI::App* command = app.add_subcommand("cluster", "Print what runs parityd on a cluster.");
  command->require_subcommand(1);
  auto job = std::make_shared<BatchJob>();
  CLI::App* slurm = command->add_subcommand("slurm", "A batch script: one daemon and its workers in one job of Slurm.");
  const auto count = [&](const char* option, int& value, int least, const char* help) {
    slurm->add_option(option, value, help)->check(CLI::Range(least, 64))->capture_default_str()->type_name("N");
  };
  count("--nodes", job->nodes, 1, "Nodes of the job");
  count("--gpus", job->gpus, 0, "GPUs of each node; 0: programs run on processors");
  slurm->add_option("--cores", job->cores, "Cores of each node; a worker takes about one")
      ->check(CLI::Range(1, 256))
      ->capture_default_str()
      ->type_name("N");
  slurm->add_option("--time", job->time, "The job's limit, as sbatch reads it; the daemon ends in order before it")
      ->capture_default_str()
      ->type_name("TIME");
  slurm->add_option("--partition", job->partition, "Partition; default: Slurm's")->type_name("NAME");
  slurm->add_option("--account", job->account, "Account; default: Slurm's")->type_name("NAME");
  slurm->add_option("--python", job->python, "Interpreter whose torch is tested, as the nodes see it")
      ->type_name("PYTHON");
  slurm->add_flag("--built", job->built, "The worker is built where the nodes find it: the job builds none");
  slurm->footer(
      "Redirect it into a file, read it, submit it: sbatch FILE. The configuration stands in it, with a group of\n"
      "workers for each GPU of each node; [executor] launch stands behind srun's words there. docs/cluster.md.");
  slurm->callback([&context, job] { print_script(context, *job); });
}

}  // namespace parityd::agent
