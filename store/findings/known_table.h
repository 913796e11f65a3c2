// The table of known issues, and the findings that match them. Times are Unix milliseconds.
#pragma once

#include <optional>
#include <vector>

#include "store/base/table.h"
#include "store/findings/known_issues.h"
#include "store/work/daemon_state.h"

namespace parityd::store {

/// facts: from the shipped file or an imported one; they replace existing rows. guess: inferred from titles; if an
/// issue has facts, only its state is updated.
enum class KnownSource { facts, guess };

/// The table of known issues, and the findings that match them. One thread.
class Known : public Table {
 public:
  Known(Connection& connection, Values& values) : Table(connection), values_(values) {}

  /// Adds and updates issues, notes when they were gathered (never an earlier time than before), and matches all
  /// findings again.
  void put(const std::vector<KnownIssue>& issues, KnownSource source, std::optional<Millis> as_of);
  [[nodiscard]] std::vector<KnownIssue> issues() const;
  [[nodiscard]] std::optional<Millis> gathered_at() const;
  /// Stores the query and its matches in the table of known issues.
  void set_query(Id finding, const KnownQuery& query);
  /// Findings of an older parityd, which have no query.
  [[nodiscard]] std::vector<Id> without_query() const;
  [[nodiscard]] std::vector<KnownMatch> matches(Id finding) const;

 private:
  void match(Id finding, const KnownQuery& query, const std::vector<KnownIssue>& issues);

  Values& values_;
};

}  // namespace parityd::store
