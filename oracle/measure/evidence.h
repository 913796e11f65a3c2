// Evidence: the outcomes and measurements a verdict is made from. Pure data; any thread.
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

/// What the inputs of a program hold that ordinary inputs do not: the "edge" row of docs/disposition.md.
struct InputFacts {
  bool non_finite = false;  // NaN or infinity in a floating or complex input
  bool extreme = false;     // a finite value beyond a million (half: 8190), an integer beyond half its type's range
  bool zero_size = false;   // a tensor without elements

  [[nodiscard]] bool edge() const { return non_finite || extreme || zero_size; }
};

/// Looks at the leaves of group `input`, Python numbers included; integers of one byte are never extreme. Leaves that
/// point outside their storage are passed over.
[[nodiscard]] InputFacts input_facts(const RunRecord& record);

/// What became of the graphs that the compiled mode of a warm run gave Inductor to make code of, and what was new about
/// them (executor/worker/running/graph_forms.py). Empty of modes with settings of their own, and without graphs.
struct GraphForms {
  enum class Kind {
    none,
    compiled,     // there was much that the worker had not been told of
    sampled,      // there was not, and all was compiled all the same
    interpreted,  // a graph at least was run by eager kernels in place of its code
  };

  int seen = 0;
  int interpreted = 0;                    // graphs
  std::vector<std::uint64_t> fresh = {};  // forms; 52 bits each
  int much = 1;                           // so many fresh forms; known where the run was asked for

  [[nodiscard]] Kind kind() const;
  /// Some of this kind.
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
  std::string same_detail;            // why `same` could not judge, when it could not
  std::vector<std::string> warnings;  // "no double run: …"
  std::vector<std::string> untried;   // names of neutralisers this torch does not know: they changed nothing
  std::vector<std::string> features;  // what the compiler said it did in the compiled mode; of a warm run only
  GraphForms graphs;
  InputFacts inputs;  // of a gate round; the worker does not look

  [[nodiscard]] const Outcome* outcome(Mode mode) const;
  [[nodiscard]] bool ran(Mode mode) const;
  [[nodiscard]] const Measurement* measurement(Mode expected, Mode actual) const;
  [[nodiscard]] const LeafMeasurement* leaf(Mode expected, Mode actual, const std::string& path) const;
};

/// The rule of programs whose own code hangs.
inline constexpr std::string_view kOwnHang = "outcome.own_hang";

/// The mode that hung where the program's own code runs and no compiled code: in eager, or in a step that calls no
/// model. That settles the program: asking again costs another deadline. Before its first step nothing of it runs.
[[nodiscard]] std::optional<Mode> own_hang(const Evidence& evidence);

/// The pairs (expected, actual) the rules look at among the records of one round; the caller measures those.
[[nodiscard]] std::vector<std::pair<Mode, Mode>> pairs_to_measure(Mode compiled);

/// Among `records`: eager, the mode that `pairs` compare with it and, where it is there and asked for, the reference.
/// All null where there are no such two.
[[nodiscard]] Trio trio_of(const std::vector<const RunRecord*>& records,
                           const std::vector<std::pair<Mode, Mode>>& pairs);

/// Measures the asked pairs among `records`, in their order; those without both records are left out. Numbers of the
/// trio are taken from `leaves`, whoever measured them. What noise and eager_otherwise say of the trio's pair is added.
[[nodiscard]] std::vector<Measurement> measure_pairs(const std::vector<const RunRecord*>& records,
                                                     const std::vector<std::pair<Mode, Mode>>& pairs, const Trio& trio,
                                                     const MeasuredLeaves& leaves);

/// Builds evidence from records by comparing the pairs above that ran, torch's `same` included. `records` need not be
/// complete.
[[nodiscard]] Evidence evidence_from(Mode compiled, const std::vector<RunRecord>& records);

}  // namespace parityd::oracle
