#include "executor/pool/worker_launch.h"

#include <algorithm>

#include "tests/catch.h"

using namespace parityd::executor;
using Words = std::vector<std::string>;

namespace {

GroupConfig on_gpu(Words prefix) {
  return {.launch_prefix = std::move(prefix),
          .gpu = "3",
          .launcher = "/usr/bin/parityd-worker",
          .device = DeviceKind::cuda};
}

Words first(const ProcessOptions& options, std::size_t words) {
  return {options.command.begin(), options.command.begin() + static_cast<std::ptrdiff_t>(words)};
}

}  // namespace

TEST_CASE("the environment limits workers here to their group's GPU") {
  const auto options = launch_options(on_gpu({}), "/scratch", Role::warm);
  CHECK(options.environment.at("CUDA_VISIBLE_DEVICES") == "3");
  CHECK(options.command.front() == "/usr/bin/parityd-worker");
}

TEST_CASE("an argument limits workers behind a prefix to their group's GPU even if no environment is passed on") {
  const auto there = launch_options(on_gpu({"srun", "--quiet"}), "/scratch", Role::warm);
  CHECK(first(there, 5) == Words{"srun", "--quiet", "env", "CUDA_VISIBLE_DEVICES=3", "/usr/bin/parityd-worker"});
  const auto shell = launch_options(on_gpu({"ssh", "host"}), "/scratch", Role::warm);
  CHECK(first(shell, 4) == Words{"ssh", "host", "'env'", "'CUDA_VISIBLE_DEVICES=3'"});
}

TEST_CASE("workers for the CPU see no GPU, whatever the environment says") {
  const auto here = launch_options({.device = DeviceKind::cpu}, "/scratch", Role::warm);
  CHECK(here.environment.at("CUDA_VISIBLE_DEVICES").empty());
  const auto there = launch_options({.launch_prefix = {"srun"}, .device = DeviceKind::cpu}, "/scratch", Role::warm);
  CHECK(first(there, 3) == Words{"srun", "env", "CUDA_VISIBLE_DEVICES="});
}

TEST_CASE("a CUDA group that names no GPU sees those of its daemon") {
  const auto options = launch_options({.launch_prefix = {"srun"}, .device = DeviceKind::cuda}, "/scratch", Role::warm);
  CHECK(std::ranges::none_of(options.command, [](const std::string& word) { return word.starts_with("CUDA_"); }));
}
