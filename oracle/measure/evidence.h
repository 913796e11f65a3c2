// Evidence: the outcomes and measurements from which a verdict is made. Pure data; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "oracle/measure/compare.h"
#include "oracle/names.h"
#include "oracle/run_record.h"

namespace parityd::oracle {

/// Properties of a program's inputs that ordinary inputs do not have: the "edge" row of docs/disposition.md.
struct InputFacts {
  bool non_finite = false;  // NaN or infinity in a floating or complex input
  bool extreme = false;     // a finite value above a million (half: 8190), or an integer above half its type's range
  bool zero_size = false;   // a tensor without elements

  [[nodiscard]] bool edge() const { return non_finite || extreme || zero_size; }
};

/// Examines the leaves of group `input`, Python numbers included; integers of one byte are never extreme. Skips leaves
/// that point outside their storage.
[[nodiscard]] InputFacts input_facts(const RunRecord& record);

/// How a warm run treated the graphs that its compiled mode gave Inductor for code generation, and how many of them
/// were new (executor/worker/running/graph_forms.py). Empty for modes with settings of their own, and without graphs.
struct GraphForms {
  enum class Kind {
    none,
    compiled,     // much was new to this worker
    sampled,      // little was new, but all of it was compiled nevertheless
    interpreted,  // eager kernels ran at least one graph instead of its code
  };

  int seen = 0;
  int interpreted = 0;                    // how many graphs
  std::vector<std::uint64_t> fresh = {};  // the forms that were new; 52 bits each
  int much = 1;                           // how many fresh forms count as much; set by whoever requested the run

  /// `none` without graphs, else `interpreted` if any graph was, else by the number of fresh forms.
  [[nodiscard]] Kind kind() const;
  /// An example of this kind.
  [[nodiscard]] static GraphForms of(Kind kind);
};
constexpr auto names(GraphForms::Kind) {
  return std::to_array<std::string_view>({"", "compiled", "sampled", "interpreted"});
}

struct Evidence {
  Mode compiled = Mode::inductor;  // the program's own compiled mode (OPTIONS `mode`)
  std::map<Mode, Outcome> outcomes;
  std::vector<Measurement> measurements;
  std::optional<bool> same;           // torch._dynamo.utils.same(eager, compiled, fp64_ref=reference, equal_nan=True)
  std::string same_detail;            // why `same` could not judge, if so
  std::vector<std::string> warnings;  // "no double run: …"
  std::vector<std::string> untried;   // names of neutralisers this torch does not know: they changed nothing
  std::vector<std::string> features;  // features that the compiler reported in the compiled mode; of a warm run only
  GraphForms graphs;
  InputFacts inputs;  // of a confirmation round; the worker does not set them

  /// These return null if the evidence has no such record, pair or leaf; ran() is then false.
  [[nodiscard]] const Outcome* outcome(Mode mode) const;
  [[nodiscard]] bool ran(Mode mode) const;
  [[nodiscard]] const Measurement* measurement(Mode expected, Mode actual) const;
  [[nodiscard]] const LeafMeasurement* leaf(Mode expected, Mode actual, const std::string& path) const;
};

/// The rule of programs whose own code hangs.
inline constexpr std::string_view kOwnHang = "outcome.own_hang";

/// The mode that hung in the program's own code: in eager, or in a step that calls no model. Such a program is settled,
/// since another run would cost another deadline. A hang before its first step does not count: nothing of the program
/// runs there. nullopt if there is no such mode.
[[nodiscard]] std::optional<Mode> own_hang(const Evidence& evidence);

/// The pairs (expected, actual) of one round's records that the rules use; the caller measures them.
[[nodiscard]] std::vector<std::pair<Mode, Mode>> pairs_to_measure(Mode compiled);

/// Among `records`: eager, the mode that `pairs` compare with it and, if it exists and is asked for, the reference. All
/// null if there is no such pair.
[[nodiscard]] Trio trio_of(const std::vector<const RunRecord*>& records,
                           const std::vector<std::pair<Mode, Mode>>& pairs);

/// Measures `pairs` among `records`, in their order; a pair without both records is left out. Numbers of the trio are
/// taken from `leaves`, whoever measured them. For the trio's pair it adds what the noise record and the
/// eager_otherwise record show.
[[nodiscard]] std::vector<Measurement> measure_pairs(const std::vector<const RunRecord*>& records,
                                                     const std::vector<std::pair<Mode, Mode>>& pairs, const Trio& trio,
                                                     const MeasuredLeaves& leaves);

/// Builds evidence from records: compares all of the above pairs whose modes ran, and applies torch's `same`. `records`
/// need not be complete.
[[nodiscard]] Evidence evidence_from(Mode compiled, const std::vector<RunRecord>& records);

}  // namespace parityd::oracle
