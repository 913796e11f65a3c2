// Evidence: what each examination of a program showed, and what went wrong beside it. Times are Unix milliseconds.
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

/// What a job runs a program for. Evidence is kept of the first eight: of a program `screen`, `beyond`, `closer`,
/// `gate` (round 1..), `ladder` and `rest`; of what it was reduced to `final_gate` (round 1..) and `reach` (trial 1..).
enum class Examination { screen, beyond, closer, gate, final_gate, ladder, rest, reach, candidate, ablation, recheck };
constexpr auto names(Examination) {
  return std::to_array<std::string_view>({"screen", "beyond", "closer", "gate", "final_gate", "ladder", "rest", "reach",
                                          "candidate", "ablation", "recheck"});
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
  std::string neutralisers = {};  // that held in the compiled runs, as AttributionRow's; empty: none
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

/// Screens by what became of the graphs of their compiled run.
struct GraphCount {
  oracle::GraphForms::Kind graphs = oracle::GraphForms::Kind::none;
  std::int64_t screens = 0;
  std::int64_t suspects = 0;      // differed there
  std::int64_t inconsistent = 0;  // and their programs in fresh processes
};

/// Programs by the mode that compiled them, on one kind of device.
struct ModeCount {
  std::string mode, device;
  std::int64_t programs = 0;  // screened; of these:
  std::int64_t excused = 0;
  std::int64_t suspects = 0;      // ever entered the gate
  std::int64_t inconsistent = 0;  // showed it in fresh processes
  std::int64_t findings = 0;      // that they belong to
  double screen_seconds = 0;      // of a worker, for one screen on average
};

struct HarnessFailureRow {
  std::optional<Id> program;
  std::string text;
  Millis at = 0;
};

/// Evidence: what each examination of a program showed, and what went wrong beside it. One thread.
class Examinations : public Table {
 public:
  using Table::Table;

  void add(const EvidenceRow& row);  // runs, measurements and the verdict
  /// In the order in which they were made; those after one alone. Of graphs only their kind comes back.
  [[nodiscard]] std::vector<EvidenceRow> of(Id program, Id after = 0) const;
  /// Each program that was examined, oldest first; the list is not held in memory.
  void for_each_program(const std::function<void(Id)>& use) const;
  /// Kept apart: `state_dependent` (warm only), `flaky`.
  void add_oddity(Id program, const std::string& what, const std::string& text, Millis at);
  void add_harness_failure(std::optional<Id> program, const std::string& text, Millis at);
  [[nodiscard]] std::vector<ExaminationRow> recent(int limit) const;
  /// Of programs that parityd makes. None of screens that had no graph, or whose modes have settings of their own, and
  /// none of those that were compiled because the one before, which was not, did not end the program.
  [[nodiscard]] std::vector<GraphCount> graphs_since(Millis since) const;
  /// Of programs screened since, the most programs first; whatever their origin.
  [[nodiscard]] std::vector<ModeCount> modes_since(Millis since) const;
  [[nodiscard]] std::vector<HarnessFailureRow> harness_failures(int limit) const;
};

}  // namespace parityd::store
