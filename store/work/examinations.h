// Evidence: the result of each examination of a program, oddities, and harness failures. Times are Unix milliseconds.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "oracle/measure/evidence.h"
#include "oracle/names.h"
#include "oracle/rules/verdict.h"
#include "store/base/table.h"

namespace parityd::store {

using oracle::name;

/// Why a job runs a program. Evidence is kept of the first eight: of a program `screen`, `masked`, `controls`,
/// `confirmation` (round 1..), `stages` and `residual`; of its reduced program `final_confirmation` (round 1..) and
/// `trigger` (trial 1..).
enum class Examination {
  screen,
  masked,
  controls,
  confirmation,
  final_confirmation,
  stages,
  residual,
  trigger,
  candidate,
  ablation,
  recheck
};
constexpr auto names(Examination) {
  return std::to_array<std::string_view>({"screen", "masked", "controls", "confirmation", "final_confirmation",
                                          "stages", "residual", "trigger", "candidate", "ablation", "recheck"});
}

/// One job's evidence about a program.
struct EvidenceRow {
  Id id = 0;  // given by the store
  Id program = 0;
  Examination purpose = Examination::candidate;
  int round = 0;
  Id environment = 0;
  oracle::Evidence evidence;
  oracle::Verdict verdict;
  std::string neutralisers = {};  // on in the compiled runs, as in AttributionRow; empty: none
  double worker_seconds = 0;
  Millis at = 0;
};

struct ExaminationRow {
  Id id = 0, program = 0;
  Examination purpose = Examination::candidate;
  std::string device, torch, verdict;
  int round = 0;
  double worker_seconds = 0;
  Millis at = 0;
};

/// Screens, by the form in which the graphs of their compiled run ran.
struct GraphCount {
  oracle::GraphForms::Kind graphs = oracle::GraphForms::Kind::none;
  std::int64_t screens = 0;
  std::int64_t suspects = 0;      // differed there
  std::int64_t inconsistent = 0;  // of these, programs that were inconsistent in fresh processes
};

/// Programs by the mode that compiled them, on one kind of device.
struct ModeCount {
  std::string mode, device;
  std::int64_t programs = 0;  // screened; of these:
  std::int64_t excused = 0;
  std::int64_t suspects = 0;      // ever entered confirmation
  std::int64_t inconsistent = 0;  // were inconsistent in fresh processes
  std::int64_t findings = 0;      // to which they belong
  double screen_seconds = 0;      // worker time for one screen, on average
};

struct HarnessFailureRow {
  std::optional<Id> program;
  std::string text;
  Millis at = 0;
};

/// Evidence: the result of each examination of a program, oddities, and harness failures. One thread.
class Examinations : public Table {
 public:
  using Table::Table;

  void add(const EvidenceRow& row);  // runs, measurements and the verdict
  /// In the order in which they were made; only those after `after`. Of graphs, only their kind is restored.
  [[nodiscard]] std::vector<EvidenceRow> of(Id program, Id after = 0) const;
  /// Calls `use` with each examined program, oldest first; the list is not held in memory.
  void for_each_program(const std::function<void(Id)>& use) const;
  /// Differences that are not findings: `state_dependent` (warm only), `flaky`.
  void add_oddity(Id program, const std::string& what, const std::string& text, Millis at);
  void add_harness_failure(std::optional<Id> program, const std::string& text, Millis at);
  [[nodiscard]] std::vector<ExaminationRow> recent(int limit) const;
  /// Programs made by parityd. Left out are screens without graphs, screens in modes with settings of their own, and
  /// screens compiled only because an earlier one, which was not compiled, did not end the program.
  [[nodiscard]] std::vector<GraphCount> graphs_since(Millis since) const;
  /// Programs screened since then, of any origin; the mode with the most programs first.
  [[nodiscard]] std::vector<ModeCount> modes_since(Millis since) const;
  [[nodiscard]] std::vector<HarnessFailureRow> harness_failures(int limit) const;
};

}  // namespace parityd::store
