// A complete finding: as JSON (`show --json`, the evidence of `export`), and descriptions of its rounds. One thread.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "store/report/suspicion.h"
#include "store/store.h"

namespace parityd::agent {

/// The outcome of a mode in one line: "raised RuntimeError: shapes do not fit".
[[nodiscard]] std::string outcome_text(const oracle::Evidence& evidence, oracle::Mode mode);
/// "confirmation 2, known findings masked"
[[nodiscard]] std::string round_name(const store::EvidenceRow& row);

/// A model's hypothesis of the cause, and whether attribution agrees; {}: there is none.
[[nodiscard]] nlohmann::json suspicion_json(const std::optional<store::Suspicion>& suspicion);

/// A program that shows the finding, without its number.
[[nodiscard]] nlohmann::json occurrence_json(const store::OccurrenceRow& row);

/// The finding as listed by `findings --json`, with its script, the script's results on each torch, and the sandbox.
[[nodiscard]] nlohmann::json with_script_json(const store::Store& store, const store::FindingRow& finding);

/// The above, plus its rounds, programs, manual changes and changes of torch.
[[nodiscard]] nlohmann::json whole_finding_json(const store::Store& store, const store::FindingRow& finding);

}  // namespace parityd::agent
