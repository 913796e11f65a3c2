// Decisions of people about findings. Times are Unix milliseconds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/base/table.h"
#include "store/findings/findings.h"

namespace parityd::store {

/// A person's decision about a finding.
struct TriageRow {
  Id finding = 0;
  std::string status;  // "filed", "known", …
  std::string issue;   // URL at pytorch/pytorch; may be empty
  std::string note;
  std::string checked;  // goes into the draft; if empty, the previous text stays
  std::string who;
  Millis at = 0;
};

/// Decisions of people about findings. One thread.
class Triage : public Table {
 public:
  Triage(Connection& connection, const Findings& findings) : Table(connection), findings_(findings) {}

  /// Stores the decision and sets the finding's status; nullopt on success, otherwise the reason for refusal, for the
  /// person.
  [[nodiscard]] std::optional<std::string> decide(const TriageRow& row);
  /// What decide() would return.
  [[nodiscard]] std::optional<std::string> cannot_decide(const TriageRow& row) const;
  [[nodiscard]] std::vector<TriageRow> of(Id finding) const;  // oldest first

 private:
  const Findings& findings_;
};

}  // namespace parityd::store
