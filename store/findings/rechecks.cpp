// What findings do on other torches and devices, the statuses that follow, and the programs that a new torch runs
// again.
#include <fmt/format.h>

#include <array>

#include "oracle/names.h"
#include "store/base/connection.h"
#include "store/base/rows.h"

namespace parityd::store {
namespace {

constexpr std::array<std::string_view, 4> kResults{"still", "gone", "different", "cannot"};

/// Between the two that make a finding `fixed`, where nobody asks for the second.
constexpr Millis kBetweenConfirmations = Millis{60} * 60 * 1000;

/// Findings whose fate on other torches anybody wants to know: confirmed ones that stand for themselves.
#define PARITYD_WORTH_RECHECKING \
  "f.merged_into IS NULL AND f.hits = f.rounds AND f.status IN ('new', 'filed', 'known', 'fixed', 'regressed') "

/// What two in a row on the newest torch say, the later one first.
std::string status_after(const std::string& status, const std::vector<std::string>& last) {
  const bool closed = status == "wontfix" || status == "false_positive";
  if (last.empty() || closed) return status;
  if (last[0] == "still" && status == "fixed") return "regressed";
  if (last.size() > 1 && last[0] == "gone" && last[1] == "gone") return "fixed";
  return status;
}

}  // namespace

std::string_view name(RecheckResult result) { return oracle::name_in(kResults, result); }
std::optional<RecheckResult> recheck_result_from_name(std::string_view name) {
  return oracle::value_in<RecheckResult>(kResults, name);
}

void Store::add_recheck(const RecheckRow& row) {
  transaction([&] {
    state_->run(
        "save a recheck",
        "INSERT INTO rechecks (finding, torch, python, device, device_name, elsewhere, newest, result, hits, rounds, "
        "reason, who, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        row.finding, row.torch, row.python, row.device, row.device_name, row.elsewhere, row.newest, name(row.result),
        row.hits, row.rounds, row.reason, row.who, row.at);
    const auto found = finding(row.finding);
    if (!row.newest || row.result == RecheckResult::cannot || !found) return;
    std::vector<std::string> last;
    {
      Rows rows = state_->query("read rechecks",
                                "SELECT result FROM rechecks WHERE finding = ? AND newest = 1 AND result <> 'cannot' "
                                "ORDER BY id DESC LIMIT 2",
                                row.finding);
      while (rows.next()) rows.read(last.emplace_back());
    }
    const std::string status = status_after(found->status, last);
    state_->run("change a finding's status", "UPDATE findings SET status = ? WHERE id = ?", status, row.finding);
  });
}

std::vector<RecheckRow> Store::rechecks_of(Id finding) const {
  Rows rows = state_->query(
      "read rechecks",
      "SELECT id, finding, torch, python, device, device_name, elsewhere, newest, result, hits, rounds, reason, "
      "who, at FROM rechecks WHERE finding = ? ORDER BY id",
      finding);
  std::vector<RecheckRow> found;
  while (rows.next()) {
    RecheckRow row;
    std::string result;
    rows.read(row.id, row.finding, row.torch, row.python, row.device, row.device_name, row.elsewhere, row.newest,
              result, row.hits, row.rounds, row.reason, row.who, row.at);
    row.result = recheck_result_from_name(result).value_or(RecheckResult::cannot);
    found.push_back(std::move(row));
  }
  return found;
}

std::vector<Id> Store::findings_untried_on(const std::string& torch, const std::string& device) const {
  return ids_from(state_->query(
      "look for findings to recheck",
      "SELECT f.id FROM findings f WHERE " PARITYD_WORTH_RECHECKING
      "AND f.device = ?2 AND NOT EXISTS (SELECT 1 FROM rechecks r WHERE r.finding = f.id AND r.result <> 'cannot' "
      "AND r.elsewhere = 0 AND iif(?1 = '', r.newest = 1, r.torch = ?1)) ORDER BY f.disposition <> 'held(untried)', "
      "f.disposition <> "
      "'ready', f.id",
      torch, device));
}

std::vector<Id> Store::findings_found_elsewhere(const std::string& torch, const std::string& device) const {
  return ids_from(state_->query(
      "look for findings of other torches",
      "SELECT f.id FROM findings f WHERE " PARITYD_WORTH_RECHECKING
      "AND f.device = ?2 AND f.torch <> ?1 AND NOT EXISTS (SELECT 1 FROM rechecks r WHERE r.finding = f.id "
      "AND r.result <> 'cannot' AND r.elsewhere = 0 AND r.torch = ?1) ORDER BY f.severity, f.id",
      torch, device));
}

std::vector<Id> Store::findings_gone_once(const std::string& torch, const std::string& device, Millis now) const {
  return ids_from(state_->query(
      "look for findings to confirm as fixed",
      "SELECT f.id FROM findings f JOIN rechecks r ON r.id = (SELECT max(l.id) FROM rechecks l WHERE l.finding = f.id "
      "AND l.newest = 1 AND l.result <> 'cannot') WHERE " PARITYD_WORTH_RECHECKING
      "AND f.status <> 'fixed' AND f.device = ?2 AND r.result = 'gone' AND r.torch = ?1 AND r.at <= ?3 ORDER BY f.id",
      torch, device, now - kBetweenConfirmations));
}

std::vector<std::string> Store::torches() const {
  Rows rows = state_->query("list torches", "SELECT DISTINCT torch FROM environments UNION SELECT torch FROM rechecks");
  std::vector<std::string> found;
  while (rows.next()) rows.read(found.emplace_back());
  return found;
}

std::vector<ProgramRow> Store::consistent_programs(const std::string& torch, const std::string& device, int limit,
                                                   std::uint64_t seed) const {
  // A spread that a seed repeats: multiplying by an odd number permutes the ids' low bits.
  Rows rows = state_->query(
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

std::optional<ProgramRow> Store::recent_parent(const std::string& origin, bool reached_new, int newer) const {
  Rows rows =
      state_->query("look for a parent",
                    "SELECT " PARITYD_PROGRAM_COLUMNS
                    " FROM programs p WHERE p.origin = ?1 AND (p.new_features > 0) = ?2 AND p.state = 'finished' "
                    "AND p.verdict = 'consistent' AND coalesce(p.rule, '') <> ?4 "
                    "ORDER BY p.id DESC LIMIT 1 OFFSET ?3",
                    origin, reached_new ? 1 : 0, newer, std::string(oracle::kSteppedOver));
  return rows.next() ? std::optional(program_from(rows)) : std::nullopt;
}

std::optional<ProgramRow> Store::shown_program(std::int64_t draw) const {
  Rows rows = state_->query("look for a program that showed a hypothesis",
                            "WITH shown AS MATERIALIZED (SELECT h.program AS id FROM hypotheses h WHERE EXISTS (SELECT "
                            "1 FROM occurrences o JOIN findings f ON f.id = o.finding WHERE o.program = h.program AND "
                            "f.disposition = 'ready') ORDER BY h.id DESC LIMIT 64) "
                            "SELECT " PARITYD_PROGRAM_COLUMNS
                            " FROM programs p WHERE p.id = (SELECT id FROM shown LIMIT 1 OFFSET ?1 % max(1, (SELECT "
                            "count(*) FROM shown)))",
                            draw);
  return rows.next() ? std::optional(program_from(rows)) : std::nullopt;
}

std::optional<std::string> Store::torch_before(const std::string& torch, const std::string& device) const {
  Rows rows = state_->query("look for the torch before",
                            "SELECT torch FROM (SELECT e.torch, (SELECT max(x.id) FROM examinations x "
                            "WHERE x.environment = e.id) AS last FROM environments e WHERE e.device = ?2) "
                            "WHERE last IS NOT NULL ORDER BY torch = ?1 DESC, last DESC LIMIT 1",
                            torch, device);
  std::string before;
  if (!rows.next()) return std::nullopt;
  rows.read(before);
  return before == torch ? std::nullopt : std::optional(before);
}

bool Store::add_sentinel(const ProgramRow& original, const std::string& torch_before, const std::string& torch,
                         Millis now) {
  const std::string identity = original.identity.substr(0, original.identity.find('@'));
  const auto id = add_program({.identity = fmt::format("{}@{}", identity, torch),
                               .text = original.text,
                               .origin = std::string(kSentinel),
                               .source = original.source,
                               .strategy = original.strategy,
                               .next_step = "screen",
                               .why = fmt::format("consistent on torch {}, not yet run on {}", torch_before, torch),
                               .options_json = original.options_json,
                               .created_at = now});
  if (!id) return false;
  state_->run("mark a sentinel", "INSERT INTO sentinels (program, original, torch_before, torch) VALUES (?, ?, ?, ?)",
              *id, original.id, torch_before, torch);
  return true;
}

}  // namespace parityd::store
