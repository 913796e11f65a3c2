#include "store/work/examinations.h"

#include <nlohmann/json.hpp>
#include <set>

#include "oracle/finding/json.h"
#include "oracle/json_read.h"
#include "store/base/connection.h"

namespace parityd::store {
namespace {

using oracle::LeafMeasurement;
using oracle::Measurement;

bool differs(const LeafMeasurement& leaf) {
  return leaf.metadata_differs() || leaf.values_differ() || leaf.unequal > 0 || leaf.sign_differs > 0;
}

/// Paths to keep in full, in every pair: rules look at one leaf across pairs. Against the double reference every
/// rounded leaf differs, so of those pairs only the double runs' own counts.
std::set<std::string> paths_to_keep(const oracle::Evidence& evidence) {
  std::set<std::string> kept;
  for (const Measurement& measurement : evidence.measurements) {
    if (measurement.expected == oracle::Mode::reference && measurement.actual != oracle::Mode::inductor_fp64) continue;
    for (const LeafMeasurement& leaf : measurement.leaves) {
      if (differs(leaf)) kept.insert(leaf.path);
    }
  }
  return kept;
}

void add_runs(Connection& connection, Id examination, const oracle::Evidence& evidence) {
  for (const auto& [mode, outcome] : evidence.outcomes) {
    const auto error_class = outcome.error ? std::optional(outcome.error->inner_class) : std::nullopt;
    connection.run("save a run",
                   "INSERT INTO runs (examination, mode, outcome, step, error_class, facts) VALUES (?, ?, ?, ?, ?, ?)",
                   examination, mode, outcome.kind, outcome.step, error_class,
                   oracle::compact(nlohmann::json(outcome)));
  }
}

void add_measurements(Connection& connection, Id examination, const oracle::Evidence& evidence) {
  const auto kept = paths_to_keep(evidence);
  for (const Measurement& measurement : evidence.measurements) {
    const auto differing = std::count_if(measurement.leaves.begin(), measurement.leaves.end(), differs);
    connection.run("save a measurement",
                   "INSERT INTO measurements (examination, expected, actual, leaves, differing) VALUES (?, ?, ?, ?, ?)",
                   examination, measurement.expected, measurement.actual,
                   static_cast<std::int64_t>(measurement.leaves.size()), static_cast<std::int64_t>(differing));
    const Id id = connection.last_id();
    for (const LeafMeasurement& leaf : measurement.leaves) {
      if (!kept.contains(leaf.path)) continue;
      connection.run("save a measured leaf",
                     "INSERT INTO measured_leaves (measurement, path, dtype, max_absolute, max_relative, detail, "
                     "facts) VALUES (?, ?, ?, ?, ?, ?, ?)",
                     id, leaf.path, leaf.dtype, leaf.max_absolute, leaf.max_relative, leaf.detail,
                     oracle::compact(nlohmann::json(leaf)));
    }
  }
}

void read_runs(Connection& connection, Id examination, oracle::Evidence& evidence) {
  Rows rows = connection.query("read runs", "SELECT mode, facts FROM runs WHERE examination = ?", examination);
  while (rows.next()) {
    std::optional<oracle::Mode> mode;  // another version of parityd may have other modes
    std::string facts;
    rows.read(mode, facts);
    if (mode) evidence.outcomes[*mode] = nlohmann::json::parse(facts).get<oracle::Outcome>();
  }
}

void read_measurements(Connection& connection, Id examination, oracle::Evidence& evidence) {
  Rows rows = connection.query("read measurements",
                               "SELECT m.id, m.expected, m.actual, l.facts FROM measurements m "
                               "LEFT JOIN measured_leaves l ON l.measurement = m.id "
                               "WHERE m.examination = ? ORDER BY m.id, l.id",
                               examination);
  Id last = 0;
  while (rows.next()) {
    Id id = 0;
    Measurement measurement;
    std::optional<std::string> facts;
    rows.read(id, measurement.expected, measurement.actual, facts);
    if (id != last) evidence.measurements.push_back(std::move(measurement));
    last = id;
    if (facts) evidence.measurements.back().leaves.push_back(nlohmann::json::parse(*facts).get<LeafMeasurement>());
  }
}

}  // namespace

void Examinations::add(const EvidenceRow& row) {
  connection_.transaction([&] {
    const auto environment = row.environment != 0 ? std::optional(row.environment) : std::nullopt;
    connection_.run("save an examination",
                    "INSERT INTO examinations (program, purpose, round, environment, compiled, same, same_detail, "
                    "warnings, inputs, neutralisers, graphs, worker_seconds, at) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    row.program, row.purpose, row.round, environment, row.evidence.compiled, row.evidence.same,
                    row.evidence.same_detail, row.evidence.warnings,
                    oracle::compact(nlohmann::json(row.evidence.inputs)), row.neutralisers, row.evidence.graphs.kind(),
                    row.worker_seconds, row.at);
    const Id examination = connection_.last_id();
    add_runs(connection_, examination, row.evidence);
    add_measurements(connection_, examination, row.evidence);
    const oracle::Verdict& verdict = row.verdict;
    connection_.run("save a verdict",
                    "INSERT INTO verdicts (examination, verdict, kind, rule, explanation, leaves) "
                    "VALUES (?, ?, ?, ?, ?, ?)",
                    examination, verdict.verdict, verdict.kind, verdict.rule, verdict.explanation, verdict.leaves);
  });
}

std::vector<EvidenceRow> Examinations::of(Id program, Id after) const {
  std::vector<EvidenceRow> found;
  Rows rows = connection_.query(
      "read examinations",
      "SELECT e.id, e.program, e.purpose, e.round, coalesce(e.environment, 0), e.compiled, "
      "e.same, e.same_detail, e.warnings, e.inputs, e.neutralisers, e.graphs, e.worker_seconds, e.at, "
      "v.verdict, v.kind, v.rule, v.explanation, v.leaves FROM examinations e JOIN verdicts v ON v.examination = e.id "
      "WHERE e.program = ? AND e.id > ? ORDER BY e.id",
      program, after);
  while (rows.next()) {
    EvidenceRow row;
    std::string inputs;
    oracle::GraphForms::Kind graphs{};
    row.verdict.verdict = oracle::VerdictKind::invalid;
    rows.read(row.id, row.program, row.purpose, row.round, row.environment, row.evidence.compiled, row.evidence.same,
              row.evidence.same_detail, row.evidence.warnings, inputs, row.neutralisers, graphs, row.worker_seconds,
              row.at, row.verdict.verdict, row.verdict.kind, row.verdict.rule, row.verdict.explanation,
              row.verdict.leaves);
    row.evidence.inputs = nlohmann::json::parse(inputs).get<oracle::InputFacts>();
    row.evidence.graphs = oracle::GraphForms::of(graphs);
    read_runs(connection_, row.id, row.evidence);
    read_measurements(connection_, row.id, row.evidence);
    found.push_back(std::move(row));
  }
  return found;
}

void Examinations::for_each_program(const std::function<void(Id)>& use) const {
  Rows rows = connection_.query("list examined programs", "SELECT DISTINCT program FROM examinations ORDER BY program");
  while (rows.next()) {
    Id program = 0;
    rows.read(program);
    use(program);
  }
}

void Examinations::add_oddity(Id program, const std::string& what, const std::string& text, Millis at) {
  connection_.run("save an oddity", "INSERT INTO oddities (program, what, text, at) VALUES (?, ?, ?, ?)", program, what,
                  text, at);
}

void Examinations::add_harness_failure(std::optional<Id> program, const std::string& text, Millis at) {
  connection_.run("save a failure", "INSERT INTO harness_failures (program, text, at) VALUES (?, ?, ?)", program, text,
                  at);
}

std::vector<ExaminationRow> Examinations::recent(int limit) const {
  return connection_
      .query("read what workers ran",
             "SELECT x.id, x.program, x.purpose, coalesce(e.device, ''), coalesce(e.torch, ''), "
             "coalesce(v.verdict, ''), x.round, x.worker_seconds, x.at FROM examinations x "
             "LEFT JOIN environments e ON e.id = x.environment "
             "LEFT JOIN verdicts v ON v.examination = x.id ORDER BY x.id DESC LIMIT ?",
             limit)
      .all<ExaminationRow>(&ExaminationRow::id, &ExaminationRow::program, &ExaminationRow::purpose,
                           &ExaminationRow::device, &ExaminationRow::torch, &ExaminationRow::verdict,
                           &ExaminationRow::round, &ExaminationRow::worker_seconds, &ExaminationRow::at);
}

std::vector<GraphCount> Examinations::graphs_since(Millis since) const {
  return connection_
      .query("count what became of graphs",
             "SELECT x.graphs, count(*), sum(v.verdict = 'inconsistent'), sum(p.verdict = 'inconsistent') FROM "
             "examinations x JOIN verdicts v ON v.examination = x.id JOIN programs p ON p.id = x.program "
             "WHERE x.at >= ? AND x.graphs <> '' AND x.purpose = 'screen' AND p.origin NOT IN ('corpus', 'import', "
             "'residual', 'sentinel') AND (x.graphs = 'interpreted' OR NOT EXISTS (SELECT 1 FROM examinations o WHERE "
             "o.program = x.program AND o.id < x.id AND o.graphs = 'interpreted')) "
             "GROUP BY x.graphs ORDER BY x.graphs",
             since)
      .all<GraphCount>(&GraphCount::graphs, &GraphCount::screens, &GraphCount::suspects, &GraphCount::inconsistent);
}

std::vector<ModeCount> Examinations::modes_since(Millis since) const {
  return connection_
      .query(
          "count programs by mode",
          "WITH screened AS (SELECT x.compiled AS mode, e.device AS device, x.program AS program, count(*) AS screens, "
          "sum(x.worker_seconds) AS seconds FROM examinations x JOIN environments e ON e.id = x.environment "
          "WHERE x.at >= ? AND x.purpose = 'screen' GROUP BY 1, 2, 3) "
          "SELECT s.mode, s.device, count(*) AS programs, sum(coalesce(p.verdict, '') = 'excused'), sum(p.suspect), "
          "sum(coalesce(p.verdict, '') = 'inconsistent'), (SELECT count(DISTINCT coalesce(f.head, f.id)) FROM "
          "screened t JOIN occurrences o ON o.program = t.program JOIN findings f ON f.id = o.finding WHERE "
          "o.moved_to IS NULL AND t.mode = s.mode AND t.device = s.device), "
          "sum(s.seconds) / sum(s.screens) FROM screened s JOIN programs p ON p.id = s.program "
          "GROUP BY s.mode, s.device ORDER BY programs DESC, s.mode, s.device",
          since)
      .all<ModeCount>(&ModeCount::mode, &ModeCount::device, &ModeCount::programs, &ModeCount::excused,
                      &ModeCount::suspects, &ModeCount::inconsistent, &ModeCount::findings, &ModeCount::screen_seconds);
}

std::vector<HarnessFailureRow> Examinations::harness_failures(int limit) const {
  return connection_
      .query("read failures of the harness", "SELECT program, text, at FROM harness_failures ORDER BY id DESC LIMIT ?",
             limit)
      .all<HarnessFailureRow>(&HarnessFailureRow::program, &HarnessFailureRow::text, &HarnessFailureRow::at);
}

}  // namespace parityd::store
