// NVIDIA's compute-sanitizer around a worker: how it is started, and what its report says of kernels. It sees what
// numbers do not show: a compiled kernel that reads beyond a tensor and gets the right answer all the same. Pure; any
// thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parityd::executor {

/// memcheck: out of bounds, misaligned; racecheck: shared memory; initcheck: reads of what nobody wrote.
enum class SanitizerTool { memcheck, racecheck, initcheck };
[[nodiscard]] std::string_view name(SanitizerTool tool);

/// The program on PATH or in the usual place of a CUDA toolkit; nullopt where there is none.
[[nodiscard]] std::optional<std::filesystem::path> find_compute_sanitizer();

/// What to put before a worker's launcher (GroupConfig::launch_prefix). The report comes out on standard error, with
/// what the program says, and the program's own exit status stays.
[[nodiscard]] std::vector<std::string> sanitizer_prefix(SanitizerTool tool, const std::filesystem::path& sanitizer);

/// One thing wrong in one kernel, however many threads reported it.
struct SanitizerFact {
  std::string what;    // "Invalid __global__ read of size 4", "Race between write and read", …
  std::string kernel;  // demangled as the sanitizer tells it, without arguments; empty: no kernel but an API call
  std::string where;   // "file.py:12" where the report names a line
  int reports = 0;
};

struct SanitizerReport {
  std::vector<SanitizerFact> facts;  // in the order in which they first came
  bool ended = false;                // the sanitizer came to its summary: without facts then, there was nothing
};

/// From captured output, which also holds what the program wrote.
[[nodiscard]] SanitizerReport read_sanitizer_report(std::string_view output);

/// A kernel that Inductor generated, by the names it gives its own.
[[nodiscard]] bool is_compiled_kernel(std::string_view kernel);

/// Memory outside of an allocation was touched by a compiled kernel: a finding though the numbers agree
/// (oracle::DispositionFacts::out_of_bounds).
[[nodiscard]] bool out_of_bounds(const SanitizerReport& report);

}  // namespace parityd::executor
