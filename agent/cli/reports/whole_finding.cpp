#include "agent/cli/reports/whole_finding.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "agent/cli/reading.h"
#include "oracle/finding/json.h"
#include "oracle/json_read.h"

namespace parityd::agent {
namespace {

nlohmann::json round_json(const store::EvidenceRow& row) {
  return {{"purpose", row.purpose},        {"round", row.round}, {"verdict", row.verdict},
          {"evidence", row.evidence},      {"at", utc(row.at)},  {"worker_seconds", row.worker_seconds},
          {"environment", row.environment}};
}

nlohmann::json grouping_json(const std::vector<store::GroupingChange>& changes) {
  auto all = nlohmann::json::array();
  for (const auto& change : changes) {
    all.push_back({{"id", change.id},
                   {"what", change.what},
                   {"finding", change.finding},
                   {"other", change.other},
                   {"who", change.who},
                   {"at", utc(change.at)},
                   {"note", change.note},
                   {"undone_by", change.undone_by},
                   {"undone_at", change.undone_at ? nlohmann::json(utc(*change.undone_at)) : nlohmann::json(nullptr)}});
  }
  return all;
}

}  // namespace

nlohmann::json script_runs_json(const store::Store& store, store::Id finding) {
  auto all = nlohmann::json::array();
  for (const auto& run : store.scripts.runs(finding)) {
    all.push_back({{"torch", run.torch},
                   {"device", run.device},
                   {"shown", run.report.says == oracle::ScriptSays::shown},
                   {"words", oracle::in_words(run.report)},
                   {"text", run.text},
                   {"at", utc(run.at)}});
  }
  return all;
}

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
                     row.neutralisers.empty() ? "" : ", known findings stepped over");
}

nlohmann::json suspicion_json(const std::optional<store::Suspicion>& suspicion) {
  if (!suspicion) return nlohmann::json::object();
  nlohmann::json json{{"hypothesis", suspicion->hypothesis},
                      {"hypothesis_reply", suspicion->reply},
                      {"hypothesis_place", nullptr},
                      {"hypothesis_agreement", store::name(suspicion->agreement)}};
  if (const auto& place = suspicion->place) {
    json["hypothesis_place"] = {
        {"torch", suspicion->torch}, {"file", place->file}, {"function", place->function}, {"line", place->line}};
  }
  return json;
}

nlohmann::json whole_finding_json(const store::Store& store, const store::FindingRow& finding) {
  const auto draft = store.drafts.find(finding.id);
  nlohmann::json json = finding_json(store, finding);
  json["repro"] = draft ? draft->repro : "";
  json["script_runs"] = script_runs_json(store, finding.id);
  json["sandbox"] =
      sandbox_json(store.environments.find(finding.environment).value_or(store::EnvironmentRow{}).sandbox);
  json.update(suspicion_json(store::suspicion_of(store, finding)));
  json["rounds_of_first_program"] = nlohmann::json::array();
  for (const auto& row : store.examinations.of(finding.program))
    json["rounds_of_first_program"].push_back(round_json(row));
  json["programs"] = nlohmann::json::array();
  for (const auto& row : store.groups.occurrences_of(finding.id)) {
    json["programs"].push_back({{"id", row.program.id},
                                {"origin", row.program.origin},
                                {"strategy", row.program.strategy},
                                {"recorded_for", row.finding},
                                {"blamed_pass", row.blamed_pass},
                                {"why", row.why}});
  }
  json["grouping"] = grouping_json(store.groups.changes_of(finding.id));
  return json;
}

}  // namespace parityd::agent
