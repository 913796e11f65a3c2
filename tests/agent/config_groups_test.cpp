// [[executor.group]]: what arrives, and every mistake with its line and key.
#include "agent/config.h"
#include "tests/catch.h"

using namespace parityd::agent;

namespace {

constexpr const char* kGroup = "[[executor.group]]\n";

ConfigErrors errors(const std::string& text) {
  const auto config = parse_config(text, "c.toml");
  return config ? ConfigErrors{} : config.error();
}

struct Row {
  std::string text;
  std::string error;
};

}  // namespace

TEST_CASE("each key of a group is read and a missing one has its default") {
  const auto config = parse_config(R"(
[executor]
python = "/opt/venv/bin/python"
spares = 0

[[executor.group]]
name = "h200"
device = "cuda"
python = "/opt/cuda/bin/python"
launch = ["srun", "--gpus=1"]
gpu = "1"
workers = 6
fork_parents = 3
share = 0.85

[[executor.group]]
)",
                                   "c.toml");
  REQUIRE(config);
  CHECK(config->spares == 0);
  REQUIRE(config->groups.size() == 2);
  const WorkerGroup& first = config->groups[0];
  CHECK(first.name == "h200");
  CHECK(first.device == "cuda");
  CHECK(first.python == "/opt/cuda/bin/python");
  CHECK(first.launch == std::vector<std::string>{"srun", "--gpus=1"});
  CHECK(first.gpu == "1");
  CHECK(first.workers == 6);
  CHECK(first.fork_parents == 3);
  CHECK(first.share == 0.85);
  const WorkerGroup& second = config->groups[1];
  CHECK(second.name == "cpu");
  CHECK(second.device == "cpu");
  CHECK(second.python.empty());
  CHECK(second.launch.empty());
  CHECK(second.workers == 1);
  CHECK(second.fork_parents == 0);
  CHECK(second.share == 1);
}

TEST_CASE("groups may be inline tables and keep the order of the file") {
  const auto config = parse_config("executor = { group = [{ name = \"b\" }, { name = \"a\" }] }", "c.toml");
  REQUIRE(config);
  REQUIRE(config->groups.size() == 2);
  CHECK(config->groups[0].name == "b");
  CHECK(parse_config("[executor]\ngroup = []\nworkers = 2", "c.toml")->groups.empty());
}

TEST_CASE("a group named after its device may stand beside a group on another device") {
  const auto config = parse_config(std::string(kGroup) + "device = \"cuda\"\n" + kGroup, "c.toml");
  REQUIRE(config);
  CHECK(config->groups[0].name == "cuda");
  CHECK(config->groups[1].name == "cpu");
}

TEST_CASE("a mistake in a group is named with file, line and key") {
  const auto row = GENERATE(
      Row{"wrokers = 2", "c.toml:2: executor.group.wrokers: no such key; did you mean workers?"},
      Row{"gpu_memory_fraction = 2",
          "c.toml:2: executor.group.gpu_memory_fraction: no such key; there are name, device, python, launch, gpu, "
          "workers, fork_parents, share"},
      Row{"device = \"auto\"", "c.toml:2: executor.group.device: \"auto\" is not one of cpu, cuda"},
      Row{"device = 1", "c.toml:2: executor.group.device: expected a string"},
      Row{"python = 3", "c.toml:2: executor.group.python: expected a string"},
      Row{"launch = \"srun\"", "c.toml:2: executor.group.launch: expected an array of strings"},
      Row{"launch = [\"srun\", \"\"]", "c.toml:2: executor.group.launch: contains an empty word"},
      Row{"gpu = 0", "c.toml:2: executor.group.gpu: expected a string"},
      Row{"device = \"cuda\"\ngpu = \"0,1\"",
          R"(c.toml:3: executor.group.gpu: expected one GPU: its number in nvidia-smi, such as "0", or its UUID)"},
      Row{"gpu = \"0\"", R"(c.toml:2: executor.group.gpu: does not apply to device = "cpu")"},
      Row{"workers = 0", "c.toml:2: executor.group.workers: 0 is out of range: expected 1 to 256"},
      Row{"workers = 1.5", "c.toml:2: executor.group.workers: expected a whole number"},
      Row{"fork_parents = 65", "c.toml:2: executor.group.fork_parents: 65 is out of range: expected 0 to 64"},
      Row{"share = 0", "c.toml:2: executor.group.share: 0 is out of range: expected 0.001 to 1000"},
      Row{"share = nan", "c.toml:2: executor.group.share: nan is out of range: expected 0.001 to 1000"},
      Row{"name = \"\"", "c.toml:2: executor.group.name: expected 1 to 32 letters, digits, - and _"},
      Row{"name = \"../up\"", "c.toml:2: executor.group.name: expected 1 to 32 letters, digits, - and _"},
      Row{"name = \"123456789012345678901234567890123\"",
          "c.toml:2: executor.group.name: expected 1 to 32 letters, digits, - and _"});
  CAPTURE(row.text);
  CHECK(errors(kGroup + row.text) == ConfigErrors{row.error});
}

TEST_CASE("two groups with the same name are refused with both lines") {
  CHECK(errors("\n[[executor.group]]\nname = \"a\"\n[[executor.group]]\nname = \"a\"") ==
        ConfigErrors{
            "c.toml:5: executor.group.name: the group in line 2 is also called a; give each group its own name"});
  CHECK(errors(std::string(kGroup) + kGroup) ==
        ConfigErrors{
            "c.toml:2: executor.group.name: the group in line 1 is also called cpu; give each group its own name"});
}

TEST_CASE("worker settings beside groups that replace them are refused with both lines") {
  const auto row = GENERATE(Row{"device = \"cpu\"", "device"}, Row{"workers = 2", "workers"},
                            Row{"fork_parents = 2", "fork_parents"}, Row{"launch = [\"srun\"]", "launch"});
  CAPTURE(row.text);
  CHECK(errors("[executor]\n" + row.text + "\n\n" + kGroup) ==
        ConfigErrors{"c.toml:2: executor." + row.error +
                     ": does not apply together with the [[executor.group]] in line 4; set it in each group"});
  CHECK(errors("[executor]\ncpu_share = 0.1\n" + std::string(kGroup)) ==
        ConfigErrors{"c.toml:2: executor.cpu_share: does not apply together with the [[executor.group]] in line 3; use "
                     "the groups' share"});
}

TEST_CASE("a group that is not an array of tables is refused with the correct form") {
  const std::string error = "executor.group: expected tables, each written [[executor.group]]";
  CHECK(errors("[executor.group]\nname = \"a\"") == ConfigErrors{"c.toml:1: " + error});
  CHECK(errors("[executor]\ngroup = 3") == ConfigErrors{"c.toml:2: " + error});
  CHECK(errors("[executor]\ngroup = [3]") == ConfigErrors{"c.toml:2: " + error});
}

TEST_CASE("the keys of the pool are validated") {
  const auto row = GENERATE(
      Row{"sandbox = \"partial\"", "c.toml:2: executor.sandbox: \"partial\" is not one of auto, full, reduced, none"},
      Row{"spares = 17", "c.toml:2: executor.spares: 17 is out of range: expected 0 to 16"},
      Row{"canary_every = -1", "c.toml:2: executor.canary_every: -1 is out of range: expected 0 to 1e+06"},
      Row{"cpu_share = 1", "c.toml:2: executor.cpu_share: 1 is out of range: expected 0 to 0.9"},
      Row{"spare = 1", "c.toml:2: executor.spare: no such key; did you mean spares?"});
  CAPTURE(row.text);
  CHECK(errors("[executor]\n" + row.text) == ConfigErrors{row.error});
}
