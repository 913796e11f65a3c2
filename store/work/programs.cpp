#include <array>
#include <nlohmann/json.hpp>

#include "oracle/names.h"
#include "store/base/connection.h"
#include "store/base/rows.h"
#include "store/work/program_columns.h"
#include "store/work/programs.h"

namespace parityd::store {
ProgramRow program_from(Rows& rows) {
  ProgramRow row;
  row.state = ProgramState::finished;
  std::optional<std::string> verdict, kind, rule, explanation, leaves;
  rows.read(row.id, row.identity, row.text, row.origin, row.source, row.strategy, row.reply, row.parent, row.root,
            row.round, row.state, row.next_step, row.why, row.gate_hits, row.gate_rounds, row.options_json, verdict,
            kind, rule, explanation, leaves, row.error_key, row.created_at, row.finished_at);
  if (verdict) {
    StoredVerdict stored;
    stored.verdict = *verdict;
    stored.kind = kind;
    stored.rule = rule.value_or("");
    stored.explanation = explanation.value_or("");
    stored.leaves = leaves.value_or("[]");
    row.verdict = stored.value();
  }
  return row;
}

namespace {

std::vector<ProgramRow> programs_from(Rows rows) {
  std::vector<ProgramRow> found;
  while (rows.next()) found.push_back(program_from(rows));
  return found;
}

std::optional<StoredVerdict> stored(const std::optional<oracle::Verdict>& verdict) {
  return verdict ? std::optional(StoredVerdict(*verdict)) : std::nullopt;
}

template <typename Member>
std::optional<std::string> part(const std::optional<StoredVerdict>& verdict, Member member) {
  return verdict ? std::optional<std::string>((*verdict).*member) : std::nullopt;
}

Id next_program_id(Connection& connection) {
  Rows rows = connection.query("add a program", "SELECT coalesce(max(id), 0) + 1 FROM programs");
  Id id = 1;
  if (rows.next()) rows.read(id);
  return id;
}

}  // namespace

std::optional<Id> Programs::add(const ProgramRow& row) {
  std::optional<Id> added;
  connection_.transaction([&] {
    if (by_identity(row.identity)) return;
    const Id id = next_program_id(connection_);  // rows are never deleted, and only one process adds them
    const auto verdict = stored(row.verdict);
    connection_.run(
        "add a program",
        "INSERT INTO programs (id, identity, text, origin, source, strategy, reply, parent, root, round, state, "
        "next_step, why, gate_hits, gate_rounds, suspect, options, verdict, kind, rule, explanation, leaves, "
        "error_key, created_at, finished_at) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        id, row.identity, row.text, row.origin, row.source, row.strategy, row.reply, row.parent,
        row.root == 0 ? id : row.root, row.round, row.state, row.next_step, row.why, row.gate_hits, row.gate_rounds,
        row.state == ProgramState::gating || row.gate_rounds > 0, row.options_json,
        part(verdict, &StoredVerdict::verdict), verdict ? verdict->kind : std::nullopt,
        part(verdict, &StoredVerdict::rule), part(verdict, &StoredVerdict::explanation),
        part(verdict, &StoredVerdict::leaves), row.error_key, row.created_at, row.finished_at);
    added = id;
  });
  return added;
}

void Programs::update(const ProgramRow& row) {
  const auto verdict = stored(row.verdict);
  connection_.run(
      "save a program",
      "UPDATE programs SET state = ?, next_step = ?, why = ?, gate_hits = ?, gate_rounds = ?, "
      "suspect = max(suspect, ?), verdict = ?, kind = ?, rule = ?, explanation = ?, leaves = ?, error_key = ?, "
      "finished_at = ? WHERE id = ?",
      row.state, row.next_step, row.why, row.gate_hits, row.gate_rounds,
      row.state == ProgramState::gating || row.gate_rounds > 0, part(verdict, &StoredVerdict::verdict),
      verdict ? verdict->kind : std::nullopt, part(verdict, &StoredVerdict::rule),
      part(verdict, &StoredVerdict::explanation), part(verdict, &StoredVerdict::leaves), row.error_key, row.finished_at,
      row.id);
}

std::optional<ProgramRow> Programs::find(Id id) const {
  auto found = programs_from(
      connection_.query("read a program", "SELECT " PARITYD_PROGRAM_COLUMNS " FROM programs p WHERE p.id = ?", id));
  return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

std::optional<ProgramRow> Programs::last_of_chain(Id first) const {
  auto found = programs_from(connection_.query(
      "read a chain's last program",
      "SELECT " PARITYD_PROGRAM_COLUMNS " FROM programs p WHERE p.root = ? ORDER BY p.round DESC, p.id DESC LIMIT 1",
      first));
  return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

std::optional<Id> Programs::by_identity(const std::string& identity) const {
  Rows rows = connection_.query("look for a program", "SELECT id FROM programs WHERE identity = ?", identity);
  if (!rows.next()) return std::nullopt;
  Id id = 0;
  rows.read(id);
  return id;
}

std::vector<ProgramRow> Programs::in_state(ProgramState state, int limit) const {
  return programs_from(connection_.query(
      "read programs", "SELECT " PARITYD_PROGRAM_COLUMNS " FROM programs p WHERE p.state = ? ORDER BY p.id LIMIT ?",
      name(state), limit));
}

std::int64_t Programs::count_of_reply(Id reply) const {
  Rows rows = connection_.query("count a reply's programs", "SELECT count(*) FROM programs WHERE reply = ?", reply);
  std::int64_t count = 0;
  if (rows.next()) rows.read(count);
  return count;
}

Id Programs::last() const {
  Rows rows = connection_.query("look for the newest program", "SELECT coalesce(max(id), 0) FROM programs");
  Id id = 0;
  if (rows.next()) rows.read(id);
  return id;
}

}  // namespace parityd::store
