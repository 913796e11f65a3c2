// Runs of findings' stand-alone scripts by a plain interpreter: texts of the tool "script", under the script's hash.
#include <algorithm>

#include "store/base/connection.h"
#include "store/base/content_hash.h"
#include "store/base/rows.h"
#include "store/findings/scripts.h"

namespace parityd::store {

void Scripts::add_run(InspectionRow row, const std::string& script) {
  row.tool = oracle::kScriptTool;
  row.text = oracle::script_report(content_hash(script), row.text);
  inspections_.add(row);
}

std::vector<ScriptRun> Scripts::runs(Id finding) const {
  Rows scripts = connection_.query("read a script", "SELECT repro FROM drafts WHERE finding = ?", finding);
  if (!scripts.next()) return {};
  std::string script;
  scripts.read(script);
  const std::string hash = content_hash(script);
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
  Rows rows = connection_.query(
      "list the torches that a finding is claimed for",
      "SELECT torch FROM findings WHERE id = ?1 UNION SELECT r.torch FROM rechecks r WHERE r.finding = ?1 AND "
      "r.elsewhere = 0 AND r.result = 'still' AND r.id = (SELECT max(l.id) FROM rechecks l WHERE l.finding = ?1 AND "
      "l.torch = r.torch AND l.elsewhere = 0 AND l.result <> 'cannot')",
      finding);
  std::vector<std::string> found;
  while (rows.next()) rows.read(found.emplace_back());
  return found;
}

std::vector<Id> Scripts::to_run() const {
  return ids_from(
      connection_.query("look for findings whose script is to be run",
                        "SELECT id FROM findings WHERE disposition = 'held(script)' AND merged_into IS NULL "
                        "ORDER BY id"));
}

}  // namespace parityd::store
