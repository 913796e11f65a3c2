// Reduced programs, and what was then found out about them. Times are Unix milliseconds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/base/table.h"

namespace parityd::store {

/// The reduction of a confirmed program; it is confirmed afterwards (evidence of purpose `final_confirmation`).
struct ReductionRow {
  Id program = 0;
  std::string text, options_json = "{}";
  int statements_before = 0, statements = 0;  // of functions that compute
  int lines = 0;                              // not counting empty ones
  int trials = 0;
  double seconds = 0;  // of worker time
  std::string why;     // why it ended
  Millis at = 0;
};

/// The result of attribution for a reduced program.
struct AttributionRow {
  Id program = 0;
  std::string neutraliser;         // oracle::line(); empty: none found
  std::string words;               // the same for people
  std::string workaround, caveat;  // Python that a user could write; empty: none
  std::string why;
  std::string ablations_json = "[]";  // [{"words", "answer"}], in the order of the answers
  int runs = 0;
  double seconds = 0;  // of worker time
  Millis at = 0;
};

/// The result of the sweep over variants of a reduced program.
struct ExtentRow {
  Id program = 0;
  std::string sentence;           // oracle::extent(); empty: nothing could be said
  std::string tried_json = "[]";  // [{"aspect", "value", "unit", "shows"}]
  int runs = 0;
  double seconds = 0;  // of worker time
  Millis at = 0;
};

/// The values that showed the finding when put in place of the program's own: "amax" for the aspect operators, "int8"
/// for dtypes (oracle/finding/extent.h).
[[nodiscard]] std::vector<std::string> values_failing(const ExtentRow& extent, std::string_view aspect);
/// Likewise, the values that did not show it.
[[nodiscard]] std::vector<std::string> values_agreeing(const ExtentRow& extent, std::string_view aspect);

/// Whether the finding shows with one thread and with several; also false if that was not tried.
[[nodiscard]] bool any_threads(const ExtentRow& extent);

/// Reduced programs, and what was then found out about them. One thread.
class Reductions : public Table {
 public:
  using Table::Table;

  void add_failed_trial(Id program, const std::string& text);
  [[nodiscard]] std::vector<std::string> failed_trials(Id program) const;
  /// Also deletes the program's failed trials.
  void set(const ReductionRow& row);
  [[nodiscard]] std::optional<ReductionRow> find(Id program) const;
  void set_attribution(const AttributionRow& row);
  [[nodiscard]] std::optional<AttributionRow> attribution(Id program) const;
  void set_extent(const ExtentRow& row);
  [[nodiscard]] std::optional<ExtentRow> extent(Id program) const;
};

}  // namespace parityd::store
