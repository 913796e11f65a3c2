#include "store/reading/readings.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "store/base/connection.h"

namespace parityd::store {
namespace {

/// The outcome of a hypothesis's program h.program, in words.
constexpr const char* kOutcome =
    "CASE WHEN h.program IS NULL THEN 'no program' WHEN EXISTS (SELECT 1 FROM occurrences o JOIN findings f ON f.id = "
    "o.finding JOIN programs r ON r.id = o.program WHERE r.root = p.root AND f.disposition NOT LIKE 'known%' AND "
    "f.disposition NOT LIKE 'umbrella%') THEN 'shown: compiled differs' WHEN c.verdict = 'consistent' THEN 'compiled "
    "agrees with eager' WHEN c.verdict = 'invalid' THEN 'the program does not run in eager mode' WHEN c.verdict = "
    "'inconsistent' THEN 'differs, and is known' WHEN c.verdict = '' THEN 'still running' ELSE c.verdict END";

std::vector<HypothesisRow> hypotheses_from(Rows rows) {
  return rows.all<HypothesisRow>(&HypothesisRow::id, &HypothesisRow::reply, &HypothesisRow::place, &HypothesisRow::text,
                                 &HypothesisRow::program, &HypothesisRow::outcome, &HypothesisRow::seen);
}

std::string hypotheses_where(const std::string& condition) {
  return std::string("SELECT h.id, h.reply, h.place, h.text, h.program, ") + kOutcome +
         ", h.seen FROM hypotheses h LEFT JOIN programs p ON p.id = h.program LEFT JOIN chains c ON c.root = p.root "
         "WHERE " +
         condition;
}

}  // namespace

Id Readings::add(const ReadingRow& row) {
  Id id = 0;
  connection_.transaction([&] {
    connection_.run(
        "note a reading",
        "INSERT INTO readings (reply, kind, chapter, torch, torch_before, follows, round, at) VALUES (?, ?, ?, "
        "?, ?, ?, ?, ?)",
        row.reply, row.kind, row.chapter, row.torch, row.torch_before, row.follows, row.round, row.at);
    id = connection_.last_id();
    for (const ReadUnit& unit : row.units) {
      connection_.run("note what was read", "INSERT INTO reading_units (reading, file, name, code) VALUES (?, ?, ?, ?)",
                      id, unit.file, unit.name, unit.code);
    }
  });
  return id;
}

std::optional<ReadingRow> Readings::of(Id reply) const {
  Rows rows = connection_.query(
      "look for a reading",
      "SELECT id, reply, kind, chapter, torch, torch_before, follows, round, at FROM readings WHERE reply = ?", reply);
  if (!rows.next()) return std::nullopt;
  ReadingRow row;
  rows.read(row.id, row.reply, row.kind, row.chapter, row.torch, row.torch_before, row.follows, row.round, row.at);
  row.units = connection_
                  .query("list what was read",
                         "SELECT file, name, code FROM reading_units WHERE reading = ? ORDER BY file, name", row.id)
                  .all<ReadUnit>(&ReadUnit::file, &ReadUnit::name, &ReadUnit::code);
  return row;
}

/// A round is complete when the programs of all its hypotheses have ended, repairs included, and at least one of them
/// ran. After the first round a conversation goes on only if something was shown. A request that failed, or whose end
/// is unknown, is repeated.
std::optional<ReadingRow> Readings::to_follow(const std::string& torch, const ConversationLimits& limits) const {
  static const std::string sql =
      std::string(
          "WITH RECURSIVE recent AS (SELECT * FROM readings WHERE torch = ?1 ORDER BY id DESC LIMIT 500), "
          "ripe AS (SELECT g.reply, g.round, sum(") +
      kOutcome +
      " LIKE 'shown%') AS shown, sum(c.valid = 1) AS valid "
      "FROM recent g JOIN replies y ON y.id = g.reply AND y.state = 'answered' AND y.processed = 1 "
      "JOIN hypotheses h ON h.reply = g.reply JOIN programs p ON p.id = h.program JOIN chains c ON c.root = p.root "
      "WHERE g.round < ?2 AND (SELECT coalesce(sum(iif(a.state IN ('failed', 'unknown'), 1, 2)), 0) FROM readings n "
      "JOIN replies a ON a.id = n.reply WHERE n.follows = g.reply) < 2 "
      "AND NOT EXISTS (SELECT 1 FROM hypotheses o JOIN programs op ON op.id = o.program JOIN programs q ON q.root = "
      "op.root WHERE o.reply = g.reply AND q.state <> 'finished') GROUP BY g.reply), "
      "said AS (SELECT reply AS last, reply FROM ripe UNION ALL SELECT s.last, g.follows FROM said s JOIN readings g "
      "ON g.reply = s.reply WHERE g.follows IS NOT NULL) "
      "SELECT r.reply FROM ripe r WHERE (r.shown > 0 OR (r.round = 0 AND r.valid > 0)) AND (SELECT "
      "sum(y.cost_nano_dollars) FROM said s JOIN replies y ON y.id = s.reply WHERE s.last = r.reply) < ?3 "
      "ORDER BY r.shown DESC, r.reply DESC LIMIT 1";
  const auto reply =
      connection_.query("look for outcomes to tell", sql.c_str(), torch, limits.rounds, limits.nano_dollars).one<Id>();
  return reply ? of(*reply) : std::nullopt;
}

std::vector<ReadingRow> Readings::rounds_of(Id reply) const {
  Rows rows = connection_.query(
      "list the rounds of a conversation",
      "WITH RECURSIVE before (reply, follows) AS (SELECT reply, follows FROM readings WHERE reply = ?1 UNION ALL "
      "SELECT g.reply, g.follows FROM before b JOIN readings g ON g.reply = b.follows), "
      "rounds (reply) AS (SELECT reply FROM before WHERE follows IS NULL UNION ALL "
      "SELECT g.reply FROM rounds r JOIN readings g ON g.follows = r.reply) SELECT reply FROM rounds",
      reply);
  std::vector<ReadingRow> rounds;
  for (const Id each : rows.all<Id>()) rounds.push_back(of(each).value());
  return rounds;
}

std::vector<ReplyRow> Readings::conversation(Id reply) const {
  std::vector<ReplyRow> said;
  for (std::optional<Id> each = reply; each;) {
    said.push_back(replies_.find(*each).value());
    const auto reading = of(*each);
    each = reading ? reading->follows : std::nullopt;
  }
  std::reverse(said.begin(), said.end());
  return said;
}

std::vector<UnitReadingsRow> Readings::unit_readings() const {
  Rows rows = connection_.query(
      "add up readings by unit",
      "WITH g AS MATERIALIZED (SELECT v.id, v.round, v.programs, v.inconsistent, v.ready, r.at FROM v_readings v JOIN "
      "readings r ON r.id = v.id) SELECT u.file, u.name, u.code, sum(g.round = 0), sum(g.programs), "
      "sum(g.inconsistent), sum(g.ready), "
      "max(g.at) FROM reading_units u JOIN g ON g.id = u.reading GROUP BY u.file, u.name, u.code");
  std::vector<UnitReadingsRow> found;
  while (rows.next()) {
    UnitReadingsRow& row = found.emplace_back();
    rows.read(row.unit.file, row.unit.name, row.unit.code, row.readings, row.programs, row.inconsistent, row.ready,
              row.last_at);
  }
  return found;
}

std::vector<UnitReadRow> Readings::units_read(Id torch, std::optional<Id> before, const std::string& file) const {
  return connection_
      .query(
          "list how units were read",
          "WITH g AS MATERIALIZED (SELECT id, round, inconsistent, ready FROM v_readings), r AS MATERIALIZED (SELECT "
          "u.file, u.name, u.code, sum(g.round = 0) AS readings, sum(g.inconsistent) AS inconsistent, sum(g.ready) AS "
          "ready FROM reading_units u JOIN g ON g.id = u.reading GROUP BY u.file, u.name, u.code) SELECT u.file, "
          "u.name, u.area, u.first_line, ?2 IS NOT NULL AND b.code IS NOT u.code, coalesce(sum(r.readings), 0), "
          "coalesce(sum(r.readings) FILTER (WHERE r.code = u.code), 0), coalesce(sum(r.inconsistent), 0), "
          "coalesce(sum(r.ready), 0) FROM source_units u LEFT JOIN source_units b ON b.torch = ?2 AND b.file = u.file "
          "AND b.name = u.name LEFT JOIN r ON r.file = u.file AND r.name = u.name WHERE u.torch = ?1 AND (?3 = '' OR "
          "u.file = ?3) GROUP BY u.file, u.name ORDER BY u.file, u.first_line",
          torch, before, file)
      .all<UnitReadRow>(&UnitReadRow::file, &UnitReadRow::name, &UnitReadRow::area, &UnitReadRow::first_line,
                        &UnitReadRow::changed, &UnitReadRow::readings, &UnitReadRow::as_is, &UnitReadRow::inconsistent,
                        &UnitReadRow::ready);
}

std::vector<AreaReadRow> Readings::areas_read(Id torch) const {
  std::map<std::string, AreaReadRow> areas;
  for (const UnitReadRow& unit : units_read(torch, std::nullopt, "")) {
    AreaReadRow& row = areas[unit.area];
    row.area = unit.area;
    row.units += 1;
    row.read += unit.readings > 0 ? 1 : 0;
    row.read_as_is += unit.as_is > 0 ? 1 : 0;
    row.readings += unit.readings;
    row.fruitful += unit.ready > 0 ? 1 : 0;
  }
  std::vector<AreaReadRow> rows;
  rows.reserve(areas.size());
  for (auto& [area, row] : areas) rows.push_back(std::move(row));
  return rows;
}

void Hypotheses::put(Id reply, int place, const std::string& text, std::optional<Id> program) {
  connection_.run(
      "note a hypothesis",
      "INSERT INTO hypotheses (reply, place, text, program) VALUES (?, ?, ?, ?) ON CONFLICT (reply, place) DO "
      "UPDATE SET program = coalesce(excluded.program, program)",
      reply, place, text, program);
}

void Hypotheses::set_seen(Id hypothesis, const std::string& seen) {
  connection_.run("note what a look told", "UPDATE hypotheses SET seen = ? WHERE id = ?", seen, hypothesis);
}

std::optional<HypothesisRow> Hypotheses::of_program(Id program) const {
  static const std::string sql =
      hypotheses_where("h.program = (SELECT root FROM programs WHERE id = ?) ORDER BY h.id LIMIT 1");
  auto found = hypotheses_from(connection_.query("look for a hypothesis", sql.c_str(), program));
  return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

std::vector<HypothesisRow> Hypotheses::of_reply(Id reply) const {
  static const std::string sql = hypotheses_where("h.reply = ? ORDER BY h.place");
  return hypotheses_from(connection_.query("list a reply's hypotheses", sql.c_str(), reply));
}

std::vector<Id> Hypotheses::findings() const {
  return connection_
      .query("list findings that were supposed",
             "SELECT f.id FROM findings f JOIN programs p ON p.id = f.program WHERE f.merged_into "
             "IS NULL AND EXISTS (SELECT 1 FROM hypotheses h WHERE h.program = p.root) "
             "ORDER BY f.id")
      .all<Id>();
}

std::vector<HypothesisRow> Hypotheses::about(const std::vector<ReadUnit>& units, int limit) const {
  nlohmann::json places = nlohmann::json::array();
  for (const ReadUnit& unit : units) places.push_back({{"file", unit.file}, {"name", unit.name}});
  static const std::string sql = hypotheses_where(
      "h.reply IN (SELECT g.reply FROM json_each(?) e JOIN reading_units u ON u.file = e.value ->> 'file' AND u.name = "
      "e.value ->> 'name' JOIN readings g ON g.id = u.reading) ORDER BY h.id DESC LIMIT ?");
  return hypotheses_from(connection_.query("list what was supposed here", sql.c_str(), places.dump(), limit));
}

}  // namespace parityd::store
