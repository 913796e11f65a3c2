// Whether a model's hypothesis about a finding's cause agrees with attribution (docs/reading.md). Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/names.h"
#include "oracle/rules/neutraliser.h"
#include "oracle/rules/signature.h"
#include "store/reading/sources.h"

namespace parityd::store {

using oracle::name;

/// unknown: attribution found nothing that could be compared.
enum class Agreement { unknown, agrees, disagrees };
constexpr auto names(Agreement) { return std::to_array<std::string_view>({"unknown", "agrees", "disagrees"}); }

/// A line in torch's sources.
struct SourcePlace {
  std::string file;  // relative to the package's folder
  std::string function;
  int line = 0;
};

/// The place FILE:FUNCTION:LINE at the beginning of a hypothesis; nullopt if it begins otherwise.
[[nodiscard]] std::optional<SourcePlace> place_named(const std::string& hypothesis);

/// The unit of a file that contains the line; nullptr if none does, or if the named function is another unit.
[[nodiscard]] const SourceUnitRow* unit_at(const SourcePlace& place, const std::vector<SourceUnitRow>& units);

/// What is known about a finding's cause without a model.
struct Blame {
  oracle::Stage stage = oracle::Stage::inductor;
  std::vector<oracle::Neutraliser> neutralisers;  // the finding vanishes with all of them together
  std::string compiler_frame;                     // as in oracle::ErrorReport, of the compiled run
  std::string traceback;                          // likewise
};

/// `unit` must have its text; if it is not code of the compiler, the answer is unknown. The first of these that gives
/// an answer decides: the stage (code that only runs later is not the cause), the function that raised, the operator,
/// pass or setting that makes it vanish, the file that raised.
[[nodiscard]] Agreement agreement(const SourceUnitRow& unit, const Blame& blame);

}  // namespace parityd::store
