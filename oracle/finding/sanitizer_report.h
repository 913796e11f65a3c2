// What a report of NVIDIA's compute-sanitizer says of kernels: a compiled one that reads beyond a tensor may get the
// right answer all the same. The worker's inspect_sanitizer.py makes the reports. Pure; any thread.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/finding/side.h"

namespace parityd::oracle {

/// memcheck: out of bounds, misaligned; racecheck: shared memory; initcheck: reads of what nobody wrote.
inline constexpr std::array<std::string_view, 3> kSanitizerTools{"memcheck", "racecheck", "initcheck"};

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

/// Memory outside of an allocation was touched, and by whom: a compiled kernel (a finding though the numbers agree,
/// DispositionFacts::out_of_bounds), or only kernels that eager has too.
[[nodiscard]] std::optional<Side> out_of_bounds(const SanitizerReport& report);

/// "memcheck: Invalid __global__ read of size 8 in triton_poi_fused_0 at c.py:24, reported 18 times; …": what compiled
/// kernels did, else what others did; empty without facts.
[[nodiscard]] std::string in_words(std::string_view tool, const SanitizerReport& report);

}  // namespace parityd::oracle
