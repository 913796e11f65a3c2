#include "store/findings/fixes.h"

#include <algorithm>
#include <tuple>

#include "oracle/json_read.h"
#include "store/base/blobs.h"
#include "store/base/connection.h"
#include "store/findings/fix_json.h"
#include "store/findings/known_table.h"
#include "store/findings/queue.h"

namespace parityd::store {
namespace {

constexpr const char* kSelectTry =
    "SELECT x.id, x.finding, x.number, x.at, x.result, x.why, x.provider, x.model, x.prompt_tokens, "
    "x.completion_tokens, x.nano_dollars, x.seconds, x.torch, x.device, coalesce(r.text, ''), coalesce(d.text, ''), "
    "coalesce(t.text, ''), x.changed_lines, x.functions, x.files, x.checks, x.also_gone, x.newest FROM fixes x LEFT "
    "JOIN blobs r ON r.hash = x.reply LEFT JOIN blobs d ON d.hash = x.diff LEFT JOIN blobs t ON t.hash = x.test ";

/// A column that does not have the form that keep() writes reads as empty.
template <class Value>
std::vector<Value> column_from(const std::string& text, std::vector<Value> (*read)(const nlohmann::json&)) {
  try {
    return read(oracle::parsed(text));
  } catch (const nlohmann::json::exception&) {
    return {};
  }
}

FixTry try_from(Rows& rows) {
  FixTry row;
  std::string files, checks, also_gone;
  rows.read(row.id, row.finding, row.number, row.at, row.result, row.why, row.provider, row.model, row.prompt_tokens,
            row.completion_tokens, row.nano_dollars, row.seconds, row.torch, row.device, row.reply, row.diff, row.test,
            row.changed_lines, row.functions, files, checks, also_gone, row.newest);
  row.files = column_from(files, files_from);
  row.checks = column_from(checks, checks_from);
  row.also_gone = column_from(also_gone, ids_from);
  return row;
}

/// NULL for an empty text.
std::optional<std::string> kept_text(Connection& connection, const std::string& text, Millis at) {
  return text.empty() ? std::nullopt : std::optional(keep_blob(connection, text, at));
}

/// The tries of one finding.
struct Tries {
  FixTally sums;
  FixResult last = FixResult::asked;
};

std::map<Id, Tries> by_finding(Connection& connection) {
  Rows rows = connection.query("count tries of changes",
                               "SELECT x.finding, f.stage, f.kind, x.model, x.result, x.nano_dollars, x.seconds FROM "
                               "fixes x JOIN findings f ON f.id = x.finding ORDER BY x.finding, x.at, x.id");
  std::map<Id, Tries> all;
  while (rows.next()) {
    Id finding = 0;
    std::int64_t nano_dollars = 0;
    double seconds = 0;
    rows.read(finding);
    auto& [sums, last] = all[finding];
    last = FixResult::asked;
    rows.read_from(1, sums.area, sums.kind, sums.model, last, nano_dollars, seconds);
    ++sums.tries;
    sums.nano_dollars += nano_dollars;
    sums.seconds += seconds;
  }
  return all;
}

}  // namespace

void Fixes::keep(const FixTry& row) {
  connection_.transaction([&] {
    connection_.run(
        "keep a try of a change",
        "INSERT INTO fixes (finding, number, at, result, why, provider, model, prompt_tokens, completion_tokens, "
        "nano_dollars, seconds, torch, device, reply, diff, test, changed_lines, functions, files, checks, also_gone, "
        "newest) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (finding, at) "
        "DO UPDATE SET number = excluded.number, result = excluded.result, why = excluded.why, provider = "
        "excluded.provider, model = excluded.model, prompt_tokens = excluded.prompt_tokens, completion_tokens = "
        "excluded.completion_tokens, nano_dollars = excluded.nano_dollars, seconds = excluded.seconds, torch = "
        "excluded.torch, device = excluded.device, reply = excluded.reply, diff = excluded.diff, test = excluded.test, "
        "changed_lines = excluded.changed_lines, functions = excluded.functions, files = excluded.files, checks = "
        "excluded.checks, also_gone = excluded.also_gone, newest = excluded.newest",
        row.finding, row.number, row.at, row.result, row.why, row.provider, row.model, row.prompt_tokens,
        row.completion_tokens, row.nano_dollars, row.seconds, row.torch, row.device,
        kept_text(connection_, row.reply, row.at), kept_text(connection_, row.diff, row.at),
        kept_text(connection_, row.test, row.at), row.changed_lines, row.functions,
        oracle::compact(files_json(row.files)), oracle::compact(checks_json(row.checks)),
        oracle::compact(nlohmann::json(row.also_gone)), row.newest);
  });
}

std::vector<FixTry> Fixes::of(Id finding) const {
  const std::string sql = std::string(kSelectTry) + "WHERE x.finding = ? ORDER BY x.at, x.id";
  return connection_.query("read tries of changes", sql.c_str(), finding).each(try_from);
}

std::optional<FixTry> Fixes::accepted(Id finding) const {
  const std::string sql =
      std::string(kSelectTry) + "WHERE x.finding = ? AND x.result = 'accepted' ORDER BY x.at DESC, x.id DESC LIMIT 1";
  return connection_.query("read an accepted change", sql.c_str(), finding).first(try_from);
}

std::optional<Id> Fixes::next(const std::string& torch, const std::string& device) const {
  const auto untried =
      connection_
          .query("look for findings without a change",
                 "SELECT f.id FROM findings f WHERE f.status = 'new' AND f.disposition = 'ready' AND f.merged_into IS "
                 "NULL AND f.torch = ?1 AND f.device = ?2 AND NOT EXISTS (SELECT 1 FROM fixes x WHERE x.finding = f.id "
                 "AND x.torch = ?1 AND x.device = ?2)",
                 torch, device)
          .all<Id>();
  std::vector<FindingRow> findings;
  std::map<Id, int> known_matches;
  for (const Id id : untried) {
    if (auto found = findings_.find(id)) findings.push_back(std::move(*found));
    known_matches[id] = static_cast<int>(known_.matches(id).size());
  }
  const auto queue = queue_of(std::move(findings), known_matches, {});
  return queue.empty() ? std::nullopt : std::optional(queue.front().finding.id);
}

std::int64_t Fixes::nano_dollars_since(Millis since) const {
  return connection_
      .query("add up what changes cost", "SELECT coalesce(sum(nano_dollars), 0) FROM fixes WHERE at >= ?", since)
      .value<std::int64_t>();
}

std::vector<FixTally> Fixes::tally() const {
  std::map<std::tuple<std::string, std::string, std::string>, FixTally> groups;
  for (const auto& [finding, tries] : by_finding(connection_)) {
    const auto& [sums, last] = tries;
    FixTally& tally = groups[{sums.area, sums.kind, sums.model}];
    tally.area = sums.area;
    tally.kind = sums.kind;
    tally.model = sums.model;
    ++tally.findings;
    ++(last == FixResult::accepted ? tally.accepted : tally.failed[last]);
    tally.tries += sums.tries;
    tally.nano_dollars += sums.nano_dollars;
    tally.seconds += sums.seconds;
  }
  std::vector<FixTally> all;
  all.reserve(groups.size());
  for (auto& [key, tally] : groups) all.push_back(std::move(tally));
  std::ranges::stable_sort(all, std::ranges::greater(), &FixTally::findings);
  return all;
}

}  // namespace parityd::store
