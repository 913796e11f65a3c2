// What people decide about findings. Times are Unix milliseconds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/base/table.h"
#include "store/findings/findings.h"

namespace parityd::store {

/// What a person decided about a finding.
struct TriageRow {
  Id finding = 0;
  std::string status;  // "filed", "known", …
  std::string issue;   // address at pytorch/pytorch; may be empty
  std::string note;
  std::string checked;  // stands in the draft; what was said before holds while it is empty
  std::string who;
  Millis at = 0;
};

/// What people decide about findings. One thread.
class Triage : public Table {
 public:
  Triage(Connection& connection, const Findings& findings) : Table(connection), findings_(findings) {}

  /// Keeps the decision and gives the finding its status; else says why not, in words for the person.
  [[nodiscard]] std::optional<std::string> decide(const TriageRow& row);
  /// What decide() would say; nullopt: it would keep the decision.
  [[nodiscard]] std::optional<std::string> cannot_decide(const TriageRow& row) const;
  [[nodiscard]] std::vector<TriageRow> of(Id finding) const;  // oldest first

 private:
  const Findings& findings_;
};

}  // namespace parityd::store
