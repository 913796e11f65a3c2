// Facts besides its evidence that decide a finding's disposition: rounds, trigger, results on other torches and of
// tools, the age of the table of known issues. One thread.
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
  oracle::DispositionChoices choices;  // take precedence over the rows of the disposition table
  std::chrono::seconds known_max_age = std::chrono::hours(7 * 24);
  bool newest_configured = false;    // a newer torch must show findings before they are ready
  std::string newest_torch;          // version of that torch; empty while unknown
  std::vector<std::string> torches;  // torches of the workers here; empty while none is known
};
/// The policy from the configuration, without the newest torch's version.
[[nodiscard]] DispositionPolicy disposition_policy(const Config& config);

/// The facts of a stored finding. For one about to be stored (id 0), whatever has not been tried is unknown.
[[nodiscard]] oracle::DispositionFacts disposition_facts(const store::Store& store, const store::FindingRow& finding,
                                                         const DispositionPolicy& policy, store::Millis now);

/// The facts of a program without a store: only what its script did, if it ran.
[[nodiscard]] oracle::DispositionFacts disposition_facts(const std::optional<oracle::ScriptReport>& script);

/// Whether it is held(split) or held(tampered), which no rule lifts: a person has to look first.
[[nodiscard]] bool rests_with_a_person(const oracle::Disposition& disposition);

/// Results of its script on the torches it is claimed for: it must show the finding on each that is here, and on at
/// least one.
[[nodiscard]] oracle::ScriptRuns script_says(const store::Store& store, const store::FindingRow& finding,
                                             const DispositionPolicy& policy);

/// The newest torch's result for a finding.
[[nodiscard]] oracle::NewestTorch newest_torch_says(const store::Store& store, store::Id finding,
                                                    const DispositionPolicy& policy);

}  // namespace parityd::agent
