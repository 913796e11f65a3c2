// The extent of a finding in one sentence: which operators, dtypes, sizes, devices, modes and numbers of threads show
// it, from the answers for variants of the reduced program. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/names.h"
#include "oracle/rules/verdict.h"

namespace parityd::oracle {

enum class Aspect { operators, dtypes, sizes, devices, modes, threads };
constexpr auto names(Aspect) {
  return std::to_array<std::string_view>({"operators", "dtypes", "sizes", "devices", "modes", "threads"});
}

/// A variant that differs from the finding's program in one aspect only; the program itself is one, too.
struct TriedVariant {
  Aspect aspect = Aspect::operators;
  std::string value;          // "amin", "uint8", "33", "cpu", "inductor_freezing"
  std::optional<bool> shows;  // nullopt: unknown (it does not run, or something else is wrong)
  std::string unit = {};      // sizes: what is counted, "columns"; each unit has its own row of sizes
};

/// "amin and amax (not sum); uint8 and int8 alike; CPU only; ≥ 33 columns (32 do not)". Aspects of which nothing was
/// tried are omitted, and so are sizes, threads and modes if all of them show it. A bound on sizes is
/// always a size that was tried, never interpolated. Empty if nothing shows it.
[[nodiscard]] std::string extent(const std::vector<TriedVariant>& tried);

// Trigger: does a finding need unusual inputs or unusual settings? The program is tried again with ordinary inputs,
// first under default settings, then under its own. Pure; any thread.

enum class Trigger {
  unknown,   // not tried
  ordinary,  // ordinary inputs and default settings show it
  config,    // ordinary inputs show it, but only under the program's own settings
  edge,      // no ordinary inputs show it
};
constexpr auto names(Trigger) { return std::to_array<std::string_view>({"unknown", "ordinary", "config", "edge"}); }

/// One trial of a program: ordinary inputs drawn under `seed`.
struct TriggerTrial {
  std::uint64_t seed = 1;
  bool default_settings = true;  // else the program's own OPTIONS
};

/// Three seeds under default settings; then, if the program has its own settings, the same three under those.
[[nodiscard]] std::vector<TriggerTrial> trigger_trials(bool has_settings);

/// Whether a trial shows the finding: it has the same kind of inconsistency, and its inputs really were ordinary (a
/// tensor without elements cannot be made ordinary).
[[nodiscard]] bool shows(const Verdict& finding, const Verdict& trial, const Evidence& evidence);

/// The result of the trials so far, `shown` in the order of trigger_trials(); nullopt: the next trial is needed.
[[nodiscard]] std::optional<Trigger> trigger_after(const std::vector<bool>& shown, bool has_settings);

}  // namespace parityd::oracle
