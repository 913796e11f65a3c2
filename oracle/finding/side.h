// Which side of a finding is wrong: a question of its own, asked after the verdict. Pure; any
// thread.
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
  std::string rule;  // "side.outcome", "side.double", …; empty when unknown
  std::string why;   // one sentence with its numbers
};

/// For an inconsistent verdict. Eager is accused of what it does itself (it dies, or leaves the device unusable), or by
/// two witnesses: the double runs of both sides agree on every reported leaf, compiled code is as near to them as its
/// type allows, and eager is far from them. Anything less is `compiled` where compiled code alone is off, else unknown.
[[nodiscard]] SideFound side_of(const Verdict& verdict, const Evidence& evidence);

}  // namespace parityd::oracle
