#include <algorithm>

#include "agent/cli/json.h"
#include "agent/cli/page/page_views.h"
#include "agent/cli/reading.h"
#include "agent/cli/reports/fixes.h"
#include "agent/cli/reports/whole_finding.h"

namespace parityd::agent {
namespace {

constexpr std::size_t kMostOccurrences = 200;

nlohmann::json rounds_json(const std::vector<store::EvidenceRow>& rows) {
  return json_array(rows, [](const auto& row) -> nlohmann::json {
    return {{"round", round_name(row)},
            {"verdict", row.verdict.verdict},
            {"rule", row.verdict.rule},
            {"explanation", row.verdict.explanation},
            {"eager", outcome_text(row.evidence, oracle::Mode::eager)},
            {"compiled_mode", oracle::name(row.evidence.compiled)},
            {"compiled", outcome_text(row.evidence, row.evidence.compiled)},
            {"worker_seconds", row.worker_seconds},
            {"at", utc(row.at)}};
  });
}

nlohmann::json numbers_json(const std::vector<store::EvidenceRow>& rows) {
  auto all = nlohmann::json::array();
  for (const auto& row : rows) {
    for (const auto& measurement : row.evidence.measurements) {
      for (const auto& leaf : measurement.leaves) {
        if (!leaf.metadata_differs() && !leaf.values_differ()) continue;
        all.push_back({{"round", round_name(row)},
                       {"expected", oracle::name(measurement.expected)},
                       {"actual", oracle::name(measurement.actual)},
                       {"leaf", leaf.path},
                       {"elements", leaf.elements},
                       {"unequal", leaf.unequal},
                       {"max_absolute", leaf.max_absolute},
                       {"max_relative", leaf.max_relative},
                       {"detail", leaf.detail}});
      }
    }
  }
  return all;
}

nlohmann::json attribution_json(const std::optional<store::AttributionRow>& row) {
  if (!row) return nullptr;
  return {{"words", row->words},   {"why", row->why},   {"workaround", row->workaround},
          {"caveat", row->caveat}, {"runs", row->runs}, {"ablations", oracle::parsed(row->ablations_json)}};
}

nlohmann::json extent_json(const std::optional<store::ExtentRow>& row) {
  if (!row) return nullptr;
  return {{"sentence", row->sentence}, {"runs", row->runs}, {"tried", oracle::parsed(row->tried_json)}};
}

nlohmann::json decisions_json(const std::vector<store::TriageRow>& rows) {
  return json_array(rows, [](const auto& row) -> nlohmann::json {
    return {{"status", row.status},   {"issue", row.issue}, {"note", row.note},
            {"checked", row.checked}, {"who", row.who},     {"at", utc(row.at)}};
  });
}

nlohmann::json occurrences_json(std::vector<store::OccurrenceRow> rows) {
  rows.resize(std::min(rows.size(), kMostOccurrences));
  return json_array(rows, [](const auto& row) {
    auto json = occurrence_json(row);
    json["program"] = row.program.id;
    json["at"] = utc(row.at);
    return json;
  });
}

/// Without the models' raw answers.
nlohmann::json fixes_json(const std::vector<store::FixTry>& tries) {
  return json_array(tries, [](const auto& row) {
    auto json = try_json(row);
    json.erase("reply");
    return json;
  });
}

}  // namespace

nlohmann::json findings_json(const store::Store& store, const store::FindingFilter& filter) {
  return {{"limit", filter.limit}, {"findings", json_array(store.findings.list(filter), listed_finding_json)}};
}

nlohmann::json finding_page_json(const store::Store& store, const store::FindingRow& finding) {
  auto json = with_script_json(store, finding);
  const auto draft = store.drafts.find(finding.id);
  const auto evidence = store.examinations.of(finding.program);
  json["draft_title"] = draft ? draft->title : "";
  json["hypothesis"] = "";
  json.update(suspicion_json(store::suspicion_of(store, finding)));
  json["rounds_shown"] = rounds_json(evidence);
  json["numbers"] = numbers_json(evidence);
  json["attribution"] = attribution_json(store.reductions.attribution(finding.program));
  json["extent_tried"] = extent_json(store.reductions.extent(finding.program));
  json["fixes"] = fixes_json(store.fixes.of(finding.id));
  json["decisions"] = decisions_json(store.triage.of(finding.id));
  json["programs"] = occurrences_json(store.groups.occurrences_of(finding.id));
  return json;
}

}  // namespace parityd::agent
