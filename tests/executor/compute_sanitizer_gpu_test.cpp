// compute-sanitizer itself, around a process that uses the GPU.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "executor/compute_sanitizer.h"
#include "tests/catch.h"

using namespace parityd::executor;

TEST_CASE("each tool comes to its summary around a process that uses the GPU") {
  const auto sanitizer = find_compute_sanitizer();
  const std::string python = PARITYD_TEST_PYTHON;
  const std::string uses_gpu =
      "import torch; assert torch.cuda.is_available(); torch.ones(8, device='cuda').sum().item()";
  if (!sanitizer) PARITYD_SKIP("there is no compute-sanitizer");
  if (python.empty() || !std::filesystem::exists("/dev/nvidiactl")) PARITYD_SKIP("there is no GPU");
  if (std::system(fmt::format("{} -c \"{}\" 2> /dev/null", python, uses_gpu).c_str()) != 0)
    PARITYD_SKIP("the torch of the tests cannot use the GPU");
  for (const auto tool : {SanitizerTool::memcheck, SanitizerTool::racecheck, SanitizerTool::initcheck}) {
    CAPTURE(name(tool));
    std::string command;
    for (const auto& word : sanitizer_prefix(tool, *sanitizer)) command += word + " ";
    const std::string file = fmt::format("/tmp/parityd-sanitizer-{}", name(tool));
    std::system(fmt::format("{}{} -c \"{}\" > {} 2>&1", command, python, uses_gpu, file).c_str());
    std::ifstream stream(file);
    const std::string output{std::istreambuf_iterator<char>(stream), {}};
    std::filesystem::remove(file);
    const auto report = read_sanitizer_report(output);
    INFO(output);
    CHECK(report.ended);
    CHECK_FALSE(out_of_bounds(report));
  }
}
