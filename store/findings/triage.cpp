#include "store/findings/triage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "store/base/connection.h"

namespace parityd::store {
namespace {

constexpr std::string_view kIssues = "https://github.com/pytorch/pytorch/issues/";

bool is_issue(std::string_view address) {
  if (!address.starts_with(kIssues)) return false;
  address.remove_prefix(kIssues.size());
  return !address.empty() && address.size() < 10 && address.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Why the decision is refused; `checked` is the text on record so far.
std::optional<std::string> mistake_in(const TriageRow& row, const std::string& checked) {
  const auto status = oracle::from_name<FindingStatus>(row.status);
  if (!status) {
    return fmt::format("\"{}\" is not a status; expected {}", row.status, fmt::join(names(FindingStatus{}), ", "));
  }
  if (!row.issue.empty() && !is_issue(row.issue)) {
    return fmt::format("\"{}\" is not an issue; expected {}NUMBER", row.issue, kIssues);
  }
  if ((*status == FindingStatus::filed || *status == FindingStatus::known) && row.issue.empty()) {
    return fmt::format("{} needs --issue {}NUMBER", row.status, kIssues);
  }
  if (*status == FindingStatus::filed && checked.find_first_not_of(" \t\n") == std::string::npos) {
    return "filed needs --checked TEXT: what you checked yourself, as PyTorch requires for every report";
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> Triage::cannot_decide(const TriageRow& row) const {
  if (!findings_.find(row.finding)) return fmt::format("there is no finding {}", row.finding);
  std::string checked = row.checked;
  for (const TriageRow& earlier : of(row.finding)) checked += earlier.checked;
  return mistake_in(row, checked);
}

std::optional<std::string> Triage::decide(const TriageRow& row) {
  if (auto mistake = cannot_decide(row)) return mistake;
  connection_.transaction([&] {
    connection_.run("save a decision",
                    "INSERT INTO triage (finding, status, issue, note, checked, who, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
                    row.finding, row.status, row.issue, row.note, row.checked, row.who, row.at);
    connection_.run("change a finding's status", "UPDATE findings SET status = ? WHERE id = ?", row.status,
                    row.finding);
  });
  return std::nullopt;
}

std::vector<TriageRow> Triage::of(Id finding) const {
  return connection_
      .query("read decisions",
             "SELECT finding, status, issue, note, checked, who, at FROM triage WHERE finding = ? "
             "ORDER BY id",
             finding)
      .all<TriageRow>(&TriageRow::finding, &TriageRow::status, &TriageRow::issue, &TriageRow::note, &TriageRow::checked,
                      &TriageRow::who, &TriageRow::at);
}

}  // namespace parityd::store
