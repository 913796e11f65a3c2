// Results of findings on other torches and devices, and the statuses that follow. Times are Unix milliseconds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "oracle/names.h"
#include "store/base/table.h"
#include "store/findings/findings.h"

namespace parityd::store {

using oracle::name;

/// The result of a finding's reduced program on some torch: every round shows it (still), none does (gone), something
/// else is shown, perhaps besides (different), or it could not be tried (cannot).
enum class RecheckResult { still, gone, different, cannot };
constexpr auto names(RecheckResult) {
  return std::to_array<std::string_view>({"still", "gone", "different", "cannot"});
}

struct RecheckRow {
  Id id = 0;
  Id finding = 0;
  std::string torch, python, device;
  std::string device_name;  // model of the GPU or CPU; empty: not recorded
  bool elsewhere = false;   // another device than the finding's: its result does not count for torch versions
  bool newest = false;      // the newest torch known at that time: its result counts for the finding's status
  RecheckResult result = RecheckResult::cannot;
  int hits = 0, rounds = 0;
  std::string reason;  // in words
  std::string who;
  Millis at = 0;
};

/// Results of findings on other torches and devices, and the statuses that follow. One thread.
class Rechecks : public Table {
 public:
  Rechecks(Connection& connection, const Findings& findings) : Table(connection), findings_(findings) {}

  /// Two consecutive results `gone` on the newest torch make the finding fixed; a `still` there makes a fixed one
  /// regressed.
  void add(const RecheckRow& row);
  [[nodiscard]] std::vector<RecheckRow> of(Id finding) const;  // oldest first
  /// Confirmed findings of this device that were not tried on this torch, held(untried) first. With an empty torch: not
  /// tried on any torch that was the newest at the time.
  [[nodiscard]] std::vector<Id> untried_on(const std::string& torch, const std::string& device) const;
  /// The same, only for findings that were found on another torch.
  [[nodiscard]] std::vector<Id> found_elsewhere(const std::string& torch, const std::string& device) const;
  /// Findings gone on this newest torch by one result, which is at least an hour old: to be confirmed.
  [[nodiscard]] std::vector<Id> gone_once(const std::string& torch, const std::string& device, Millis now) const;

 private:
  const Findings& findings_;
};

}  // namespace parityd::store
