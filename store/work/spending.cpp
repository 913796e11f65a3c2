#include "store/work/spending.h"

#include "store/base/connection.h"

namespace parityd::store {
namespace {

// Each maps replies to the names they are counted under: `asked (reply, one, two)`.
constexpr const char* kByProvider =
    "WITH asked AS NOT MATERIALIZED (SELECT id AS reply, provider AS one, strategy AS two FROM replies "
    "WHERE reserved_at >= ?1) ";
/// Builtin's replies have no prompt, and the title of a draft, requested by an older parityd, is not a program.
constexpr const char* kByStrategy =
    "WITH asked AS MATERIALIZED (SELECT id AS reply, iif(strategy IN (SELECT y.strategy FROM readings g JOIN replies y "
    "ON y.id = g.reply), 'reading', 'prompt') AS one, iif(?1, '', strategy) AS two FROM replies "
    "WHERE origin = '' AND provider <> 'builtin' AND purpose <> 'draft') ";
/// A repair counts for the chapter read by the program that it repairs.
constexpr const char* kByFile =
    "WITH read AS MATERIALIZED (SELECT reply, substr(chapter, 1, instr(chapter || ': ', ': ') - 1) AS file "
    "FROM readings), "
    "asked AS MATERIALIZED (SELECT reply, 'reading' AS one, file AS two FROM read UNION ALL "
    "SELECT y.id, 'reading', g.file FROM replies y JOIN programs p ON p.id = y.program JOIN programs first "
    "ON first.id = p.root JOIN read g ON g.reply = first.reply WHERE y.program IS NOT NULL) ";

constexpr const char* kYields =
    "SELECT one, two, sum(replies), sum(failed), sum(tokens_in), sum(tokens_out), sum(charged), sum(programs), "
    "sum(valid), sum(inconsistent), sum(findings), sum(ready), sum(seconds) FROM ("
    "SELECT k.one, k.two, 1 AS replies, y.state IN ('failed', 'unknown') AS failed, y.prompt_tokens AS tokens_in, "
    "y.completion_tokens AS tokens_out, y.charged_nano_dollars AS charged, 0 AS programs, 0 AS valid, "
    "0 AS inconsistent, 0 AS findings, 0 AS ready, 0.0 AS seconds FROM asked k JOIN replies y ON y.id = k.reply "
    "UNION ALL SELECT k.one, k.two, 0, 0, 0, 0, 0, 1, c.valid, c.verdict = 'inconsistent', 0, 0, 0.0 "
    "FROM chains c JOIN programs p ON p.id = c.root JOIN asked k ON k.reply = p.reply "
    "UNION ALL SELECT k.one, k.two, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0.0 FROM findings f "
    "JOIN programs p ON p.id = f.program JOIN programs first ON first.id = p.root JOIN asked k ON k.reply = "
    "first.reply "
    "WHERE f.merged_into IS NULL "
    "UNION ALL SELECT one, two, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0.0 FROM (SELECT DISTINCT k.one, k.two, h.id "
    "FROM occurrences o JOIN findings f ON f.id = o.finding JOIN findings h ON h.id = coalesce(f.head, f.id) "
    "JOIN programs p ON p.id = o.program JOIN programs first ON first.id = p.root JOIN asked k ON k.reply = "
    "first.reply "
    "WHERE o.moved_to IS NULL AND h.disposition = 'ready') "
    "UNION ALL SELECT k.one, k.two, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, w.seconds FROM ("
    "SELECT program, worker_seconds AS seconds FROM examinations UNION ALL SELECT program, seconds FROM reductions "
    "UNION ALL SELECT program, seconds FROM attributions UNION ALL SELECT program, seconds FROM extents) w "
    "JOIN programs p ON p.id = w.program JOIN programs first ON first.id = p.root "
    "JOIN asked k ON k.reply = first.reply) "
    "GROUP BY one, two ORDER BY 7 DESC, 3 DESC, 1, 2";

/// `one` and `two`: the members that hold the names it is counted under.
template <typename Row>
std::vector<Row> yields_from(Rows rows, std::string Row::*one, std::string Row::*two) {
  std::vector<Row> all;
  while (rows.next()) {
    Row& row = all.emplace_back();
    rows.read(row.*one, row.*two, row.replies, row.failed, row.prompt_tokens, row.completion_tokens, row.nano_dollars,
              row.programs, row.valid, row.inconsistent, row.findings, row.ready, row.worker_seconds);
  }
  return all;
}

}  // namespace

std::vector<SpendingRow> Spending::since(Millis since) const {
  static const std::string sql = std::string(kByProvider) + kYields;
  return yields_from(connection_.query("add up costs", sql.c_str(), since), &SpendingRow::provider,
                     &SpendingRow::strategy);
}

std::vector<YieldRow> Spending::yields(YieldBy by) const {
  static const std::string strategies = std::string(kByStrategy) + kYields;
  static const std::string files = std::string(kByFile) + kYields;
  return yields_from(by == YieldBy::file
                         ? connection_.query("add up costs by file", files.c_str())
                         : connection_.query("add up costs by strategy", strategies.c_str(), by == YieldBy::kind),
                     &YieldRow::kind, &YieldRow::name);
}

std::vector<DaySpending> Spending::by_day(Millis since) const {
  constexpr Millis kMinutesOfDay = 1440;
  return connection_
      .query("add up costs by day",
             "SELECT minute / ?1 * ?2, sum(charged_nano_dollars) FROM spending WHERE minute >= ?3 "
             "GROUP BY 1 HAVING sum(charged_nano_dollars) > 0 ORDER BY 1",
             kMinutesOfDay, kDay, since / kDay * kMinutesOfDay)
      .all<DaySpending>(&DaySpending::day, &DaySpending::nano_dollars);
}

void Arms::set(const ArmRow& arm, Millis at) {
  connection_.run(
      "keep what an arm earned",
      "INSERT INTO arms (name, reward, cost, pulls, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE "
      "SET reward = excluded.reward, cost = excluded.cost, pulls = excluded.pulls, at = excluded.at",
      arm.name, arm.reward, arm.cost, arm.pulls, at);
}

std::vector<ArmRow> Arms::all() const {
  return connection_.query("read what arms earned", "SELECT name, reward, cost, pulls FROM arms ORDER BY name")
      .all<ArmRow>(&ArmRow::name, &ArmRow::reward, &ArmRow::cost, &ArmRow::pulls);
}

}  // namespace parityd::store
