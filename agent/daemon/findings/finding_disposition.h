// What decides a finding's disposition beside its evidence: rounds, reach, what other torches and tools said of it, the
// age of the table of known issues. One thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "agent/config.h"
#include "oracle/finding/disposition.h"
#include "store/store.h"

namespace parityd::agent {

struct DispositionPolicy {
  oracle::DispositionChoices choices;  // before the rows of the disposition table
  std::chrono::seconds known_max_age = std::chrono::hours(7 * 24);
  bool newest_configured = false;    // a torch on which findings have to show before they are ready
  std::string newest_torch;          // its version; empty while it is not known
  std::vector<std::string> torches;  // that workers have here; empty while none is known
};
/// What the configuration says; the newest torch's version is not in it.
[[nodiscard]] DispositionPolicy disposition_policy(const Config& config);

/// Of a finding as the store holds it; of one that is about to be stored, its id 0, what nobody has asked is unknown.
[[nodiscard]] oracle::DispositionFacts disposition_facts(const store::Store& store, const store::FindingRow& finding,
                                                         const DispositionPolicy& policy, store::Millis now);

/// Of a program that no store has: what its script did, if it ran, is all that is known.
[[nodiscard]] oracle::DispositionFacts disposition_facts(const std::optional<oracle::ScriptReport>& script);

/// held(split) and held(tampered): no rule takes it away; a person has to look first.
[[nodiscard]] bool rests_with_a_person(const oracle::Disposition& disposition);

/// What its script did on the torches that it is claimed for: it has to show it on each that is here, on one at least.
[[nodiscard]] oracle::ScriptRuns script_says(const store::Store& store, const store::FindingRow& finding,
                                             const DispositionPolicy& policy);

/// What the newest torch said of a finding.
[[nodiscard]] oracle::NewestTorch newest_torch_says(const store::Store& store, store::Id finding,
                                                    const DispositionPolicy& policy);

}  // namespace parityd::agent
