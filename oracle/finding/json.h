// JSON forms of the oracle's facts, as in the protocol, the artefact header and the database. Unknown fields are
// ignored; a missing field or one of the wrong type throws nlohmann::json::exception, which callers catch at their
// boundary. Pure; any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "oracle/finding/disposition.h"
#include "oracle/measure/evidence.h"
#include "oracle/rules/signature.h"
#include "oracle/rules/verdict.h"

namespace parityd::oracle {

void to_json(nlohmann::json& json, const LiveTensor& tensor);
void from_json(const nlohmann::json& json, LiveTensor& tensor);
void to_json(nlohmann::json& json, const ErrorReport& error);
void from_json(const nlohmann::json& json, ErrorReport& error);
void to_json(nlohmann::json& json, const Observation& observation);
void from_json(const nlohmann::json& json, Observation& observation);
void to_json(nlohmann::json& json, const Outcome& outcome);
void from_json(const nlohmann::json& json, Outcome& outcome);
void to_json(nlohmann::json& json, const Leaf& leaf);
void from_json(const nlohmann::json& json, Leaf& leaf);
void to_json(nlohmann::json& json, const WorstElement& worst);
void from_json(const nlohmann::json& json, WorstElement& worst);
void to_json(nlohmann::json& json, const LeafMeasurement& leaf);
void from_json(const nlohmann::json& json, LeafMeasurement& leaf);
void to_json(nlohmann::json& json, const InputFacts& inputs);
void from_json(const nlohmann::json& json, InputFacts& inputs);
void to_json(nlohmann::json& json, const Measurement& measurement);
void from_json(const nlohmann::json& json, Measurement& measurement);
void to_json(nlohmann::json& json, const Evidence& evidence);
void from_json(const nlohmann::json& json, Evidence& evidence);
void to_json(nlohmann::json& json, const Verdict& verdict);
void from_json(const nlohmann::json& json, Verdict& verdict);

}  // namespace parityd::oracle
