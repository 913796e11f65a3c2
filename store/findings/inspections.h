// What PyTorch's debugging tools told of findings, and what their stand-alone scripts did: texts by their content.
// Times are Unix milliseconds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "oracle/finding/tool_reports.h"
#include "store/base/table.h"

namespace parityd::store {

/// What one of PyTorch's debugging tools told of a finding. Kept by content: the same text once.
struct InspectionRow {
  Id finding = 0;
  std::string tool;  // as `parityd inspect` names it
  std::string torch, device;
  std::string text;
  std::string hash;  // of the text; filled by queries
  Millis at = 0;
};

/// What PyTorch's debugging tools told of findings: texts by their content. One thread.
class Inspections : public Table {
 public:
  using Table::Table;

  void add(const InspectionRow& row);
  /// The newest; nullopt when the tool was never run on it.
  [[nodiscard]] std::optional<InspectionRow> find(Id finding, const std::string& tool) const;
  [[nodiscard]] std::vector<std::string> tools_run(Id finding) const;
  /// Ready findings on which fewer than `tools` tools were run, the worst first.
  [[nodiscard]] std::vector<Id> to_inspect(int tools, int limit) const;
  /// New ones that crashed, raised a CUDA error or were flaky on CUDA, without the texts of all of compute-sanitizer's
  /// tools (oracle/finding/tool_reports.h).
  [[nodiscard]] std::vector<Id> to_sanitize(int limit) const;
  /// What each of those tools said against the finding's kernels, in words; those that said nothing are left out.
  [[nodiscard]] std::vector<std::string> sanitizer_words(Id finding) const;
  /// What torch's bisector found, by the newest text.
  [[nodiscard]] std::optional<oracle::BisectReport> bisected(Id finding) const;
};

/// The last run of the script that a finding has now, on one torch and device.
struct ScriptRun {
  std::string torch, device;
  oracle::ScriptReport report;
  std::string text;  // what it printed, whole
  Millis at = 0;
};

/// What stand-alone scripts of findings did, run by a plain interpreter. One thread.
class Scripts : public Table {
 public:
  Scripts(Connection& connection, Inspections& inspections) : Table(connection), inspections_(inspections) {}

  /// `row.text`: what the tool told of this script.
  void add_run(InspectionRow row, const std::string& script);
  /// Of the draft's present script, the newest first; none where it was not run or has changed since.
  [[nodiscard]] std::vector<ScriptRun> runs(Id finding) const;
  /// The one it was found on, and those on which the last recheck on its device showed it.
  [[nodiscard]] std::vector<std::string> torches_claimed(Id finding) const;
  /// Those held until their script has been run.
  [[nodiscard]] std::vector<Id> to_run() const;

 private:
  Inspections& inspections_;
};

}  // namespace parityd::store
