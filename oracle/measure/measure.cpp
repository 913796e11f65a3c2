#include "oracle/measure/measure.h"

#include <cmath>

#include "oracle/measure/scan.h"

namespace parityd::oracle {
namespace {

void repeat(PairTotals& totals, std::int64_t times) {
  for (std::int64_t* count : {&totals.unequal, &totals.nan_differs, &totals.inf_differs, &totals.sign_differs,
                              &totals.nan_bits, &totals.finite, &totals.nan, &totals.cancelled})
    *count *= times;
  totals.sum_difference *= static_cast<double>(times);
  totals.sum_expected *= static_cast<double>(times);
}

bool overflows(const PairTotals& totals) {
  return !std::isfinite(totals.sum_difference) || !std::isfinite(totals.sum_expected);
}

const Leaf* partner(const Leaf& leaf, const RunRecord& owner, const LeavesByPath& others, const RunRecord& record) {
  const auto found = others.find(leaf.path);
  if (found == others.end() || !has_elements(leaf, owner) || !has_elements(*found->second, record)) return nullptr;
  const Leaf* const other = found->second;
  return other->shape == leaf.shape && comparable(leaf.dtype, other->dtype) ? other : nullptr;
}

}  // namespace

void repeat(LeafTotals& totals, std::int64_t times) {
  if (times == 1) return;
  repeat(totals.compiled, times);
  repeat(totals.eager_reference, times);
  repeat(totals.compiled_reference, times);
  totals.elements *= times;
  totals.sum_product *= static_cast<double>(times);
  totals.sum_compiled *= static_cast<double>(times);
}

bool overflows(const LeafTotals& totals) {
  return overflows(totals.compiled) || overflows(totals.eager_reference) || overflows(totals.compiled_reference);
}

bool comparable(Dtype one, Dtype other) {
  if (one == other) return true;
  return (is_floating(one) && is_floating(other)) || (is_complex(one) && is_complex(other));
}

bool has_elements(const Leaf& leaf, const RunRecord& record) {
  return leaf.is_tensor && leaf.storage >= 0 && layout::fault(leaf, record.storages).empty() &&
         layout::element_count(leaf) > 0;
}

MeasuredLeaf measure_leaf(const Leaf& eager, const RunRecord& eager_record, const Leaf& compiled,
                          const RunRecord& compiled_record, const Leaf* reference, const RunRecord* reference_record,
                          const SameSettings& settings) {
  scan::Triple triple{scan::operand_of(eager, eager_record), scan::operand_of(compiled, compiled_record), {}};
  layout::Walk walk;
  if (reference != nullptr) {
    triple.reference = scan::operand_of(*reference, *reference_record);
    walk = layout::walk_together({&eager, &compiled, reference});
  } else {
    walk = layout::walk_together({&eager, &compiled});
  }
  const Closeness closeness = closeness_of(eager.dtype, settings.tolerance, settings.equal_nan);
  MeasuredLeaf measured;
  measured.with_reference = reference != nullptr;
  measured.totals = scan::scan(walk, triple, closeness, 1);
  if (overflows(measured.totals)) {
    measured.scaled = scan::scan(walk, triple, closeness, MeasuredLeaf::kScale);
    repeat(measured.scaled, walk.repeats);
  }
  repeat(measured.totals, walk.repeats);
  return measured;
}

std::vector<LeafTriple> triples_of(const RunRecord& eager, const RunRecord& compiled, const RunRecord* reference) {
  const auto compiled_leaves = leaves_by_path(compiled);
  const auto reference_leaves = reference != nullptr ? leaves_by_path(*reference) : LeavesByPath{};
  std::vector<LeafTriple> triples;
  for (const Leaf& leaf : eager.leaves) {
    const Leaf* const other = partner(leaf, eager, compiled_leaves, compiled);
    if (other == nullptr) continue;
    const Leaf* third = reference != nullptr ? partner(leaf, eager, reference_leaves, *reference) : nullptr;
    if (third != nullptr && !comparable(other->dtype, third->dtype)) third = nullptr;
    triples.push_back({&leaf, other, third});
  }
  return triples;
}

MeasuredLeaves measure_leaves(const RunRecord& eager, const RunRecord& compiled, const RunRecord* reference,
                              const SameSettings& settings) {
  MeasuredLeaves measured;
  for (const auto& [one, other, third] : triples_of(eager, compiled, reference))
    measured.emplace(one->path, measure_leaf(*one, eager, *other, compiled, third, reference, settings));
  return measured;
}

}  // namespace parityd::oracle
