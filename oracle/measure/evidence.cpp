#include "oracle/measure/evidence.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <type_traits>

#include "oracle/measure/elements.h"
#include "oracle/measure/layout.h"
#include "oracle/measure/otherwise.h"
#include "oracle/measure/same.h"
#include "oracle/measure/worst.h"

namespace parityd::oracle {
namespace {

const RunRecord* record_of(const std::vector<const RunRecord*>& records, Mode mode) {
  const auto found =
      std::find_if(records.begin(), records.end(), [&](const RunRecord* record) { return record->mode == mode; });
  return found == records.end() ? nullptr : *found;
}

constexpr double kRoundingOfTolerances = 1000;  // of a type's relative tolerance: 1.3e-3 in float32
constexpr double kBeyondNoise = 10;             // rounding noise in eager moves an ill-conditioned output this far, too
constexpr double kMostRounding = 0.1;           // of rms, in any type

using Pair = std::pair<Mode, Mode>;

bool is_of(const Measurement& measurement, const Trio& trio) {
  return measurement.expected == Mode::eager && measurement.actual == trio.compiled->mode;
}

std::string way_of(const Outcome* outcome) {
  return outcome == nullptr || outcome->double_way.empty() ? "no way" : outcome->double_way;
}

/// The two double runs are of one program only if both were made the same way. If not, there is no double run: the
/// compiled one is dropped, outcome and record.
void keep_one_double_way(Evidence& evidence, std::vector<const RunRecord*>& ran) {
  const Outcome* const reference = evidence.outcome(Mode::reference);
  const Outcome* const compiled = evidence.outcome(Mode::inductor_fp64);
  if (compiled != nullptr && way_of(compiled) != way_of(reference)) {
    evidence.warnings.push_back("no double run: reference went " + way_of(reference) + ", inductor_fp64 went " +
                                way_of(compiled));
    evidence.outcomes.erase(Mode::inductor_fp64);
    ran.erase(std::remove_if(ran.begin(), ran.end(),
                             [](const RunRecord* record) { return record->mode == Mode::inductor_fp64; }),
              ran.end());
  } else if (evidence.ran(Mode::reference) && !reference->double_way.empty()) {
    evidence.warnings.push_back("double run: " + reference->double_way);
  }
}

bool is_output(const LeafMeasurement& leaf) {
  return leaf.group == LeafGroup::output || leaf.group == LeafGroup::earlier_output;
}

/// Eager and compiled code agree on the output, but it is too far from the double run to be rounding of its own type.
bool is_of_other_draws(const Evidence& evidence, const LeafMeasurement& from_double) {
  const LeafMeasurement* const plain = evidence.leaf(Mode::eager, evidence.compiled, from_double.path);
  if (plain == nullptr || !is_output(*plain) || is_exact(plain->dtype)) return false;
  if (plain->metadata_differs() || plain->values_differ()) return false;
  const LeafMeasurement* const noise = evidence.leaf(Mode::eager, Mode::eager_noise, from_double.path);
  if (noise != nullptr && from_double.rms_difference <= kBeyondNoise * noise->rms_difference) return false;
  const double rounding = std::min(kRoundingOfTolerances * default_tolerance(plain->dtype).relative, kMostRounding);
  return from_double.rms_difference > rounding * from_double.rms_expected;
}

/// PyTorch draws different numbers in double than in float (CUDA always, the CPU from 16 normal ones on). If this
/// shows, the double run is of another program, and both its modes are dropped.
bool drop_double_of_other_draws(Evidence& evidence) {
  const Outcome* const compiled = evidence.outcome(evidence.compiled);
  const Measurement* const eager = evidence.measurement(Mode::reference, Mode::eager);
  if (compiled == nullptr || compiled->seeded.empty() || eager == nullptr) return false;
  if (std::ranges::none_of(eager->leaves, [&](const auto& leaf) { return is_of_other_draws(evidence, leaf); }))
    return false;
  evidence.warnings.emplace_back("no double run: different random numbers are drawn in double");
  evidence.outcomes.erase(Mode::reference);
  evidence.outcomes.erase(Mode::inductor_fp64);
  std::erase_if(evidence.measurements, [](const Measurement& one) { return one.expected == Mode::reference; });
  return true;
}

constexpr double kExtreme = 1e6;
constexpr double kHalfRange = 65504.0 / 8;  // half's own: a sum of few such values reaches infinity

double extreme_of(Dtype dtype) { return dtype == Dtype::float16 ? kHalfRange : kExtreme; }

template <typename Value>
void look_at(Value value, Dtype dtype, InputFacts& facts) {
  if constexpr (std::is_same_v<Value, double>) {
    facts.non_finite |= !std::isfinite(value);
    facts.extreme |= std::isfinite(value) && std::abs(value) > extreme_of(dtype);
  } else if constexpr (sizeof(Value) > 1) {
    constexpr double kMostOrdinary = static_cast<double>(std::numeric_limits<Value>::max()) / 2;
    facts.extreme |= std::abs(static_cast<double>(value)) > kMostOrdinary;
  }
}

void look_at(const Leaf& leaf, const StorageView& storage, InputFacts& facts) {
  const auto size = static_cast<std::int64_t>(element_size(leaf.dtype));
  const std::byte* const first = storage.data + leaf.offset * size;
  layout::Walk walk = layout::walk_together({&leaf});
  const Dtype part = elements::component(leaf.dtype);
  const auto part_size = static_cast<std::int64_t>(element_size(part));
  if (part != leaf.dtype) walk.dimensions.push_back({2, {part_size}});
  elements::with_loader(part, [&](auto loader) {
    layout::for_each_row(walk, {first}, [&](layout::Pointers at, const layout::Dimension& row) {
      for (std::int64_t i = 0; i < row.size; ++i, at[0] += row.steps[0]) {
        look_at(decltype(loader)::load(at[0]), part, facts);
      }
    });
  });
}

/// A Python float, from its repr.
void look_at_number(const Leaf& leaf, InputFacts& facts) {
  if (leaf.type != "float") return;
  const bool known = leaf.value == "nan" || leaf.value == "inf" || leaf.value == "-inf";
  facts.non_finite |= known;
  if (!known) facts.extreme |= std::abs(std::strtod(leaf.value.c_str(), nullptr)) > kExtreme;
}

}  // namespace

std::optional<Mode> own_hang(const Evidence& evidence) {
  for (const auto& [mode, outcome] : evidence.outcomes) {
    const bool compiled_code = mode != Mode::eager && calls_model(outcome.step);
    if (outcome.kind == OutcomeKind::hung && outcome.step != Step::start && !compiled_code) return mode;
  }
  return std::nullopt;
}

GraphForms::Kind GraphForms::kind() const {
  if (seen == 0) return Kind::none;
  if (interpreted > 0) return Kind::interpreted;
  return std::cmp_less(fresh.size(), much) ? Kind::sampled : Kind::compiled;
}

GraphForms GraphForms::of(Kind kind) {
  return {.seen = kind == Kind::none ? 0 : 1,
          .interpreted = kind == Kind::interpreted ? 1 : 0,
          .fresh = {},
          .much = kind == Kind::compiled ? 0 : 1};
}

const Outcome* Evidence::outcome(Mode mode) const {
  const auto found = outcomes.find(mode);
  return found == outcomes.end() ? nullptr : &found->second;
}

bool Evidence::ran(Mode mode) const {
  const Outcome* const found = outcome(mode);
  return found != nullptr && found->kind == OutcomeKind::ran;
}

const Measurement* Evidence::measurement(Mode expected, Mode actual) const {
  const auto found = std::find_if(measurements.begin(), measurements.end(), [&](const Measurement& candidate) {
    return candidate.expected == expected && candidate.actual == actual;
  });
  return found == measurements.end() ? nullptr : &*found;
}

const LeafMeasurement* Evidence::leaf(Mode expected, Mode actual, const std::string& path) const {
  const Measurement* const measured = measurement(expected, actual);
  return measured == nullptr ? nullptr : measured->find(path);
}

std::vector<std::pair<Mode, Mode>> pairs_to_measure(Mode compiled) {
  std::vector<std::pair<Mode, Mode>> pairs{{Mode::eager, compiled}, {Mode::reference, compiled}};
  for (const ModeRow& row : mode_rows()) {
    const Mode mode = *from_name<Mode>(row.name);
    if (row.against && mode != compiled) pairs.emplace_back(*row.against, mode);
  }
  return pairs;
}

Trio trio_of(const std::vector<const RunRecord*>& records, const std::vector<Pair>& pairs) {
  Trio trio{.eager = record_of(records, Mode::eager)};
  for (const auto& [expected, actual] : pairs) {
    if (expected == Mode::eager && trio.compiled == nullptr) trio.compiled = record_of(records, actual);
  }
  if (trio.eager == nullptr || trio.compiled == nullptr) return {};
  const bool asked = std::find(pairs.begin(), pairs.end(), Pair{Mode::reference, trio.compiled->mode}) != pairs.end();
  if (asked) trio.reference = record_of(records, Mode::reference);
  return trio;
}

std::vector<Measurement> measure_pairs(const std::vector<const RunRecord*>& records, const std::vector<Pair>& pairs,
                                       const Trio& trio, const MeasuredLeaves& leaves) {
  std::vector<Measurement> measurements;
  for (const auto& [expected_mode, actual_mode] : pairs) {
    const RunRecord* const expected = record_of(records, expected_mode);
    const RunRecord* const actual = record_of(records, actual_mode);
    if (expected == nullptr || actual == nullptr) continue;
    auto measured = compare(*expected, *actual, trio, leaves);
    measurements.push_back(measured ? std::move(*measured) : compare(*expected, *actual));
  }
  const RunRecord* const noise = record_of(records, Mode::eager_noise);
  const RunRecord* const otherwise = record_of(records, Mode::eager_otherwise);
  for (Measurement& measurement : measurements) {
    if (trio.eager == nullptr || !is_of(measurement, trio)) continue;
    if (noise != nullptr) count_beyond_noise(measurement, *trio.eager, *trio.compiled, *noise);
    if (otherwise != nullptr) find_otherwise(measurement, *trio.eager, *trio.compiled, *otherwise);
  }
  return measurements;
}

Evidence evidence_from(Mode compiled, const std::vector<RunRecord>& records) {
  Evidence evidence;
  evidence.compiled = compiled;
  std::vector<const RunRecord*> ran;
  for (const RunRecord& record : records) {
    evidence.outcomes.insert_or_assign(record.mode, record.outcome);
    if (record.outcome.kind == OutcomeKind::ran) ran.push_back(&record);
  }
  keep_one_double_way(evidence, ran);
  const auto pairs = pairs_to_measure(compiled);
  Trio trio = trio_of(ran, pairs);
  MeasuredLeaves leaves;
  if (trio.eager != nullptr) leaves = measure_leaves(*trio.eager, *trio.compiled, trio.reference);
  evidence.measurements = measure_pairs(ran, pairs, trio, leaves);
  if (drop_double_of_other_draws(evidence)) trio.reference = nullptr;
  if (trio.eager != nullptr && trio.compiled->mode == compiled) {
    SameAnswer answer = same(*trio.eager, *trio.compiled, trio.reference, leaves);
    evidence.same = answer.verdict;
    evidence.same_detail = std::move(answer.detail);
  }
  for (Measurement& measurement : evidence.measurements) {
    const bool asked = measurement.expected == Mode::eager && measurement.actual == compiled;
    if (asked) name_worst(measurement, *trio.eager, *trio.compiled, trio.reference);
  }
  return evidence;
}

InputFacts input_facts(const RunRecord& record) {
  InputFacts facts;
  for (const Leaf& leaf : record.leaves) {
    if (leaf.group != LeafGroup::input) continue;
    if (!leaf.is_tensor) {
      look_at_number(leaf, facts);
    } else if (!layout::fault(leaf, record.storages).empty()) {
      continue;
    } else if (layout::element_count(leaf) == 0) {
      facts.zero_size = true;
    } else if (leaf.storage >= 0) {
      look_at(leaf, record.storages[static_cast<std::size_t>(leaf.storage)], facts);
    }
  }
  return facts;
}

}  // namespace parityd::oracle
