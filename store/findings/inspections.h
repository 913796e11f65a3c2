// What PyTorch's debugging tools told of findings: texts by their content. Times are Unix milliseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/base/ids.h"

namespace parityd::store {

class Connection;

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
class Inspections {
 public:
  explicit Inspections(Connection& connection) : connection_(connection) {}

  void add(const InspectionRow& row);
  /// The newest; nullopt when the tool was never run on it.
  [[nodiscard]] std::optional<InspectionRow> find(Id finding, const std::string& tool) const;
  [[nodiscard]] std::vector<std::string> tools_run(Id finding) const;
  /// Ready findings on which fewer than `tools` tools were run, the worst first.
  [[nodiscard]] std::vector<Id> to_inspect(int tools, int limit) const;
  /// New ones that crashed, raised a CUDA error or were flaky on CUDA, without the texts of all of compute-sanitizer's
  /// tools (oracle/finding/sanitizer_report.h).
  [[nodiscard]] std::vector<Id> to_sanitize(int limit) const;
  /// What each of those tools said against the finding's kernels, in words; those that said nothing are left out.
  [[nodiscard]] std::vector<std::string> sanitizer_words(Id finding) const;

 private:
  Connection& connection_;
};

}  // namespace parityd::store
