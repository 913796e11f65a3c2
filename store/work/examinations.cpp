// Evidence: what each examination of a program showed.
#include <nlohmann/json.hpp>
#include <set>

#include "oracle/finding/json.h"
#include "oracle/json_read.h"
#include "store/base/connection.h"
#include "store/base/rows.h"
#include "store/work/examinations.h"

namespace parityd::store {
namespace {

using oracle::LeafMeasurement;
using oracle::Measurement;

bool differs(const LeafMeasurement& leaf) {
  return leaf.metadata_differs() || leaf.values_differ() || leaf.unequal > 0 || leaf.sign_differs > 0;
}

/// Paths worth keeping whole, in every pair: rules look at one leaf across pairs. Against the double reference every
/// rounded leaf differs, so only the double runs count there.
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
                   examination, oracle::name(mode), oracle::name(outcome.kind), oracle::name(outcome.step), error_class,
                   oracle::compact(nlohmann::json(outcome)));
  }
}

void add_measurements(Connection& connection, Id examination, const oracle::Evidence& evidence) {
  const auto kept = paths_to_keep(evidence);
  for (const Measurement& measurement : evidence.measurements) {
    const auto differing = std::count_if(measurement.leaves.begin(), measurement.leaves.end(), differs);
    connection.run("save a measurement",
                   "INSERT INTO measurements (examination, expected, actual, leaves, differing) VALUES (?, ?, ?, ?, ?)",
                   examination, oracle::name(measurement.expected), oracle::name(measurement.actual),
                   static_cast<std::int64_t>(measurement.leaves.size()), static_cast<std::int64_t>(differing));
    const Id id = connection.last_id();
    for (const LeafMeasurement& leaf : measurement.leaves) {
      if (!kept.contains(leaf.path)) continue;
      connection.run("save a measured leaf",
                     "INSERT INTO measured_leaves (measurement, path, dtype, max_absolute, max_relative, detail, "
                     "facts) VALUES (?, ?, ?, ?, ?, ?, ?)",
                     id, leaf.path, oracle::name(leaf.dtype), leaf.max_absolute, leaf.max_relative, leaf.detail,
                     oracle::compact(nlohmann::json(leaf)));
    }
  }
}

void read_runs(Connection& connection, Id examination, oracle::Evidence& evidence) {
  Rows rows = connection.query("read runs", "SELECT mode, facts FROM runs WHERE examination = ?", examination);
  while (rows.next()) {
    std::string mode, facts;
    rows.read(mode, facts);
    if (const auto known = oracle::mode_from_name(mode)) {
      evidence.outcomes[*known] = nlohmann::json::parse(facts).get<oracle::Outcome>();
    }
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
    std::string expected, actual;
    std::optional<std::string> facts;
    rows.read(id, expected, actual, facts);
    if (id != last) {
      last = id;
      evidence.measurements.push_back({.expected = oracle::mode_from_name(expected).value_or(oracle::Mode::eager),
                                       .actual = oracle::mode_from_name(actual).value_or(oracle::Mode::inductor),
                                       .leaves = {}});
    }
    if (facts) evidence.measurements.back().leaves.push_back(nlohmann::json::parse(*facts).get<LeafMeasurement>());
  }
}

}  // namespace

void Examinations::add(const EvidenceRow& row) {
  connection_.transaction([&] {
    const auto environment = row.environment != 0 ? std::optional(row.environment) : std::nullopt;
    connection_.run("save an examination",
                    "INSERT INTO examinations (program, purpose, round, environment, compiled, same, same_detail, "
                    "warnings, inputs, neutralisers, worker_seconds, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    row.program, row.purpose, row.round, environment, oracle::name(row.evidence.compiled),
                    row.evidence.same, row.evidence.same_detail, names_to_json(row.evidence.warnings),
                    oracle::compact(nlohmann::json(row.evidence.inputs)), row.neutralisers, row.worker_seconds, row.at);
    const Id examination = connection_.last_id();
    add_runs(connection_, examination, row.evidence);
    add_measurements(connection_, examination, row.evidence);
    const StoredVerdict verdict(row.verdict);
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
      "e.same, e.same_detail, e.warnings, e.inputs, e.neutralisers, e.worker_seconds, e.at, "
      "v.verdict, v.kind, v.rule, v.explanation, v.leaves FROM examinations e JOIN verdicts v ON v.examination = e.id "
      "WHERE e.program = ? AND e.id > ? ORDER BY e.id",
      program, after);
  while (rows.next()) {
    EvidenceRow row;
    std::string compiled, warnings, inputs;
    StoredVerdict verdict;
    rows.read(row.id, row.program, row.purpose, row.round, row.environment, compiled, row.evidence.same,
              row.evidence.same_detail, warnings, inputs, row.neutralisers, row.worker_seconds, row.at, verdict.verdict,
              verdict.kind, verdict.rule, verdict.explanation, verdict.leaves);
    row.evidence.compiled = oracle::mode_from_name(compiled).value_or(oracle::Mode::inductor);
    row.evidence.warnings = names_from_json(warnings);
    row.evidence.inputs = nlohmann::json::parse(inputs).get<oracle::InputFacts>();
    row.verdict = verdict.value();
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
  Rows rows = connection_.query("read what workers ran",
                                "SELECT x.id, x.program, x.purpose, coalesce(e.device, ''), coalesce(e.torch, ''), "
                                "coalesce(v.verdict, ''), x.round, x.worker_seconds, x.at FROM examinations x "
                                "LEFT JOIN environments e ON e.id = x.environment "
                                "LEFT JOIN verdicts v ON v.examination = x.id ORDER BY x.id DESC LIMIT ?",
                                limit);
  std::vector<ExaminationRow> found;
  while (rows.next()) {
    ExaminationRow& row = found.emplace_back();
    rows.read(row.id, row.program, row.purpose, row.device, row.torch, row.verdict, row.round, row.worker_seconds,
              row.at);
  }
  return found;
}

std::vector<HarnessFailureRow> Examinations::harness_failures(int limit) const {
  Rows rows = connection_.query("read failures of the harness",
                                "SELECT program, text, at FROM harness_failures ORDER BY id DESC LIMIT ?", limit);
  std::vector<HarnessFailureRow> found;
  while (rows.next()) {
    HarnessFailureRow& row = found.emplace_back();
    rows.read(row.program, row.text, row.at);
  }
  return found;
}

}  // namespace parityd::store
