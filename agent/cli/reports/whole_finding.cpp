#include "agent/cli/reports/whole_finding.h"

#include "agent/cli/reading.h"
#include "agent/cli/reports/fixes.h"
#include "agent/cli/store_json.h"
#include "oracle/finding/json.h"

namespace parityd::agent {
namespace {

nlohmann::json evidence_json(const store::EvidenceRow& row) {
  return {{"purpose", row.purpose},        {"round", row.round}, {"verdict", row.verdict},
          {"evidence", row.evidence},      {"at", utc(row.at)},  {"worker_seconds", row.worker_seconds},
          {"environment", row.environment}};
}

nlohmann::json grouping_json(const store::GroupingChange& change) {
  nlohmann::json json = change;
  json["at"] = utc(change.at);
  json["undone_at"] = change.undone_at ? nlohmann::json(utc(*change.undone_at)) : nlohmann::json();
  return json;
}

nlohmann::json script_run_json(const store::ScriptRun& run) {
  return {{"torch", run.torch},
          {"device", run.device},
          {"shown", run.report.says == oracle::ScriptSays::shown},
          {"words", oracle::in_words(run.report)},
          {"text", run.text},
          {"at", utc(run.at)}};
}

}  // namespace

std::string outcome_text(const oracle::Evidence& evidence, oracle::Mode mode) {
  const auto* outcome = evidence.outcome(mode);
  if (outcome == nullptr) return "not run";
  if (outcome->error) {
    const auto& message = outcome->error->message;
    return fmt::format("{} {}: {}", oracle::name(outcome->kind), outcome->error->inner_class,
                       message.substr(0, message.find('\n')));
  }
  return std::string(oracle::name(outcome->kind));
}

std::string round_name(const store::EvidenceRow& row) {
  return fmt::format("{}{}{}", name(row.purpose), row.round > 0 ? fmt::format(" {}", row.round) : "",
                     row.neutralisers.empty() ? "" : ", known findings masked");
}

nlohmann::json suspicion_json(const std::optional<store::Suspicion>& suspicion) {
  if (!suspicion) return nlohmann::json::object();
  nlohmann::json json{{"hypothesis", suspicion->hypothesis},
                      {"hypothesis_reply", suspicion->reply},
                      {"hypothesis_place", nullptr},
                      {"hypothesis_agreement", suspicion->agreement}};
  if (const auto& place = suspicion->place) {
    json["hypothesis_place"] = {
        {"torch", suspicion->torch}, {"file", place->file}, {"function", place->function}, {"line", place->line}};
  }
  return json;
}

nlohmann::json occurrence_json(const store::OccurrenceRow& row) {
  return {{"origin", row.program.origin},
          {"strategy", row.program.strategy},
          {"recorded_for", row.finding},
          {"blamed_pass", row.blamed_pass},
          {"why", row.why}};
}

nlohmann::json with_script_json(const store::Store& store, const store::FindingRow& finding) {
  const auto draft = store.drafts.find(finding.id);
  const auto environment = store.environments.find(finding.environment).value_or(store::EnvironmentRow{});
  nlohmann::json json = finding_json(store, finding);
  json["repro"] = draft ? draft->repro : "";
  json["script_runs"] = json_array(store.scripts.runs(finding.id), script_run_json);
  json["sandbox"] = sandbox_json(environment.sandbox);
  return json;
}

nlohmann::json whole_finding_json(const store::Store& store, const store::FindingRow& finding) {
  auto json = with_script_json(store, finding);
  json.update(suspicion_json(store::suspicion_of(store, finding)));
  json["fixes"] = json_array(store.fixes.of(finding.id), try_json);
  json["rounds_of_first_program"] = json_array(store.examinations.of(finding.program), evidence_json);
  json["programs"] = json_array(store.groups.occurrences_of(finding.id), [](const auto& row) {
    auto program = occurrence_json(row);
    program["id"] = row.program.id;
    return program;
  });
  json["grouping"] = json_array(store.groups.changes_of(finding.id), grouping_json);
  return json;
}

}  // namespace parityd::agent
