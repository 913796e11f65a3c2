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

/// What its script did on each torch, run by a plain interpreter.
[[nodiscard]] nlohmann::json script_runs_json(const store::Store& store, store::Id finding);

/// The finding as `findings --json` lists it, with its script, rounds, programs and what was done to it by hand.
[[nodiscard]] nlohmann::json whole_finding_json(const store::Store& store, const store::FindingRow& finding);

}  // namespace parityd::agent
