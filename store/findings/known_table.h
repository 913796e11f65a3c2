// The table of known issues, and what findings match in it. Times are Unix milliseconds.
#pragma once

#include <optional>
#include <vector>

#include "store/base/table.h"
#include "store/findings/known_issues.h"
#include "store/work/daemon_state.h"

namespace parityd::store {

/// facts: the shipped file's or an imported one's; they replace what is there. guess: read off titles; beside facts
/// they change an issue's state alone.
enum class KnownSource { facts, guess };

/// The table of known issues, and what findings match in it. One thread.
class Known : public Table {
 public:
  Known(Connection& connection, Values& values) : Table(connection), values_(values) {}

  /// Adds and changes issues, says when they were gathered (never earlier than before), and matches all findings anew.
  void put(const std::vector<KnownIssue>& issues, KnownSource source, std::optional<Millis> as_of);
  [[nodiscard]] std::vector<KnownIssue> issues() const;
  [[nodiscard]] std::optional<Millis> gathered_at() const;
  /// Keeps the query, and what the table of known issues answers.
  void set_query(Id finding, const KnownQuery& query);
  /// Findings of an older parityd.
  [[nodiscard]] std::vector<Id> without_query() const;
  [[nodiscard]] std::vector<KnownMatch> matches(Id finding) const;

 private:
  void match(Id finding, const KnownQuery& query, const std::vector<KnownIssue>& issues);

  Values& values_;
};

}  // namespace parityd::store
