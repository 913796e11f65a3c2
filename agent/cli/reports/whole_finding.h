// A finding with all that is known of it: as JSON (`show --json`, the evidence of `export`), and words of its rounds.
// One thread.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "store/report/suspicion.h"
#include "store/store.h"

namespace parityd::agent {

/// How a mode ended, in one line: "raised RuntimeError: shapes do not fit".
[[nodiscard]] std::string outcome_text(const oracle::Evidence& evidence, oracle::Mode mode);
/// "gate 2, known findings stepped over"
[[nodiscard]] std::string round_name(const store::EvidenceRow& row);

/// What a model supposed of its cause, and whether attribution agrees; {}: nobody did.
[[nodiscard]] nlohmann::json suspicion_json(const std::optional<store::Suspicion>& suspicion);

/// A program that shows the finding, but for its number.
[[nodiscard]] nlohmann::json occurrence_json(const store::OccurrenceRow& row);

/// The finding as `findings --json` lists it, with its script, what that did on each torch, and the sandbox.
[[nodiscard]] nlohmann::json with_script_json(const store::Store& store, const store::FindingRow& finding);

/// That, and its rounds, programs and what was done to it by hand.
[[nodiscard]] nlohmann::json whole_finding_json(const store::Store& store, const store::FindingRow& finding);

}  // namespace parityd::agent
