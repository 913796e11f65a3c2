#include "store/findings/findings.h"

#include <fmt/format.h>

#include <array>

#include "store/base/connection.h"
#include "store/base/content.h"
#include "store/base/text.h"
#include "store/findings/drafts.h"
#include "store/findings/queue.h"

namespace parityd::store {
namespace {

constexpr const char* kSelectFinding =
    "SELECT f.id, f.signature_text, f.signature_hash, f.kind, f.stage, f.status, f.disposition, f.severity, f.trigger, "
    "f.side, f.reduced, f.statements_before, f.statements, f.neutraliser, f.workaround, f.extent, f.title, "
    "f.explanation, f.device, f.torch, f.program, coalesce(f.environment, 0), f.hits, f.rounds, f.next_step, f.why, "
    "f.occurrences, f.merged_into, f.alarm, coalesce((SELECT s.torch_before FROM sentinels s WHERE s.program = "
    "f.program), ''), (SELECT json_group_array(name) FROM finding_operators o WHERE o.finding = f.id), (SELECT "
    "json_group_array(dtype) FROM finding_dtypes d WHERE d.finding = f.id), f.created_at FROM findings f ";

constexpr const char* kWorthReadingFirst =
    "f.disposition <> 'ready', f.severity, "
    "CASE f.trigger WHEN 'ordinary' THEN 0 WHEN 'unknown' THEN 1 WHEN 'config' THEN 2 ELSE 3 END, f.id";

FindingRow finding_from(Rows& rows) {
  FindingRow row;
  int severity = 0;
  rows.read(row.id, row.signature.text, row.signature.hash, row.kind, row.stage, row.status, row.disposition, severity,
            row.trigger, row.side, row.reduced, row.statements_before, row.statements, row.neutraliser, row.workaround,
            row.extent, row.title, row.explanation, row.device, row.torch, row.program, row.environment, row.hits,
            row.rounds, row.next_step, row.why, row.occurrences, row.merged_into, row.alarm, row.consistent_on,
            row.operators, row.dtypes, row.created_at);
  row.disposition.severity = severity;
  NextStep next = next_step(row);
  row.next_step = std::move(next.step);
  row.why = std::move(next.why);
  return row;
}

std::optional<FindingRow> finding_in(Rows rows) { return rows.first(finding_from); }

/// The conditions of a filter. Parameters keep their numbers whether they are used or not.
std::string conditions_of(const FindingFilter& filter) {
  const std::array<std::pair<bool, const char*>, 11> all{{
      {!filter.kind.empty(), "f.kind = ?1"},
      {!filter.stage.empty(), "f.stage = ?2"},
      {!filter.status.empty(), "f.status = ?3"},
      {!filter.trigger.empty(), "f.trigger = ?4"},
      {!filter.device.empty(), "f.device = ?5"},
      {!filter.disposition.empty(), "(f.disposition = ?6 OR substr(f.disposition, 1, length(?6) + 1) = ?6 || '(')"},
      {!filter.operator_name.empty(),
       "f.id IN (SELECT finding FROM finding_operators WHERE operator = ?7 OR name = ?7)"},
      {!filter.dtype.empty(), "f.id IN (SELECT finding FROM finding_dtypes WHERE dtype = ?8)"},
      {!filter.torch.empty(), "(f.torch = ?9 OR substr(f.torch, 1, length(?9) + 1) IN (?9 || '.', ?9 || '+'))"},
      {filter.since > 0, "f.created_at >= ?10"},
      // The index holds trigrams: for shorter texts every finding is scanned.
      {!filter.text.empty(), filter.text.size() >= 3
                                 ? "f.id IN (SELECT rowid FROM findings_text WHERE findings_text MATCH ?11)"
                                 : "instr(lower(f.title || ' ' || f.signature_text), lower(?11)) > 0"},
  }};
  std::string text = "WHERE f.merged_into IS NULL ";
  for (const auto& [asked, condition] : all) {
    if (asked) text += std::string("AND ") + condition + " ";
  }
  return text;
}

/// Whether the texts of a finding's tries (store/findings/fixes.h) are what was stored.
bool tries_are_whole(Connection& connection, Id finding) {
  Rows texts = connection.query("check a finding's changes",
                                "SELECT DISTINCT b.hash, b.text FROM fixes x JOIN blobs b ON b.hash IN (x.reply, "
                                "x.diff, x.test) WHERE x.finding = ?",
                                finding);
  while (texts.next()) {
    std::string hash, text;
    texts.read(hash, text);
    if (hash != content_hash(text)) return false;
  }
  return true;
}

}  // namespace

std::optional<FindingRow> Findings::by_signature(const std::string& hash) const {
  return finding_in(connection_.query("look for a finding",
                                      (std::string(kSelectFinding) + "WHERE f.signature_hash = ?").c_str(), hash));
}

std::optional<FindingRow> Findings::find(Id id) const {
  return finding_in(connection_.query("read a finding", (std::string(kSelectFinding) + "WHERE f.id = ?").c_str(), id));
}

Id Findings::add(const FindingRow& row) {
  const auto environment = row.environment != 0 ? std::optional(row.environment) : std::nullopt;
  connection_.run(
      "add a finding",
      "INSERT INTO findings (signature_hash, signature_text, kind, stage, status, disposition, severity, trigger, "
      "side, "
      "title, explanation, device, torch, program, environment, hits, rounds, next_step, why, created_at, reduced, "
      "statements_before, statements, neutraliser, workaround, extent) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
      "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      row.signature.hash, row.signature.text, row.kind, row.stage, row.status, row.disposition,
      row.disposition.severity, row.trigger, row.side, row.title, row.explanation, row.device, row.torch, row.program,
      environment, row.hits, row.rounds, row.next_step, row.why, row.created_at, row.reduced, row.statements_before,
      row.statements, row.neutraliser, row.workaround, row.extent);
  const Id id = connection_.last_id();
  for (const std::string& name : row.operators) {
    connection_.run("save a finding's operator",
                    "INSERT OR IGNORE INTO finding_operators (finding, name) VALUES (?, ?)", id, name);
  }
  for (const std::string& dtype : row.dtypes) {
    connection_.run("save a finding's dtype", "INSERT OR IGNORE INTO finding_dtypes (finding, dtype) VALUES (?, ?)", id,
                    dtype);
  }
  return id;
}

std::optional<FindingRow> Findings::by_raw_signature(const std::string& hash) const {
  return finding_in(connection_.query(
      "look for a finding",
      (std::string(kSelectFinding) + "WHERE f.id = (SELECT finding FROM raw_signatures WHERE hash = ?)").c_str(),
      hash));
}

void Findings::add_raw_signature(Id finding, const oracle::Signature& raw) {
  connection_.run("add a raw signature",
                  "INSERT INTO raw_signatures (hash, text, finding) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", raw.hash,
                  raw.text, finding);
}

void Findings::set_disposition(Id finding, const oracle::Disposition& disposition, const std::string& next_step) {
  connection_.run("change a finding's disposition",
                  "UPDATE findings SET disposition = ?, severity = ?, next_step = ? WHERE id = ?", disposition,
                  disposition.severity, next_step, finding);
}

std::int64_t Findings::filed_since(Millis since) const {
  return connection_
      .query("count what was filed",
             "SELECT count(DISTINCT finding) FROM status_changes WHERE became = 'filed' AND at >= ?", since)
      .value<std::int64_t>();
}

std::vector<FindingRow> Findings::list(const FindingFilter& filter) const {
  const std::string sql = kSelectFinding + conditions_of(filter) + "ORDER BY " + kWorthReadingFirst + " LIMIT ?12";
  const std::string dtype = filter.dtype.starts_with("torch.") ? filter.dtype.substr(6) : filter.dtype;
  // A phrase in the full-text index matches its text as a substring.
  return connection_
      .query("list findings", sql.c_str(), filter.kind, filter.stage, filter.status, filter.trigger, filter.device,
             filter.disposition, filter.operator_name, dtype, filter.torch, filter.since,
             filter.text.size() >= 3 ? double_quoted(filter.text) : filter.text, filter.limit > 0 ? filter.limit : -1)
      .each(finding_from);
}

std::vector<Id> Findings::sharing(const std::vector<std::string>& operators, const std::vector<std::string>& kinds,
                                  const std::string& device) const {
  // Findings are looked up by the index on operators; without the barrier SQLite would scan all findings of the device.
  const std::string sql = std::string(
                              "WITH shared AS MATERIALIZED (SELECT finding, count(*) AS operators FROM "
                              "finding_operators WHERE name IN (SELECT value FROM json_each(?1)) GROUP BY finding) "
                              "SELECT f.id FROM shared CROSS JOIN findings f ON f.id = shared.finding JOIN "
                              "json_each(?2) k ON k.value = f.kind WHERE f.device = ?3 AND f.neutraliser <> '' AND "
                              "f.merged_into IS NULL ORDER BY shared.operators DESC, k.key, ") +
                          kWorthReadingFirst;
  return connection_.query("look for findings that share operators", sql.c_str(), operators, kinds, device).all<Id>();
}

std::vector<Millis> Findings::times() const {
  return connection_
      .query("read when findings were made",
             "SELECT created_at FROM findings WHERE merged_into IS NULL ORDER BY created_at")
      .all<Millis>();
}

std::vector<std::string> Findings::tampered(Id finding) const {
  std::vector<std::string> found;
  Rows draft = connection_.query("check a draft",
                                 "SELECT d.hash, d.title || char(10) || d.body || char(10) || d.repro || char(10) || "
                                 "f.reduced FROM drafts d JOIN findings f ON f.id = d.finding WHERE d.finding = ?",
                                 finding);
  if (draft.next()) {
    std::string hash, text;
    draft.read(hash, text);
    if (!hash.empty() && hash != content_hash(text)) found.emplace_back("the draft or its program");
  }
  Rows blobs =
      connection_.query("check a finding's evidence",
                        "SELECT DISTINCT i.tool, b.hash, b.text FROM inspections i JOIN blobs b ON b.hash = i.blob "
                        "WHERE i.finding = ? ORDER BY i.tool",
                        finding);
  while (blobs.next()) {
    std::string tool, hash, text;
    blobs.read(tool, hash, text);
    if (hash != content_hash(text)) found.push_back(fmt::format("the output of {}", tool));
  }
  if (!tries_are_whole(connection_, finding)) found.emplace_back("a language model's change");
  return found;
}

std::vector<Id> Findings::flag_tampered(Id after, int limit, Id& last) {
  const auto ids =
      connection_
          .query("list findings to check", "SELECT id FROM findings WHERE id > ? ORDER BY id LIMIT ?", after, limit)
          .all<Id>();
  std::vector<Id> flagged;
  connection_.transaction([&] {
    for (const Id id : ids) {
      const auto row = find(id);
      if (tampered(id).empty() || !row || row->disposition.is_held("tampered")) continue;
      set_disposition(id, oracle::held("tampered"),
                      "restore it from a backup, or run its program again: docs/storage.md");
      flagged.push_back(id);
    }
  });
  last = ids.empty() ? 0 : ids.back();
  return flagged;
}

}  // namespace parityd::store
