#include "store/findings/inspections.h"

#include <fmt/format.h>

#include <algorithm>

#include "store/base/blobs.h"
#include "store/base/connection.h"
#include "store/base/content.h"

namespace parityd::store {
namespace {

/// compute-sanitizer's tools as an SQL list.
std::string sanitizers() { return fmt::format("('{}')", fmt::join(oracle::kSanitizerTools, "', '")); }

/// All tools that only the daemon runs.
std::string daemons_own() {
  return fmt::format("('{}', '{}')", oracle::kScriptTool, fmt::join(oracle::kSanitizerTools, "', '"));
}

}  // namespace

void Inspections::add(const InspectionRow& row) {
  connection_.transaction([&] {
    const std::string hash = keep_blob(connection_, row.text, row.at);
    connection_.run("add an inspection",
                    "INSERT INTO inspections (finding, tool, blob, torch, device, at) VALUES (?, ?, ?, ?, ?, ?)",
                    row.finding, row.tool, hash, row.torch, row.device, row.at);
  });
}

std::optional<InspectionRow> Inspections::find(Id finding, const std::string& tool) const {
  return connection_
      .query("read an inspection",
             "SELECT i.finding, i.tool, i.torch, i.device, i.at, b.hash, b.text FROM inspections i "
             "JOIN blobs b ON b.hash = i.blob WHERE i.finding = ? AND i.tool = ? ORDER BY i.id DESC "
             "LIMIT 1",
             finding, tool)
      .one<InspectionRow>(&InspectionRow::finding, &InspectionRow::tool, &InspectionRow::torch, &InspectionRow::device,
                          &InspectionRow::at, &InspectionRow::hash, &InspectionRow::text);
}

std::vector<std::string> Inspections::tools_run(Id finding) const {
  return connection_
      .query("list the tools that were run", "SELECT DISTINCT tool FROM inspections WHERE finding = ? ORDER BY tool",
             finding)
      .all<std::string>();
}

std::vector<Id> Inspections::to_inspect(int tools, int limit) const {
  static const std::string sql =
      "SELECT f.id FROM findings f WHERE f.disposition = 'ready' AND (SELECT count(DISTINCT i.tool) FROM inspections i "
      "WHERE i.finding = f.id AND i.tool NOT IN " +
      daemons_own() + ") < ? ORDER BY f.severity, f.id LIMIT ?";
  return connection_.query("look for findings to inspect", sql.c_str(), tools, limit).all<Id>();
}

std::vector<Id> Inspections::to_sanitize(int limit) const {
  static const std::string sql =
      "SELECT f.id FROM findings f WHERE f.device = 'cuda' AND f.status IN ('new', 'regressed') AND "
      "(f.kind = 'crash' OR f.hits < f.rounds OR f.explanation LIKE '%CUDA error%') AND (SELECT count(DISTINCT i.tool) "
      "FROM inspections i WHERE i.finding = f.id AND i.tool IN " +
      sanitizers() + ") < ? ORDER BY f.severity, f.id LIMIT ?";
  return connection_
      .query("look for findings that compute-sanitizer has to see", sql.c_str(),
             static_cast<int>(oracle::kSanitizerTools.size()), limit)
      .all<Id>();
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

std::optional<oracle::BisectReport> Inspections::bisected(Id finding) const {
  const auto told = find(finding, std::string(oracle::kBisectTool));
  return told ? oracle::read_bisect_report(told->text) : std::nullopt;
}

void Scripts::add_run(InspectionRow row, const std::string& script) {
  row.tool = oracle::kScriptTool;
  row.text = oracle::script_report(content_hash(script), row.text);
  inspections_.add(row);
}

std::vector<ScriptRun> Scripts::runs(Id finding) const {
  const auto script =
      connection_.query("read a script", "SELECT repro FROM drafts WHERE finding = ?", finding).one<std::string>();
  if (!script) return {};
  const std::string hash = content_hash(*script);
  Rows rows =
      connection_.query("read runs of a script",
                        "SELECT i.torch, i.device, i.at, b.text FROM inspections i JOIN blobs b ON b.hash = i.blob "
                        "WHERE i.finding = ? AND i.tool = ? ORDER BY i.id DESC",
                        finding, std::string(oracle::kScriptTool));
  std::vector<ScriptRun> found;
  while (rows.next()) {
    ScriptRun run;
    rows.read(run.torch, run.device, run.at, run.text);
    run.report = oracle::read_script_report(run.text);
    const auto same_place = [&](const ScriptRun& later) {
      return later.torch == run.torch && later.device == run.device;
    };
    if (run.report.script == hash && std::ranges::none_of(found, same_place)) found.push_back(std::move(run));
  }
  return found;
}

std::vector<std::string> Scripts::torches_claimed(Id finding) const {
  return connection_
      .query("list the torches that a finding is claimed for",
             "SELECT torch FROM findings WHERE id = ?1 UNION SELECT r.torch FROM rechecks r WHERE r.finding = ?1 AND "
             "r.elsewhere = 0 AND r.result = 'still' AND r.id = (SELECT max(l.id) FROM rechecks l WHERE l.finding = ?1 "
             "AND l.torch = r.torch AND l.elsewhere = 0 AND l.result <> 'cannot')",
             finding)
      .all<std::string>();
}

std::vector<Id> Scripts::to_run() const {
  return connection_
      .query("look for findings whose script is to be run",
             "SELECT id FROM findings WHERE disposition = 'held(script)' AND merged_into IS NULL "
             "ORDER BY id")
      .all<Id>();
}

}  // namespace parityd::store
