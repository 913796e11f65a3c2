// The output of PyTorch's debugging tools for findings, and of their stand-alone scripts, stored by content. Times are
// Unix milliseconds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "oracle/finding/tool_reports.h"
#include "store/base/table.h"

namespace parityd::store {

/// The output of one debugging tool for a finding. Stored by content: equal texts are stored once.
struct InspectionRow {
  Id finding = 0;
  std::string tool;  // its name in `parityd inspect`
  std::string torch, device;
  std::string text;
  std::string hash;  // of the text; filled by queries
  Millis at = 0;
};

/// The output of PyTorch's debugging tools for findings, stored by content. One thread.
class Inspections : public Table {
 public:
  using Table::Table;

  void add(const InspectionRow& row);
  /// The newest; nullopt if the tool was never run on the finding.
  [[nodiscard]] std::optional<InspectionRow> find(Id finding, const std::string& tool) const;
  [[nodiscard]] std::vector<std::string> tools_run(Id finding) const;
  /// Ready findings on which fewer than `tools` tools were run, the worst first.
  [[nodiscard]] std::vector<Id> to_inspect(int tools, int limit) const;
  /// Findings with status new that crashed, raised a CUDA error or were flaky on CUDA, and that do not have the texts
  /// of all of compute-sanitizer's tools yet (oracle/finding/tool_reports.h).
  [[nodiscard]] std::vector<Id> to_sanitize(int limit) const;
  /// The faults that each of those tools found in the finding's kernels, in words; tools without any are left out.
  [[nodiscard]] std::vector<std::string> sanitizer_words(Id finding) const;
  /// The result of torch's bisector, from the newest text.
  [[nodiscard]] std::optional<oracle::BisectReport> bisected(Id finding) const;
};

/// The last run of the finding's current script on one torch and device.
struct ScriptRun {
  std::string torch, device;
  oracle::ScriptReport report;
  std::string text;  // its complete output
  Millis at = 0;
};

/// Runs of findings' stand-alone scripts by a plain interpreter. One thread.
class Scripts : public Table {
 public:
  Scripts(Connection& connection, Inspections& inspections) : Table(connection), inspections_(inspections) {}

  /// `row.text`: the tool's output for this script.
  void add_run(InspectionRow row, const std::string& script);
  /// Of the draft's current script, newest first; empty if it was not run or has changed since.
  [[nodiscard]] std::vector<ScriptRun> runs(Id finding) const;
  /// The torch it was found on, and those on which the last recheck on its device showed it.
  [[nodiscard]] std::vector<std::string> torches_claimed(Id finding) const;
  /// Findings held until their script has been run.
  [[nodiscard]] std::vector<Id> to_run() const;

 private:
  Inspections& inspections_;
};

}  // namespace parityd::store
