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

// What torch's CompilerBisector found. The worker's inspect_bisect.py makes the text. Pure; any thread.

inline constexpr std::string_view kBisectTool = "bisect";

struct BisectReport {
  std::string found;      // "backend inductor, subsystem lowerings, number 5, counted from 0: index_put"
  std::string variables;  // "TORCH_BISECT_BACKEND=inductor …": with them it was seen again
};

/// Nothing where it found nothing, or the variables did not show it.
[[nodiscard]] std::optional<BisectReport> read_bisect_report(std::string_view text);

// What a run of a finding's stand-alone script came to, by a plain interpreter. The worker's inspect_script.py makes
// the text; it is kept under the script's hash, so that a changed script has not been run. Pure; any thread.

inline constexpr std::string_view kScriptTool = "script";  // as the worker calls it

enum class ScriptSays { shown, not_shown, cannot_tell };

struct ScriptReport {
  ScriptSays says = ScriptSays::cannot_tell;
  std::string why;     // of what is not shown, and of what cannot tell
  std::string script;  // its hash
};

/// The text to keep of what the tool told, whose first line is its verdict.
[[nodiscard]] std::string script_report(std::string_view script, std::string_view told);
/// What the tool would tell of a script that it could not run.
[[nodiscard]] std::string script_not_run(std::string_view why);

/// Of a text to keep. One that is no such text cannot tell.
[[nodiscard]] ScriptReport read_script_report(std::string_view text);

/// "its script shows it", "its script does not show it: …", "its script cannot tell: …".
[[nodiscard]] std::string in_words(const ScriptReport& report);

}  // namespace parityd::oracle
