// Which side of a finding is wrong: decided separately, after the verdict. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "oracle/names.h"
#include "oracle/rules/verdict.h"

namespace parityd::oracle {

enum class Side { unknown, compiled, eager };
constexpr auto names(Side) { return std::to_array<std::string_view>({"unknown", "compiled", "eager"}); }

struct SideFound {
  Side side = Side::unknown;
  std::string rule;  // "side.outcome", "side.double", …; empty if unknown
  std::string why;   // one sentence with its numbers
};

/// For an inconsistent verdict. Eager is the wrong side if it fails on its own (it dies, or leaves the device
/// unusable), or if two witnesses agree: the double runs of both sides agree on every reported leaf, compiled code is
/// as near to them as its type allows, and eager is far from them. With less evidence the result is `compiled` if only
/// compiled code is wrong, else unknown.
[[nodiscard]] SideFound side_of(const Verdict& verdict, const Evidence& evidence);

}  // namespace parityd::oracle
