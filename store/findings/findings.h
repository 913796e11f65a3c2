// Findings: one cause each, as far as is known. Times are Unix milliseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "oracle/finding/disposition.h"
#include "oracle/names.h"
#include "oracle/rules/signature.h"
#include "oracle/rules/verdict.h"
#include "store/base/table.h"

namespace parityd::store {

using oracle::name;

/// The state of a finding, as decided by a person or, for `fixed` and `regressed`, by rechecks on the newest torch.
enum class FindingStatus { fresh, filed, known, fixed, regressed, wontfix, false_positive };
constexpr auto names(FindingStatus) {
  return std::to_array<std::string_view>({"new", "filed", "known", "fixed", "regressed", "wontfix", "false_positive"});
}
/// Nobody needs to act on it any more.
[[nodiscard]] constexpr bool is_closed(FindingStatus status) {
  return status == FindingStatus::wontfix || status == FindingStatus::false_positive;
}

struct FindingRow {
  Id id = 0;
  oracle::Signature signature;
  oracle::Kind kind = oracle::Kind::numerical;
  oracle::Stage stage = oracle::Stage::inductor;
  FindingStatus status = FindingStatus::fresh;
  oracle::Disposition disposition;
  oracle::Trigger trigger = oracle::Trigger::unknown;
  oracle::Side side = oracle::Side::unknown;
  std::string reduced;                        // the smallest known program that shows it
  int statements_before = 0, statements = 0;  // of functions that compute, before and after reduction; 0: not counted
  std::string neutraliser, workaround;        // as in AttributionRow
  std::string extent;                         // as in ExtentRow
  std::string title;
  std::string explanation;
  std::string device, torch;
  Id program = 0;  // its first occurrence
  Id environment = 0;
  int hits = 0, rounds = 0;
  std::string next_step, why;
  std::vector<std::string> operators;  // of the graph captured where it was first shown: "aten.max.dim"
  std::vector<std::string> dtypes;     // of the leaves that differ, and those the program names
  // Filled by queries.
  Id occurrences = 0;             // programs that show it, including those of findings merged into it
  std::optional<Id> merged_into;  // by hand: it is listed and counted there
  std::string alarm;              // why it may have more than one cause; empty: no sign of that
  std::string consistent_on;      // the torch before, on which its first program was consistent; empty: never run there
  Millis created_at = 0;
};

/// Restricts a list of findings; empty fields match any.
struct FindingFilter {
  std::string kind, stage, status, trigger, device;
  std::string disposition;           // "ready", "held", or with its detail: "held(stride)"
  std::string operator_name, dtype;  // "max" or "aten.max.dim"; "int8"
  std::string torch;                 // "2.13" matches any 2.13
  std::string text;                  // in title, signature, explanation or program
  Millis since = 0;                  // found at that time or later
  int limit = 1000;                  // 0: all
};

/// Findings: one cause each, as far as is known. One thread.
class Findings : public Table {
 public:
  using Table::Table;

  /// The parts of a finding that no longer have the hash they were stored with, in words; empty if none.
  [[nodiscard]] std::vector<std::string> tampered(Id finding) const;
  /// Checks the next `limit` findings after `after` and holds those that were tampered with: held(tampered). Returns
  /// the ids of these. `last`: the last one checked; 0 if there was none.
  std::vector<Id> flag_tampered(Id after, int limit, Id& last);
  /// By the signature of its reduced program.
  [[nodiscard]] std::optional<FindingRow> by_signature(const std::string& hash) const;
  /// By the raw signature of a whole program that was found to show it.
  [[nodiscard]] std::optional<FindingRow> by_raw_signature(const std::string& hash) const;
  Id add(const FindingRow& row);
  /// Assigns whole programs with this raw signature to the finding from now on; the first call for a signature wins.
  void add_raw_signature(Id finding, const oracle::Signature& raw);
  [[nodiscard]] std::optional<FindingRow> find(Id id) const;
  /// Without findings merged into another one; those most worth reading come first.
  [[nodiscard]] std::vector<FindingRow> list(const FindingFilter& filter) const;
  /// Findings of these kinds on this device that have a neutraliser and share some of these operators. Those that share
  /// most come first, then those of a kind listed earlier, then in the order of list().
  [[nodiscard]] std::vector<Id> sharing(const std::vector<std::string>& operators,
                                        const std::vector<std::string>& kinds, const std::string& device) const;
  /// The number of findings that got the status filed since then.
  [[nodiscard]] std::int64_t filed_since(Millis since) const;
  void set_disposition(Id finding, const oracle::Disposition& disposition, const std::string& next_step);
  /// The times at which findings were made, oldest first; without those merged into another one.
  [[nodiscard]] std::vector<Millis> times() const;
};

}  // namespace parityd::store
