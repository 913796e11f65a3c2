// The ablations that are worth trying (docs/attribution.md): families of neutralisers, each tried whole before it is
// narrowed. Data; any thread.
#pragma once

#include <vector>

#include "oracle/finding/attribute.h"

namespace parityd::oracle {

using NeutraliserSet = std::vector<Neutraliser>;

/// The settings and pass groups that could matter for a finding with these facts, by stage, device, mode and version,
/// as families: those that cost a user least first, and within a family the narrowest first.
[[nodiscard]] std::vector<NeutraliserSet> setting_families(const AttributionFacts& facts);

/// One neutraliser per operator, unusual operators first: arithmetic and views are everywhere, so they are least
/// informative.
[[nodiscard]] NeutraliserSet operator_family(NeutraliserKind kind, const std::vector<std::string>& operators);

}  // namespace parityd::oracle
