// What PyTorch's debugging tools told of findings: texts by their content.
#include <fmt/format.h>

#include "oracle/finding/sanitizer_report.h"
#include "store/base/connection.h"
#include "store/base/content_hash.h"
#include "store/base/rows.h"
#include "store/findings/inspections.h"

namespace parityd::store {
namespace {

/// compute-sanitizer's tools as a list of SQL.
std::string sanitizers() { return fmt::format("('{}')", fmt::join(oracle::kSanitizerTools, "', '")); }

/// All that the daemon alone asks for.
std::string daemons_own() {
  return fmt::format("('{}', '{}')", oracle::kScriptTool, fmt::join(oracle::kSanitizerTools, "', '"));
}

}  // namespace

void Inspections::add(const InspectionRow& row) {
  connection_.transaction([&] {
    const std::string hash = content_hash(row.text);
    connection_.run("keep a tool's text",
                    "INSERT INTO blobs (hash, text, made_at) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET text = "
                    "excluded.text, made_at = excluded.made_at",
                    hash, row.text, row.at);
    connection_.run("add an inspection",
                    "INSERT INTO inspections (finding, tool, blob, torch, device, at) VALUES (?, ?, ?, ?, ?, ?)",
                    row.finding, row.tool, hash, row.torch, row.device, row.at);
  });
}

std::optional<InspectionRow> Inspections::find(Id finding, const std::string& tool) const {
  Rows rows = connection_.query("read an inspection",
                                "SELECT i.finding, i.tool, i.torch, i.device, i.at, b.hash, b.text FROM inspections i "
                                "JOIN blobs b ON b.hash = i.blob WHERE i.finding = ? AND i.tool = ? ORDER BY i.id DESC "
                                "LIMIT 1",
                                finding, tool);
  if (!rows.next()) return std::nullopt;
  InspectionRow row;
  rows.read(row.finding, row.tool, row.torch, row.device, row.at, row.hash, row.text);
  return row;
}

std::vector<std::string> Inspections::tools_run(Id finding) const {
  Rows rows = connection_.query("list the tools that were run",
                                "SELECT DISTINCT tool FROM inspections WHERE finding = ? ORDER BY tool", finding);
  std::vector<std::string> found;
  for (std::string tool; rows.next();) {
    rows.read(tool);
    found.push_back(tool);
  }
  return found;
}

std::vector<Id> Inspections::to_inspect(int tools, int limit) const {
  static const std::string sql =
      "SELECT f.id FROM findings f WHERE f.disposition = 'ready' AND (SELECT count(DISTINCT i.tool) FROM inspections i "
      "WHERE i.finding = f.id AND i.tool NOT IN " +
      daemons_own() + ") < ? ORDER BY f.severity, f.id LIMIT ?";
  return ids_from(connection_.query("look for findings to inspect", sql.c_str(), tools, limit));
}

std::vector<Id> Inspections::to_sanitize(int limit) const {
  static const std::string sql =
      "SELECT f.id FROM findings f WHERE f.device = 'cuda' AND f.status IN ('new', 'regressed') AND "
      "(f.kind = 'crash' OR f.hits < f.rounds OR f.explanation LIKE '%CUDA error%') AND (SELECT count(DISTINCT i.tool) "
      "FROM inspections i WHERE i.finding = f.id AND i.tool IN " +
      sanitizers() + ") < ? ORDER BY f.severity, f.id LIMIT ?";
  return ids_from(connection_.query("look for findings that compute-sanitizer has to see", sql.c_str(),
                                    static_cast<int>(oracle::kSanitizerTools.size()), limit));
}

std::vector<std::string> Inspections::sanitizer_words(Id finding) const {
  std::vector<std::string> words;
  for (const auto tool : oracle::kSanitizerTools) {
    const auto told = find(finding, std::string(tool));
    auto said = told ? oracle::in_words(tool, oracle::read_sanitizer_report(told->text)) : std::string();
    if (!said.empty()) words.push_back(std::move(said));
  }
  return words;
}

}  // namespace parityd::store
