// The ablations that matter (docs/attribution.md): families of neutralisers, each tried whole before it is taken apart.
// Data; any thread.
#pragma once

#include <vector>

#include "oracle/finding/attribute.h"

namespace parityd::oracle {

using NeutraliserSet = std::vector<Neutraliser>;

/// Settings and pass groups that could matter for a finding of these facts, by stage, device, mode and version: a
/// family each, those that cost a user least first, within a family the narrowest first.
[[nodiscard]] std::vector<NeutraliserSet> setting_families(const AttributionFacts& facts);

/// One neutraliser an operator, the unusual operators first: arithmetic and views are everywhere, so they say least.
[[nodiscard]] NeutraliserSet operator_family(NeutraliserKind kind, const std::vector<std::string>& operators);

}  // namespace parityd::oracle
