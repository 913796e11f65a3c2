// How the parts of store/ write what several tables hold: verdicts, lists of names, programs. Internal to store/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "oracle/verdict.h"
#include "store/base/connection.h"

/// The columns program_from() reads, in its order, from a table called p.
#define PARITYD_PROGRAM_COLUMNS                                                                                     \
  "p.id, p.identity, p.text, p.origin, p.source, p.strategy, p.reply, p.parent, p.root, p.round, p.state, "         \
  "p.next_step, p.why, p.gate_hits, p.gate_rounds, p.options, p.verdict, p.kind, p.rule, p.explanation, p.leaves, " \
  "p.error_key, p.created_at, p.finished_at"

namespace parityd::store {

/// A verdict as columns.
struct StoredVerdict {
  std::string verdict;
  std::optional<std::string> kind;
  std::string rule;
  std::string explanation;
  std::string leaves = "[]";  // JSON array

  StoredVerdict() = default;
  explicit StoredVerdict(const oracle::Verdict& from);
  [[nodiscard]] oracle::Verdict value() const;
};

inline constexpr int kProgramColumns = 24;

/// Reads the columns above, which come first; more may follow.
[[nodiscard]] ProgramRow program_from(Rows& rows);

/// Of rows of one column.
[[nodiscard]] std::vector<Id> ids_from(Rows rows);

[[nodiscard]] std::string names_to_json(const std::vector<std::string>& names);
[[nodiscard]] std::vector<std::string> names_from_json(const std::string& text);

}  // namespace parityd::store
