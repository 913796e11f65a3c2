// The extent of a finding in one sentence: which operators, dtypes, sizes, devices, modes and numbers of threads show
// it, made from answers over variants of the reduced program. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/names.h"
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

}  // namespace parityd::oracle
