// Reach: does a finding need unusual inputs or unusual settings? The program is tried again with ordinary
// inputs, first under default settings, then under its own. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "oracle/names.h"
#include "oracle/rules/verdict.h"

namespace parityd::oracle {

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
