// Reads what NVIDIA's compute-sanitizer reports about kernels: a compiled one that reads beyond a tensor may get the
// right answer nevertheless. The worker's inspect_sanitizer.py makes the reports. Pure; any thread.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/finding/side.h"

namespace parityd::oracle {

/// memcheck: out of bounds, misaligned; racecheck: shared memory; initcheck: reads of uninitialised memory.
inline constexpr std::array<std::string_view, 3> kSanitizerTools{"memcheck", "racecheck", "initcheck"};

/// One fault in one kernel, however many threads reported it.
struct SanitizerFact {
  std::string what;    // "Invalid __global__ read of size 4", "Race between write and read", …
  std::string kernel;  // as the sanitizer demangles it, without arguments; empty: an API call, no kernel
  std::string where;   // "file.py:12" if the report names a line
  int reports = 0;
};

struct SanitizerReport {
  std::vector<SanitizerFact> facts;  // in order of first appearance
  bool ended = false;                // the sanitizer printed its summary: if there are no facts then, nothing was wrong
};

/// From captured output, which also contains the program's own output.
[[nodiscard]] SanitizerReport read_sanitizer_report(std::string_view output);

/// Whether Inductor generated the kernel, by the name prefixes it gives its own.
[[nodiscard]] bool is_compiled_kernel(std::string_view kernel);

/// Whose code accessed memory outside of an allocation: a compiled kernel (a finding although the numbers agree,
/// DispositionFacts::out_of_bounds), or only kernels that eager has, too. nullopt if none did.
[[nodiscard]] std::optional<Side> out_of_bounds(const SanitizerReport& report);

/// "memcheck: Invalid __global__ read of size 8 in triton_poi_fused_0 at c.py:24, reported 18 times; …": the faults of
/// compiled kernels, else those of others; empty without facts.
[[nodiscard]] std::string in_words(std::string_view tool, const SanitizerReport& report);

// The result of torch's CompilerBisector. The worker's inspect_bisect.py makes the text. Pure; any thread.

inline constexpr std::string_view kBisectTool = "bisect";

struct BisectReport {
  std::string found;      // "backend inductor, subsystem lowerings, number 5, counted from 0: index_put"
  std::string variables;  // "TORCH_BISECT_BACKEND=inductor …": with them it was seen again
};

/// nullopt if it found nothing, or if the finding was not seen again with the variables.
[[nodiscard]] std::optional<BisectReport> read_bisect_report(std::string_view text);

// The result of running a finding's stand-alone script with a plain interpreter. The worker's inspect_script.py makes
// the text; it is kept under the script's hash, so a changed script counts as not run. Pure; any thread.

inline constexpr std::string_view kScriptTool = "script";  // the tool's name in the worker

enum class ScriptSays { shown, not_shown, cannot_tell };

struct ScriptReport {
  ScriptSays says = ScriptSays::cannot_tell;
  std::string why;     // of not_shown and cannot_tell
  std::string script;  // its hash
};

/// The text to keep: a heading with the script's hash, then the tool's output, whose first line is its verdict.
[[nodiscard]] std::string script_report(std::string_view script, std::string_view told);
/// The output that the tool would give for a script that it could not run.
[[nodiscard]] std::string script_not_run(std::string_view why);

/// Reads a kept text; cannot_tell if it is malformed.
[[nodiscard]] ScriptReport read_script_report(std::string_view text);

/// "its script reproduces it", "its script does not reproduce it: …", "its script cannot tell: …".
[[nodiscard]] std::string in_words(const ScriptReport& report);

}  // namespace parityd::oracle
