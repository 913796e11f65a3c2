// What findings do on other torches and devices, and the statuses that follow. Times are Unix milliseconds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "oracle/names.h"
#include "store/base/table.h"
#include "store/findings/findings.h"

namespace parityd::store {

using oracle::name;

/// What a finding's reduced program did on some torch: every round shows it, none does, or something else is shown
/// (too).
enum class RecheckResult { still, gone, different, cannot };
constexpr auto names(RecheckResult) {
  return std::to_array<std::string_view>({"still", "gone", "different", "cannot"});
}

struct RecheckRow {
  Id id = 0;
  Id finding = 0;
  std::string torch, python, device;
  std::string device_name;  // model of the GPU or CPU; empty: not recorded
  bool elsewhere = false;   // another device than the finding's: what it says is not said of torches
  bool newest = false;      // the newest torch that was known then: what it says counts for the finding's status
  RecheckResult result = RecheckResult::cannot;
  int hits = 0, rounds = 0;
  std::string reason;  // in words
  std::string who;
  Millis at = 0;
};

/// What findings do on other torches and devices, and the statuses that follow. One thread.
class Rechecks : public Table {
 public:
  Rechecks(Connection& connection, const Findings& findings) : Table(connection), findings_(findings) {}

  /// Two in a row that say gone on the newest torch make the finding fixed; still on it makes a fixed one regressed.
  void add(const RecheckRow& row);
  [[nodiscard]] std::vector<RecheckRow> of(Id finding) const;  // oldest first
  /// Confirmed findings of this device that nobody has tried on this torch, held(untried) first. An empty torch: on the
  /// newest there was.
  [[nodiscard]] std::vector<Id> untried_on(const std::string& torch, const std::string& device) const;
  /// The same of findings that were found on another torch.
  [[nodiscard]] std::vector<Id> found_elsewhere(const std::string& torch, const std::string& device) const;
  /// Gone on this newest torch, said once and an hour ago at least: to be confirmed.
  [[nodiscard]] std::vector<Id> gone_once(const std::string& torch, const std::string& device, Millis now) const;

 private:
  const Findings& findings_;
};

}  // namespace parityd::store
