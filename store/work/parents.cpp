// Programs that others are made of: parents of mutants, programs that a new torch runs again.
#include <fmt/format.h>
#include "store/work/programs.h"

#include "oracle/rules/neutraliser.h"
#include "store/base/connection.h"
#include "store/base/rows.h"
#include "store/work/program_columns.h"

namespace parityd::store {

std::vector<ProgramRow> Programs::consistent(const std::string& torch, const std::string& device, int limit,
                                             std::uint64_t seed) const {
  // A spread that a seed repeats: multiplying by an odd number permutes the ids' low bits.
  Rows rows = connection_.query(
      "draw consistent programs",
      "WITH drawn (id, place) AS (SELECT DISTINCT c.id, ((c.id + ?4) * 2654435761) & 4294967295 FROM environments e "
      "CROSS JOIN examinations x ON x.environment = e.id AND x.neutralisers = '' "
      "CROSS JOIN programs c INDEXED BY programs_consistent ON c.id = x.program "
      "WHERE e.torch = ?1 AND e.device = ?2 AND c.state = 'finished' AND c.verdict = 'consistent' "
      "ORDER BY 2 LIMIT ?3) "
      "SELECT " PARITYD_PROGRAM_COLUMNS " FROM drawn CROSS JOIN programs p ON p.id = drawn.id ORDER BY drawn.place",
      torch, device, limit, static_cast<std::int64_t>(seed % 1'000'003));
  std::vector<ProgramRow> found;
  while (rows.next()) found.push_back(program_from(rows));
  return found;
}

std::optional<ProgramRow> Programs::recent_parent(Origin origin, bool reached_new, int newer) const {
  Rows rows =
      connection_.query("look for a parent",
                        "SELECT " PARITYD_PROGRAM_COLUMNS
                        " FROM programs p WHERE p.origin = ?1 AND (p.new_features > 0) = ?2 AND p.state = 'finished' "
                        "AND p.verdict = 'consistent' AND coalesce(p.rule, '') <> ?4 "
                        "ORDER BY p.id DESC LIMIT 1 OFFSET ?3",
                        origin, reached_new ? 1 : 0, newer, std::string(oracle::kSteppedOver));
  return rows.next() ? std::optional(program_from(rows)) : std::nullopt;
}

std::optional<ProgramRow> Programs::shown(std::int64_t draw) const {
  Rows rows =
      connection_.query("look for a program that showed a hypothesis",
                        "WITH shown AS MATERIALIZED (SELECT h.program AS id FROM hypotheses h WHERE EXISTS (SELECT "
                        "1 FROM occurrences o JOIN findings f ON f.id = o.finding WHERE o.program = h.program AND "
                        "f.disposition = 'ready') ORDER BY h.id DESC LIMIT 64) "
                        "SELECT " PARITYD_PROGRAM_COLUMNS
                        " FROM programs p WHERE p.id = (SELECT id FROM shown LIMIT 1 OFFSET ?1 % max(1, (SELECT "
                        "count(*) FROM shown)))",
                        draw);
  return rows.next() ? std::optional(program_from(rows)) : std::nullopt;
}

std::optional<std::string> Programs::torch_before(const std::string& torch, const std::string& device) const {
  Rows rows = connection_.query("look for the torch before",
                                "SELECT torch FROM (SELECT e.torch, (SELECT max(x.id) FROM examinations x "
                                "WHERE x.environment = e.id) AS last FROM environments e WHERE e.device = ?2) "
                                "WHERE last IS NOT NULL ORDER BY torch = ?1 DESC, last DESC LIMIT 1",
                                torch, device);
  std::string before;
  if (!rows.next()) return std::nullopt;
  rows.read(before);
  return before == torch ? std::nullopt : std::optional(before);
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
  Rows rows = connection_.query("read valid programs",
                                "SELECT text FROM programs WHERE valid = 1 AND verdict = 'consistent' AND origin <> "
                                "'rest' ORDER BY id DESC LIMIT ?",
                                limit);
  std::vector<std::string> texts;
  while (rows.next()) {
    std::string text;
    rows.read(text);
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace parityd::store
