// How the parts of store/ write what several tables hold: verdicts, lists of names. Internal to store/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "oracle/rules/verdict.h"
#include "store/base/connection.h"

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

/// Of rows of one column.
[[nodiscard]] std::vector<Id> ids_from(Rows rows);

[[nodiscard]] std::string names_to_json(const std::vector<std::string>& names);
[[nodiscard]] std::vector<std::string> names_from_json(const std::string& text);

}  // namespace parityd::store
