#include "store/work/programs.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "oracle/rules/neutraliser.h"
#include "store/base/connection.h"
#include "store/work/program_columns.h"

namespace parityd::store {

ProgramRow program_from(Rows& rows) {
  ProgramRow row;
  row.state = ProgramState::finished;
  std::optional<std::string> verdict;
  oracle::Verdict ended;
  rows.read(row.id, row.identity, row.text, row.origin, row.source, row.strategy, row.reply, row.parent, row.root,
            row.round, row.state, row.next_step, row.why, row.confirmation_hits, row.confirmation_rounds,
            row.options_json, verdict, ended.kind, ended.rule, ended.explanation, ended.leaves, row.error_key,
            row.created_at, row.finished_at);
  if (verdict) {
    ended.verdict = oracle::from_name<oracle::VerdictKind>(*verdict).value_or(oracle::VerdictKind::invalid);
    row.verdict = std::move(ended);
  }
  return row;
}

namespace {

/// A member of a verdict that may not exist yet.
template <typename Member>
std::optional<Member> part(const std::optional<oracle::Verdict>& verdict, Member oracle::Verdict::*member) {
  return verdict ? std::optional<Member>((*verdict).*member) : std::nullopt;
}

}  // namespace

std::optional<Id> Programs::add(const ProgramRow& row) {
  std::optional<Id> added;
  connection_.transaction([&] {
    if (by_identity(row.identity)) return;
    const Id id = last() + 1;  // rows are never deleted, and only one process adds them
    const auto& verdict = row.verdict;
    connection_.run(
        "add a program",
        "INSERT INTO programs (id, identity, text, origin, source, strategy, reply, parent, root, round, state, "
        "next_step, why, confirmation_hits, confirmation_rounds, suspect, options, verdict, kind, rule, explanation, "
        "leaves, "
        "error_key, created_at, finished_at) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        id, row.identity, row.text, row.origin, row.source, row.strategy, row.reply, row.parent,
        row.root == 0 ? id : row.root, row.round, row.state, row.next_step, row.why, row.confirmation_hits,
        row.confirmation_rounds, row.state == ProgramState::confirming || row.confirmation_rounds > 0, row.options_json,
        part(verdict, &oracle::Verdict::verdict), verdict ? verdict->kind : std::nullopt,
        part(verdict, &oracle::Verdict::rule), part(verdict, &oracle::Verdict::explanation),
        part(verdict, &oracle::Verdict::leaves), row.error_key, row.created_at, row.finished_at);
    added = id;
  });
  return added;
}

void Programs::update(const ProgramRow& row) {
  const auto& verdict = row.verdict;
  connection_.run(
      "save a program",
      "UPDATE programs SET state = ?, next_step = ?, why = ?, confirmation_hits = ?, confirmation_rounds = ?, "
      "suspect = max(suspect, ?), verdict = ?, kind = ?, rule = ?, explanation = ?, leaves = ?, error_key = ?, "
      "finished_at = ? WHERE id = ?",
      row.state, row.next_step, row.why, row.confirmation_hits, row.confirmation_rounds,
      row.state == ProgramState::confirming || row.confirmation_rounds > 0, part(verdict, &oracle::Verdict::verdict),
      verdict ? verdict->kind : std::nullopt, part(verdict, &oracle::Verdict::rule),
      part(verdict, &oracle::Verdict::explanation), part(verdict, &oracle::Verdict::leaves), row.error_key,
      row.finished_at, row.id);
}

std::optional<ProgramRow> Programs::find(Id id) const {
  return connection_.query("read a program", "SELECT " PARITYD_PROGRAM_COLUMNS " FROM programs p WHERE p.id = ?", id)
      .first(program_from);
}

std::optional<ProgramRow> Programs::last_of_chain(Id first) const {
  return connection_
      .query("read a chain's last program",
             "SELECT " PARITYD_PROGRAM_COLUMNS
             " FROM programs p WHERE p.root = ? ORDER BY p.round DESC, p.id DESC LIMIT 1",
             first)
      .first(program_from);
}

std::optional<Id> Programs::by_identity(const std::string& identity) const {
  return connection_.query("look for a program", "SELECT id FROM programs WHERE identity = ?", identity).one<Id>();
}

std::vector<ProgramRow> Programs::in_state(ProgramState state, int limit) const {
  return connection_
      .query("read programs",
             "SELECT " PARITYD_PROGRAM_COLUMNS " FROM programs p WHERE p.state = ? ORDER BY p.id LIMIT ?", state, limit)
      .each(program_from);
}

std::vector<Id> Programs::roots_begun() const {
  return connection_
      .query("read which programs were begun",
             "SELECT DISTINCT root FROM programs WHERE state IN ('repairing', 'confirming') OR (state = 'queued' AND "
             "(round "
             "> 0 OR id IN (SELECT program FROM trust WHERE again > 0)))")
      .all<Id>();
}

std::vector<ConfirmedRow> Programs::confirmed() const {
  // With min() SQLite takes the other columns from the row that has the minimum.
  return connection_
      .query("read confirmed programs",
             "SELECT p.id, v.kind, v.explanation, p.next_step, min(x.at) FROM programs p JOIN examinations x ON "
             "x.program = p.id AND x.purpose = 'confirmation' JOIN verdicts v ON v.examination = x.id AND v.verdict = "
             "'inconsistent' WHERE p.state = 'confirming' AND p.confirmation_hits > 0 GROUP BY p.id ORDER BY "
             "min(x.at), p.id")
      .each([](Rows& rows) {
        ConfirmedRow row;
        rows.read(row.program, row.kind, row.explanation, row.next_step, row.since);
        return row;
      });
}

std::int64_t Programs::count_of_reply(Id reply) const {
  return connection_.query("count a reply's programs", "SELECT count(*) FROM programs WHERE reply = ?", reply)
      .value<std::int64_t>();
}

Id Programs::last() const {
  return connection_.query("look for the newest program", "SELECT coalesce(max(id), 0) FROM programs").value<Id>();
}

std::vector<ProgramRow> Programs::consistent(const std::string& torch, const std::string& device, int limit,
                                             std::uint64_t seed) const {
  // Spread over all ids and repeatable by the seed: multiplying by an odd number permutes the ids' low bits.
  return connection_
      .query("draw consistent programs",
             "WITH drawn (id, place) AS (SELECT DISTINCT c.id, ((c.id + ?4) * 2654435761) & 4294967295 FROM "
             "environments e CROSS JOIN examinations x ON x.environment = e.id AND x.neutralisers = '' AND x.graphs <> "
             "'interpreted' CROSS JOIN "
             "programs c INDEXED BY programs_consistent ON c.id = x.program WHERE e.torch = ?1 AND e.device = ?2 AND "
             "c.state = 'finished' AND c.verdict = 'consistent' ORDER BY 2 LIMIT ?3) "
             "SELECT " PARITYD_PROGRAM_COLUMNS
             " FROM drawn CROSS JOIN programs p ON p.id = drawn.id ORDER BY drawn.place",
             torch, device, limit, static_cast<std::int64_t>(seed % 1'000'003))
      .each(program_from);
}

std::vector<ProgramRow> Programs::consistent_calling(const std::string& torch, const std::string& device,
                                                     const std::vector<std::string>& operators, int limit) const {
  return connection_
      .query(
          "read consistent programs that call operators",
          "WITH newest AS MATERIALIZED (SELECT x.id, x.program, x.compiled FROM examinations x JOIN environments e ON "
          "e.id = x.environment WHERE x.neutralisers = '' AND e.torch = ?1 AND e.device = ?2 ORDER BY x.id DESC LIMIT "
          "?5), "
          "calling AS MATERIALIZED (SELECT DISTINCT p.id FROM newest CROSS JOIN programs p ON p.id = newest.program "
          "AND p.state = 'finished' AND p.verdict = 'consistent' CROSS JOIN runs r ON r.examination = newest.id AND "
          "r.mode = newest.compiled WHERE EXISTS (SELECT 1 FROM json_each(r.facts, '$.operators') used JOIN "
          "json_each(?3) wanted ON used.value GLOB '*.' || wanted.value || '.*') LIMIT ?4) "
          "SELECT " PARITYD_PROGRAM_COLUMNS
          " FROM calling CROSS JOIN programs p ON p.id = calling.id ORDER BY p.id DESC",
          torch, device, operators, limit, kMostSearched)
      .each(program_from);
}

std::optional<ProgramRow> Programs::recent_parent(Origin origin, bool reached_new, int newer) const {
  return connection_
      .query("look for a parent",
             "SELECT " PARITYD_PROGRAM_COLUMNS
             " FROM programs p WHERE p.origin = ?1 AND (p.new_features > 0) = ?2 AND p.state = 'finished' "
             "AND p.verdict = 'consistent' AND coalesce(p.rule, '') <> ?4 "
             "ORDER BY p.id DESC LIMIT 1 OFFSET ?3",
             origin, reached_new ? 1 : 0, newer, std::string(oracle::kSteppedOver))
      .first(program_from);
}

std::optional<ProgramRow> Programs::shown(std::int64_t draw) const {
  return connection_
      .query("look for a program that showed a hypothesis",
             "WITH shown AS MATERIALIZED (SELECT h.program AS id FROM hypotheses h WHERE EXISTS (SELECT "
             "1 FROM occurrences o JOIN findings f ON f.id = o.finding WHERE o.program = h.program AND "
             "f.disposition = 'ready') ORDER BY h.id DESC LIMIT 64) "
             "SELECT " PARITYD_PROGRAM_COLUMNS
             " FROM programs p WHERE p.id = (SELECT id FROM shown LIMIT 1 OFFSET ?1 % max(1, (SELECT "
             "count(*) FROM shown)))",
             draw)
      .first(program_from);
}

std::optional<std::string> Programs::torch_before(const std::string& torch, const std::string& device) const {
  Rows rows = connection_.query("look for the torch before",
                                "SELECT torch FROM (SELECT e.torch, (SELECT max(x.id) FROM examinations x "
                                "WHERE x.environment = e.id) AS last FROM environments e WHERE e.device = ?2) "
                                "WHERE last IS NOT NULL ORDER BY torch = ?1 DESC, last DESC LIMIT 1",
                                torch, device);
  const auto before = rows.one<std::string>();
  return before == torch ? std::nullopt : before;
}

bool Programs::add_sentinel(const ProgramRow& original, const std::string& torch_before, const std::string& torch,
                            Millis now) {
  const std::string identity = original.identity.substr(0, original.identity.find('@'));
  const auto id = add({.identity = fmt::format("{}@{}", identity, torch),
                       .text = original.text,
                       .origin = Origin::sentinel,
                       .source = original.source,
                       .strategy = original.strategy,
                       .next_step = "screen",
                       .why = fmt::format("consistent on torch {}, not yet run on {}", torch_before, torch),
                       .options_json = original.options_json,
                       .created_at = now});
  if (!id) return false;
  connection_.run("mark a sentinel",
                  "INSERT INTO sentinels (program, original, torch_before, torch) VALUES (?, ?, ?, ?)", *id,
                  original.id, torch_before, torch);
  return true;
}

std::vector<std::string> Programs::recent_valid(int limit) const {
  return connection_
      .query("read valid programs",
             "SELECT text FROM programs WHERE valid = 1 AND verdict = 'consistent' AND origin <> "
             "'residual' ORDER BY id DESC LIMIT ?",
             limit)
      .all<std::string>();
}

}  // namespace parityd::store
