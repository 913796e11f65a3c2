// The operators that a finding is about. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "oracle/rules/neutraliser.h"
#include "store/findings/findings.h"

namespace parityd::agent {

/// Without the library, whichever it is, and the overload: "amax" for "aten.amax.default".
[[nodiscard]] std::string packet_of(std::string name);

/// The single operator to blame, without library and overload: "amax" for aten.amax.default. Nullopt if attribution
/// found another kind of neutraliser, several, or none.
[[nodiscard]] std::optional<oracle::Neutraliser> blamed_operator(const store::FindingRow& finding);

/// The blamed operator, or all operators of the captured graph if none is blamed; without library and overload, each
/// once.
[[nodiscard]] std::vector<std::string> operators_of(const store::FindingRow& finding);

}  // namespace parityd::agent
