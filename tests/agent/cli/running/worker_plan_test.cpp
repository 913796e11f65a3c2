// What a machine gets where the configuration names no groups.
#include "agent/cli/running/worker_plan.h"

#include <cmath>

#include "tests/catch.h"

using namespace parityd::agent;

TEST_CASE("plan: without a GPU, or on request, every core runs programs") {
  for (const auto& [device, gpus] :
       std::vector<std::pair<std::string, std::vector<std::string>>>{{"auto", {}}, {"cpu", {}}, {"cpu", {"0", "1"}}}) {
    Config config;
    config.device = device;
    config.fork_parents = 3;
    const auto groups = planned_groups(config, {.cores = 6, .gpus = gpus});
    REQUIRE(groups.size() == 1);
    CHECK(groups[0].name == "cpu");
    CHECK(groups[0].workers == 6);
    CHECK(groups[0].fork_parents == 3);
    CHECK(groups[0].share == 1);
  }
}

TEST_CASE("plan: a single GPU has a group and so have the CPUs") {
  const auto groups = planned_groups({}, {.cores = 16, .gpus = {"0"}});
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].name == "cuda");
  CHECK(groups[0].device == "cuda");
  CHECK(groups[0].gpu.empty());
  CHECK(groups[0].workers == 12);
  CHECK(groups[1].name == "cpu");
  CHECK(groups[1].workers == 4);
  CHECK(std::abs(groups[1].share - 0.15) < 1e-9);
}

TEST_CASE("plan: each of several GPUs has a group with its share of the workers") {
  Config config;
  config.python = "/torch/python";
  const auto groups = planned_groups(config, {.cores = 32, .gpus = {"0", "GPU-5"}});
  REQUIRE(groups.size() == 3);
  CHECK(groups[0].name == "cuda0");
  CHECK(groups[1].name == "cuda1");
  CHECK(groups[1].gpu == "GPU-5");
  CHECK(groups[1].python == "/torch/python");
  CHECK(groups[0].workers == 12);
  CHECK(groups[0].share == groups[1].share);
  CHECK(std::abs(groups[0].share + groups[1].share + groups[2].share - 1) < 1e-9);
}

TEST_CASE("plan: a requested number of workers is divided among the GPUs, at least one each") {
  Config config;
  config.workers = 5;
  config.fork_parents = 2;
  config.cpu_share = 0;
  const auto groups = planned_groups(config, {.cores = 64, .gpus = {"0", "1", "2", "3", "4", "5", "6", "7"}});
  REQUIRE(groups.size() == 8);
  CHECK(groups[7].workers == 1);
  CHECK(groups[7].fork_parents == 1);
  CHECK(planned_groups({}, {.cores = 1, .gpus = {"0", "1"}})[1].workers == 1);
}
