// What a model supposed, and what came of it.
#include "store/reading/hypotheses.h"
#include <nlohmann/json.hpp>

#include "store/base/connection.h"
#include "store/base/rows.h"
#include "store/reading/outcome.h"

namespace parityd::store {
namespace {

std::vector<HypothesisRow> hypotheses_from(Rows rows) {
  std::vector<HypothesisRow> found;
  while (rows.next()) {
    HypothesisRow& row = found.emplace_back();
    rows.read(row.id, row.reply, row.place, row.text, row.program, row.outcome, row.seen);
  }
  return found;
}

std::string hypotheses_where(const std::string& condition) {
  return std::string("SELECT h.id, h.reply, h.place, h.text, h.program, ") + kOutcome +
         ", h.seen FROM hypotheses h LEFT JOIN programs p ON p.id = h.program LEFT JOIN chains c ON c.root = p.root "
         "WHERE " +
         condition;
}

}  // namespace

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
  return ids_from(
      connection_.query("list findings that were supposed",
                        "SELECT f.id FROM findings f JOIN programs p ON p.id = f.program WHERE f.merged_into "
                        "IS NULL AND EXISTS (SELECT 1 FROM hypotheses h WHERE h.program = p.root) "
                        "ORDER BY f.id"));
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
