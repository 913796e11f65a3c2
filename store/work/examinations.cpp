// Evidence: what each examination of a program showed.
#include <nlohmann/json.hpp>
#include <set>

#include "oracle/json.h"
#include "store/base/connection.h"
#include "store/base/rows.h"

namespace parityd::store {
namespace {

using oracle::LeafMeasurement;
using oracle::Measurement;

std::string text_of(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

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
                   text_of(outcome));
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
                     text_of(leaf));
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

Id Store::environment(const EnvironmentRow& row) {
  Id id = 0;
  transaction([&] {
    {
      Rows rows = state_->query("look for an environment",
                                "SELECT id FROM environments WHERE torch = ?1 AND python = ?2 AND device = ?3 "
                                "AND device_name = ?4 AND sandbox = ?5 AND (text = ?6 OR text = '' OR ?6 = '') "
                                "ORDER BY text = ?6 DESC, id DESC LIMIT 1",
                                row.torch, row.python, row.device, row.device_name, row.sandbox, row.text);
      if (rows.next()) rows.read(id);
    }
    if (id == 0) {
      state_->run("add an environment",
                  "INSERT INTO environments (torch, python, device, device_name, sandbox, text) "
                  "VALUES (?, ?, ?, ?, ?, ?)",
                  row.torch, row.python, row.device, row.device_name, row.sandbox, row.text);
      id = state_->last_id();
    } else if (!row.text.empty()) {
      state_->run("complete an environment", "UPDATE environments SET text = ? WHERE id = ?", row.text, id);
    }
  });
  return id;
}

std::optional<EnvironmentRow> Store::seen_on(Id program) const {
  Rows rows = state_->query(
      "read where a program was screened",
      "SELECT environment FROM examinations WHERE program = ? AND environment IS NOT NULL ORDER BY id LIMIT 1",
      program);
  Id first = 0;
  if (!rows.next()) return std::nullopt;
  rows.read(first);
  return environment(first);
}

std::optional<EnvironmentRow> Store::environment(Id id) const {
  Rows rows = state_->query("read an environment",
                            "SELECT id, torch, python, device, device_name, sandbox, text FROM environments "
                            "WHERE id = ?",
                            id);
  if (!rows.next()) return std::nullopt;
  EnvironmentRow row;
  rows.read(row.id, row.torch, row.python, row.device, row.device_name, row.sandbox, row.text);
  return row;
}

void Store::add_evidence(const EvidenceRow& row) {
  transaction([&] {
    const auto environment = row.environment != 0 ? std::optional(row.environment) : std::nullopt;
    state_->run("save an examination",
                "INSERT INTO examinations (program, purpose, round, environment, compiled, same, same_detail, "
                "warnings, inputs, neutralisers, worker_seconds, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                row.program, row.purpose, row.round, environment, oracle::name(row.evidence.compiled),
                row.evidence.same, row.evidence.same_detail, names_to_json(row.evidence.warnings),
                text_of(row.evidence.inputs), row.neutralisers, row.worker_seconds, row.at);
    const Id examination = state_->last_id();
    add_runs(*state_, examination, row.evidence);
    add_measurements(*state_, examination, row.evidence);
    const StoredVerdict verdict(row.verdict);
    state_->run("save a verdict",
                "INSERT INTO verdicts (examination, verdict, kind, rule, explanation, leaves) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                examination, verdict.verdict, verdict.kind, verdict.rule, verdict.explanation, verdict.leaves);
  });
}

std::vector<EvidenceRow> Store::evidence_of(Id program) const {
  std::vector<EvidenceRow> found;
  Rows rows = state_->query(
      "read examinations",
      "SELECT e.id, e.program, e.purpose, e.round, coalesce(e.environment, 0), e.compiled, "
      "e.same, e.same_detail, e.warnings, e.inputs, e.neutralisers, e.worker_seconds, e.at, "
      "v.verdict, v.kind, v.rule, v.explanation, v.leaves FROM examinations e JOIN verdicts v ON v.examination = e.id "
      "WHERE e.program = ? ORDER BY e.id",
      program);
  while (rows.next()) {
    EvidenceRow row;
    Id examination = 0;
    std::string compiled, warnings, inputs;
    StoredVerdict verdict;
    rows.read(examination, row.program, row.purpose, row.round, row.environment, compiled, row.evidence.same,
              row.evidence.same_detail, warnings, inputs, row.neutralisers, row.worker_seconds, row.at, verdict.verdict,
              verdict.kind, verdict.rule, verdict.explanation, verdict.leaves);
    row.evidence.compiled = oracle::mode_from_name(compiled).value_or(oracle::Mode::inductor);
    row.evidence.warnings = names_from_json(warnings);
    row.evidence.inputs = nlohmann::json::parse(inputs).get<oracle::InputFacts>();
    row.verdict = verdict.value();
    read_runs(*state_, examination, row.evidence);
    read_measurements(*state_, examination, row.evidence);
    found.push_back(std::move(row));
  }
  return found;
}

void Store::for_each_examined(const std::function<void(Id)>& use) const {
  Rows rows = state_->query("list examined programs", "SELECT DISTINCT program FROM examinations ORDER BY program");
  while (rows.next()) {
    Id program = 0;
    rows.read(program);
    use(program);
  }
}

void Store::add_oddity(Id program, const std::string& what, const std::string& text, Millis at) {
  state_->run("save an oddity", "INSERT INTO oddities (program, what, text, at) VALUES (?, ?, ?, ?)", program, what,
              text, at);
}

void Store::add_harness_failure(std::optional<Id> program, const std::string& text, Millis at) {
  state_->run("save a failure", "INSERT INTO harness_failures (program, text, at) VALUES (?, ?, ?)", program, text, at);
}

}  // namespace parityd::store
