// What stand-alone scripts of findings did, run by a plain interpreter. Times are Unix milliseconds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "oracle/finding/script_report.h"
#include "store/base/ids.h"
#include "store/findings/inspections.h"

namespace parityd::store {

class Connection;

/// The last run of the script that a finding has now, on one torch and device.
struct ScriptRun {
  std::string torch, device;
  oracle::ScriptReport report;
  std::string text;  // what it printed, whole
  Millis at = 0;
};

/// What stand-alone scripts of findings did, run by a plain interpreter. One thread.
class Scripts {
 public:
  Scripts(Connection& connection, Inspections& inspections) : connection_(connection), inspections_(inspections) {}

  /// `row.text`: what the tool told of this script.
  void add_run(InspectionRow row, const std::string& script);
  /// Of the draft's present script, the newest first; none where it was not run or has changed since.
  [[nodiscard]] std::vector<ScriptRun> runs(Id finding) const;
  /// The one it was found on, and those on which the last recheck on its device showed it.
  [[nodiscard]] std::vector<std::string> torches_claimed(Id finding) const;
  /// Those held until their script has been run.
  [[nodiscard]] std::vector<Id> to_run() const;

 private:
  Connection& connection_;
  Inspections& inspections_;
};

}  // namespace parityd::store
