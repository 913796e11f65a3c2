// The extent of a finding in one sentence: which operators, dtypes, sizes, devices, modes and numbers of threads show
// it, made from answers over variants of the reduced program. Pure; any thread.
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

/// One variant that differs from the finding's program in one aspect only; the program itself is one too.
struct TriedVariant {
  Aspect aspect = Aspect::operators;
  std::string value;          // "amin", "uint8", "33", "cpu", "inductor_freezing"
  std::optional<bool> shows;  // nullopt: cannot tell (it does not run, or something else is wrong)
  std::string unit = {};      // sizes: what is counted, "columns"; each unit is a row of sizes of its own
};

/// "amin and amax (not sum), uint8 and int8 (not float32), CPU only, ≥ 33 columns (32 do not)". An aspect of which
/// nothing was tried is left out, and sizes, threads and modes that all show it; of sizes the bound is what was tried,
/// never a guess between. Empty where nothing shows.
[[nodiscard]] std::string extent(const std::vector<TriedVariant>& tried);

// Reach: does a finding need unusual inputs or unusual settings? The program is tried again with ordinary
// inputs, first under default settings, then under its own. Pure; any thread.

enum class Reach {
  unknown,   // not tried
  ordinary,  // ordinary inputs and default settings show it
  config,    // ordinary inputs show it, but only under the program's own settings
  edge,      // no ordinary inputs show it
};
constexpr auto names(Reach) { return std::to_array<std::string_view>({"unknown", "ordinary", "config", "edge"}); }

/// One way to try a program: ordinary inputs drawn under `seed`.
struct ReachTrial {
  std::uint64_t seed = 1;
  bool default_settings = true;  // else the program's own OPTIONS
};

/// Three seeds under default settings, then, where the program has settings of its own, the same three under those.
[[nodiscard]] std::vector<ReachTrial> reach_trials(bool has_settings);

/// Whether a trial shows the finding: the same kind of inconsistency, and its inputs really were ordinary (a tensor
/// without elements stays one).
[[nodiscard]] bool shows(const Verdict& finding, const Verdict& trial, const Evidence& evidence);

/// What the trials made so far say, `shown` in the order of reach_trials(); nullopt: the next one has to tell.
[[nodiscard]] std::optional<Reach> reach_after(const std::vector<bool>& shown, bool has_settings);

}  // namespace parityd::oracle
