#include "agent/cli/running/batch_script.h"

#include <cmath>

#include "tests/catch.h"

using namespace parityd::agent;

namespace {

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("batch script: each GPU of each node has a group and its CPUs have one") {
  const auto groups =
      groups_of({.nodes = 2, .gpus = 2, .cores = 16, .launch = {"apptainer", "exec", "torch.sif"}}, 0.15);
  REQUIRE(groups.size() == 6);
  CHECK(groups[4].name == "node1-gpu1");
  CHECK(groups[4].device == "cuda");
  CHECK(groups[4].workers == 6);  // of 16 cores four are the CPU group's
  CHECK(groups[4].launch == std::vector<std::string>{"srun", "--overlap", "--relative=1", "--nodes=1", "--ntasks=1",
                                                     "--unbuffered", "--quiet", "apptainer", "exec", "torch.sif"});
  CHECK(groups[4].gpu == "1");
  CHECK(groups[5].name == "node1-cpu");
  CHECK(groups[5].workers == 4);
  double cpu = 0, all = 0;
  for (const auto& group : groups) {
    all += group.share;
    cpu += group.device == "cpu" ? group.share : 0;
  }
  CHECK(std::abs(cpu / all - 0.15) < 1e-9);
}

TEST_CASE("batch script: without GPUs every core runs programs, without a CPU share every core serves the GPU") {
  const auto plain = groups_of({.nodes = 1, .cores = 8}, 0.15);
  REQUIRE(plain.size() == 1);
  CHECK(plain[0].workers == 8);
  CHECK(plain[0].share == 100);
  const auto gpus = groups_of({.nodes = 1, .gpus = 4, .cores = 2}, 0);
  REQUIRE(gpus.size() == 4);
  CHECK(gpus[0].workers == 1);
}

TEST_CASE("batch script: the configuration of a group names its GPU") {
  const auto config = parse_config(with_groups("", groups_of({.nodes = 1, .gpus = 2, .cores = 8}, 0.15)), "slurm.toml");
  REQUIRE(config.has_value());
  REQUIRE(config->groups.size() == 3);
  CHECK(config->groups[1].gpu == "1");
  CHECK(config->groups[2].gpu.empty());
}

TEST_CASE("batch script: groups replace the worker settings of the configuration and nothing else") {
  const std::string text = with_groups(
      "[run]\nprovider = \"mine\"\n[provider.mine]\nbase_url = \"http://localhost:1/v1\"\nmodel = "
      "\"m\"\n[executor]\nlaunch = [\"x\"]\nworkers = 3\nspares = 2\n",
      groups_of({.nodes = 1, .cores = 2, .python = "/torch's/python"}, 0));
  CAPTURE(text);
  const auto config = parse_config(text, "slurm.toml");
  REQUIRE(config.has_value());
  CHECK(config->run_providers.front().name == "mine");
  CHECK(config->spares == 2);
  REQUIRE(config->groups.size() == 1);
  CHECK(config->groups[0].python == "/torch's/python");
  CHECK(config->groups[0].launch.front() == "srun");
  CHECK(parse_config(with_groups("", {}), "slurm.toml").has_value());
}

TEST_CASE("batch script: arguments are quoted for the shell") {
  BatchJob job{.nodes = 3,
               .gpus = 8,
               .partition = "gpu",
               .parityd = "/opt/it's/parityd",
               .state = "/local/s",
               .python = "/shared/a b/python"};
  const std::string script = batch_script(job, "[run]\n");
  CHECK(script.starts_with("#!/bin/sh\n"));
  CHECK(holds(script, "#SBATCH --nodes=3\n#SBATCH --gpus-per-node=8\n#SBATCH --partition=gpu\n"));
  CHECK(holds(script, "--signal=B:TERM@120"));
  CHECK(holds(script, R"(parityd='/opt/it'\''s/parityd')"));
  CHECK(holds(script, "worker build --python '/shared/a b/python'\n"));
  job.built = true;
  CHECK_FALSE(holds(batch_script(job, ""), "worker build"));
}
