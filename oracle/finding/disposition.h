// Disposition: is a finding worth a maintainer's time? One table (docs/disposition.md) whose rows are checked in order,
// and two more rows for what would be ready; policy, separate from the facts. Pure; any thread.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/finding/extent.h"
#include "oracle/finding/side.h"
#include "oracle/finding/tool_reports.h"
#include "oracle/names.h"

namespace parityd::oracle {

inline constexpr int kMildest = 5;  // severity

struct Disposition {
  enum class Class { ready, umbrella, known, held } klass = Class::ready;
  int severity = 2;        // 1 worst to kMildest; only of ready, else 0
  int umbrella_issue = 0;  // umbrella, known: that issue; held(eager): the issue it belongs to nevertheless, 0 if none
  std::string reason;      // held only: "stride", "flaky", "eager", …
  [[nodiscard]] bool is_ready() const { return klass == Class::ready; }
  [[nodiscard]] bool is_held(std::string_view for_this) const { return klass == Class::held && reason == for_this; }
  /// "ready", "umbrella(197554)", "known(197893)", "held(stride)".
  [[nodiscard]] std::string text() const;
};
constexpr auto names(Disposition::Class) {
  return std::to_array<std::string_view>({"ready", "umbrella", "known", "held"});
}

/// `reason`: lower-case letters and underscores.
[[nodiscard]] inline Disposition held(std::string_view reason) {
  return {.klass = Disposition::Class::held, .severity = 0, .reason = std::string(reason)};
}

/// The result of the newest torch that is configured.
enum class NewestTorch { not_configured, untried, shows, gone, different };

/// The result of the finding's stand-alone script, run without parityd on each torch that the finding is claimed for
/// and that is available.
enum class ScriptRuns { not_asked, wanted, shown, not_shown };

/// The result of one run.
[[nodiscard]] ScriptRuns script_runs(const ScriptReport& report);

/// Facts outside the evidence that the table needs. The defaults mean "unknown": rows about them do not apply.
struct DispositionFacts {
  bool flaky = false;  // not every confirmation round showed it
  Trigger trigger = Trigger::unknown;
  NewestTorch newest = NewestTorch::not_configured;
  std::optional<std::chrono::seconds> known_age;  // age of the table of known issues; nullopt: there is none
  std::chrono::seconds known_max_age = std::chrono::hours(7 * 24);
  bool strict_strides = false;        // a stride stays wrong under strict_output_strides
  bool felt_downstream = false;       // a layout changes a value or causes an error in later operators
  bool calls_overloads = false;       // of the program
  bool asks_for_strides = false;      // likewise
  std::optional<Side> out_of_bounds;  // whose code reads or writes outside its memory
  ScriptRuns script = ScriptRuns::not_asked;
};

/// Whether a program's text calls torch's own operators as `torch.ops.aten.add.Scalar`, which few users do.
[[nodiscard]] bool calls_overloads(std::string_view program);
/// Whether it looks at strides, so that whole numbers among its results may be strides.
[[nodiscard]] bool asks_for_strides(std::string_view program);

/// The configuration's choices for rows, by name. nullopt: the row is skipped.
using DispositionChoices = std::map<std::string, std::optional<Disposition>, std::less<>>;

struct DisposedBy {
  std::string_view row;
  Disposition disposition;
};
/// For an inconsistent verdict: the first row that applies. If it makes the finding ready, a row about its script that
/// applies overrides it, whatever the configuration says about the first row.
[[nodiscard]] DisposedBy dispose(const Verdict& verdict, const Evidence& evidence, const DispositionFacts& facts = {},
                                 const DispositionChoices& choices = {});

/// A row, for people: docs/disposition.md lists them all.
struct DispositionRow {
  std::string_view name;         // "strides"
  std::string_view about;        // the findings it applies to
  std::string_view disposition;  // their disposition, as a configuration would write it
};
/// Applies to everything and cannot be skipped.
inline constexpr std::string_view kLastRow = "wrong";

/// In the order in which they are checked; those after kLastRow are about scripts, of findings that the others make
/// ready.
[[nodiscard]] const std::vector<DispositionRow>& disposition_rows();

/// "ready(1)", "ready" (severity 2), "umbrella(197554)", "known(197893)", "held(stride)"; nullopt for anything else.
[[nodiscard]] std::optional<Disposition> disposition_from_text(std::string_view text);

}  // namespace parityd::oracle
