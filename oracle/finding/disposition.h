// Disposition: is a finding worth a maintainer's time? One table (docs/disposition.md), whose rows are asked in order,
// and two more of what would be ready; policy, apart from the facts. Pure; any thread.
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

struct Disposition {
  enum class Class { ready, umbrella, known, held } klass = Class::ready;
  int severity = 2;        // 1 worst; ready only: else 0
  int umbrella_issue = 0;  // umbrella, known: that issue; held(eager): where it belongs all the same, 0 nowhere
  std::string reason;      // held only: "stride", "flaky", "eager", …
  [[nodiscard]] bool is_ready() const { return klass == Class::ready; }
  [[nodiscard]] bool is_held(std::string_view for_this) const { return klass == Class::held && reason == for_this; }
  /// "ready", "umbrella(197554)", "known(197893)", "held(stride)".
  [[nodiscard]] std::string text() const;
};
constexpr auto names(Disposition::Class) {
  return std::to_array<std::string_view>({"ready", "umbrella", "known", "held"});
}

/// `reason`: small letters and underscores.
[[nodiscard]] inline Disposition held(std::string_view reason) {
  return {.klass = Disposition::Class::held, .severity = 0, .reason = std::string(reason)};
}

/// The newest torch that is configured, and what it said.
enum class NewestTorch { not_configured, untried, shows, gone, different };

/// What the finding's stand-alone script did, run without parityd on each torch that it is claimed for and that is
/// here.
enum class ScriptRuns { not_asked, wanted, shown, not_shown };

/// Of one run.
[[nodiscard]] ScriptRuns script_runs(const ScriptReport& report);

/// What the table asks that is not in the evidence. The defaults say "unknown": such a row does not apply.
struct DispositionFacts {
  bool flaky = false;  // not every round of the gate showed it
  Reach reach = Reach::unknown;
  NewestTorch newest = NewestTorch::not_configured;
  std::optional<std::chrono::seconds> known_age;  // of the table of known issues; nullopt: there is none
  std::chrono::seconds known_max_age = std::chrono::hours(7 * 24);
  bool strict_strides = false;        // a stride stays wrong under strict_output_strides
  bool felt_downstream = false;       // a layout changes a value or raises in what follows
  std::optional<Side> out_of_bounds;  // whose code reads or writes outside its memory
  ScriptRuns script = ScriptRuns::not_asked;
};

/// The configuration's word on rows, by name. nullopt: the row is passed over.
using DispositionChoices = std::map<std::string, std::optional<Disposition>, std::less<>>;

struct DisposedBy {
  std::string_view row;
  Disposition disposition;
};
/// For an inconsistent verdict: the first row that applies. Where that makes it ready, a row about its script that
/// applies takes it back, whatever the configuration says of the first.
[[nodiscard]] DisposedBy dispose(const Verdict& verdict, const Evidence& evidence, const DispositionFacts& facts = {},
                                 const DispositionChoices& choices = {});

/// A row, for people: docs/disposition.md lists them all.
struct DispositionRow {
  std::string_view name;         // "strides"
  std::string_view about;        // the findings it is for
  std::string_view disposition;  // what it makes of them, as a configuration would say it
};
/// It applies to everything and cannot be passed over.
inline constexpr std::string_view kLastRow = "wrong";

/// In the order in which they are asked; those behind kLastRow, about scripts, of what the others make ready.
[[nodiscard]] const std::vector<DispositionRow>& disposition_rows();

/// "ready(1)", "ready" (severity 2), "umbrella(197554)", "known(197893)", "held(stride)"; nullopt for anything else.
[[nodiscard]] std::optional<Disposition> disposition_from_text(std::string_view text);

}  // namespace parityd::oracle
