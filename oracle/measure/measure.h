// The fused measurement: one pass over eager, compiled and reference takes every number of every pair of them, and
// those that torch's `same` asks for. measure.cu does the same on the GPU. Any thread.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "oracle/measure/totals.h"
#include "oracle/run_record.h"

namespace parityd::oracle {

/// What `same` is asked with; the defaults are those of evidence. As in torch's signature, but for `equal_nan`.
struct SameSettings {
  double tolerance = 1e-4;
  bool equal_nan = true;
  bool cosine_similarity = false;
  bool ignore_non_floating = false;
  bool larger_multiplier = false;   // use_larger_multiplier_for_smaller_tensor
  bool largest_multiplier = false;  // force_max_multiplier
  bool iou_for_bool = false;
  double iou_threshold = 0.99;
  int torch_minor = 13;  // of torch 2.x: the bounds of larger_multiplier moved
};

/// One leaf's numbers, of all its elements, expanded ones too.
struct MeasuredLeaf {
  LeafTotals totals;
  LeafTotals scaled;  // where sums of `totals` are infinite: the same over values times kScale
  bool with_reference = false;

  static constexpr double kScale = 0x1p-600;
};
/// By path: the tensors that eager and compiled have in one shape and in types that can be compared. The reference's
/// numbers are there where it has the leaf likewise.
using MeasuredLeaves = std::unordered_map<std::string, MeasuredLeaf>;

/// `reference` may be null.
[[nodiscard]] MeasuredLeaves measure_leaves(const RunRecord& eager, const RunRecord& compiled,
                                            const RunRecord* reference, const SameSettings& settings = {});

/// The same of one leaf, of two or three of one shape without fault, comparable, with elements.
[[nodiscard]] MeasuredLeaf measure_leaf(const Leaf& eager, const RunRecord& eager_record, const Leaf& compiled,
                                        const RunRecord& compiled_record, const Leaf* reference = nullptr,
                                        const RunRecord* reference_record = nullptr, const SameSettings& settings = {});

/// One leaf of the records that measure_leaves() goes through.
struct LeafTriple {
  const Leaf* eager = nullptr;
  const Leaf* compiled = nullptr;
  const Leaf* reference = nullptr;  // may be null
};
[[nodiscard]] std::vector<LeafTriple> triples_of(const RunRecord& eager, const RunRecord& compiled,
                                                 const RunRecord* reference);

/// Makes of distinct elements' numbers those of all, each counted `times`.
void repeat(LeafTotals& totals, std::int64_t times);

/// Whether some sum needs MeasuredLeaf::kScale.
[[nodiscard]] bool overflows(const LeafTotals& totals);

/// Whether a tensor's elements may be read and there are some.
[[nodiscard]] bool has_elements(const Leaf& leaf, const RunRecord& record);

/// Two floating or two complex types can be compared whatever their width; exact types only with their like.
[[nodiscard]] bool comparable(Dtype one, Dtype other);

// The fused measurement on the GPU (measure.cu): the leaves of measure.h whose storages lie in device memory.
// There only where a CUDA compiler was found; no torch header is needed.

/// As measure_leaves(), on `stream` (a cudaStream_t; null: the default one), with one transfer to the host for all
/// leaves. Left out are leaves that lie on the host in one of the records, leaves of more than 16 dimensions that do
/// not merge, and elements not aligned to their size. torch's isclose of half types rounds otherwise on the GPU: `far`
/// is what torch says of the copies on the host. Throws std::runtime_error.
[[nodiscard]] MeasuredLeaves measure_leaves_on_device(const RunRecord& eager, const RunRecord& compiled,
                                                      const RunRecord* reference, const SameSettings& settings,
                                                      void* stream);

}  // namespace parityd::oracle
