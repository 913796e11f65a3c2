// What becomes of an accepted change on the newest torch: whether it applies there, and what the finding does with it
// and without it. Blocks, a minute or more; one thread.
#pragma once

#include <functional>
#include <string>

#include "agent/cli/fixing/patch_sides.h"
#include "agent/config.h"
#include "agent/fixing/change.h"
#include "store/store.h"

namespace parityd::agent {

/// FixTry::newest: "torch 2.14.1: the change applies, and the finding vanishes". What cannot be run there is told, too.
/// Empty: [versions] newest is not configured, has no worker, or is not newer than the finding's torch. `progress`:
/// called with a line from time to time. REQUIRES: the change has edits.
[[nodiscard]] std::string on_newest(const ProposedChange& change, const Config& config, const store::Store& store,
                                    const store::FindingRow& finding,
                                    const std::function<void(const std::string&)>& progress);

/// The sentence for a change that applies there. Pure.
[[nodiscard]] std::string newest_sentence(const std::string& torch, const BothJudged& judged);

}  // namespace parityd::agent
