// Whether what a model supposed of a finding's cause agrees with what attribution blames (docs/reading.md). Pure; any
// thread.
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

/// unknown: attribution says nothing that could be compared.
enum class Agreement { unknown, agrees, disagrees };
constexpr auto names(Agreement) { return std::to_array<std::string_view>({"unknown", "agrees", "disagrees"}); }

/// A line of torch's sources.
struct SourcePlace {
  std::string file;  // relative to the package's folder
  std::string function;
  int line = 0;
};

/// What a hypothesis begins with, FILE:FUNCTION:LINE; nullopt: it does not.
[[nodiscard]] std::optional<SourcePlace> place_named(const std::string& hypothesis);

/// The one of a file's units that holds the line; nullptr: none does, or the function that is named is another unit.
[[nodiscard]] const SourceUnitRow* unit_at(const SourcePlace& place, const std::vector<SourceUnitRow>& units);

/// What is known of a finding's cause without a model.
struct Blame {
  oracle::Stage stage = oracle::Stage::inductor;
  std::vector<oracle::Neutraliser> neutralisers;  // that make it vanish, together
  std::string compiler_frame;                     // as oracle::ErrorReport's, of the compiled run
  std::string traceback;                          // likewise
};

/// `unit`: with its text; of one that is no code of the compiler nothing can be said. The first of these that says
/// something counts: the stage (what runs only later did not do it), the function that raised, the operator, pass or
/// setting that makes it vanish, the file that raised.
[[nodiscard]] Agreement agreement(const SourceUnitRow& unit, const Blame& blame);

}  // namespace parityd::store
