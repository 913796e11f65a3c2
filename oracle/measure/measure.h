// The fused measurement: one pass over eager, compiled and reference computes all numbers of all their pairs, and those
// that torch's `same` needs. measure.cu does the same on the GPU. Any thread.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "oracle/measure/totals.h"
#include "oracle/run_record.h"

namespace parityd::oracle {

/// The arguments of `same`; the defaults are those of evidence. As in torch's signature, except for `equal_nan`.
struct SameSettings {
  double tolerance = 1e-4;
  bool equal_nan = true;
  bool cosine_similarity = false;
  bool ignore_non_floating = false;
  bool larger_multiplier = false;   // use_larger_multiplier_for_smaller_tensor
  bool largest_multiplier = false;  // force_max_multiplier
  bool iou_for_bool = false;
  double iou_threshold = 0.99;
  int torch_minor = 13;  // minor version of torch 2.x: the bounds of larger_multiplier changed
};

/// The numbers of one leaf, over all its elements, expanded ones included.
struct MeasuredLeaf {
  LeafTotals totals;
  LeafTotals scaled;  // set if sums of `totals` are infinite: the same over values times kScale
  bool with_reference = false;

  static constexpr double kScale = 0x1p-600;
};
/// By path: the tensors that have the same shape and comparable types in eager and compiled. Includes the reference's
/// numbers if its leaf has that shape and a comparable type, too.
using MeasuredLeaves = std::unordered_map<std::string, MeasuredLeaf>;

/// `reference` may be null.
[[nodiscard]] MeasuredLeaves measure_leaves(const RunRecord& eager, const RunRecord& compiled,
                                            const RunRecord* reference, const SameSettings& settings = {});

/// The same for one leaf: two or three leaves of one shape, without fault, comparable and with elements.
[[nodiscard]] MeasuredLeaf measure_leaf(const Leaf& eager, const RunRecord& eager_record, const Leaf& compiled,
                                        const RunRecord& compiled_record, const Leaf* reference = nullptr,
                                        const RunRecord* reference_record = nullptr, const SameSettings& settings = {});

/// One leaf of the records that measure_leaves() walks.
struct LeafTriple {
  const Leaf* eager = nullptr;
  const Leaf* compiled = nullptr;
  const Leaf* reference = nullptr;  // may be null
};
[[nodiscard]] std::vector<LeafTriple> triples_of(const RunRecord& eager, const RunRecord& compiled,
                                                 const RunRecord* reference);

/// Turns the numbers of distinct elements into those of all elements, each counted `times` times.
void repeat(LeafTotals& totals, std::int64_t times);

/// Whether some sum overflows and needs MeasuredLeaf::kScale.
[[nodiscard]] bool overflows(const LeafTotals& totals);

/// Whether the tensor has elements and they may be read.
[[nodiscard]] bool has_elements(const Leaf& leaf, const RunRecord& record);

/// Any two floating or any two complex types are comparable, whatever their width; exact types only with themselves.
[[nodiscard]] bool comparable(Dtype one, Dtype other);

// The fused measurement on the GPU (measure.cu), for leaves whose storages are in device memory. Only built if a CUDA
// compiler was found; needs no torch header.

/// As measure_leaves(), on `stream` (a cudaStream_t; null: the default one), with one transfer to the host for all
/// leaves. Leaves out those that are on the host in one of the records, those of more than 16 dimensions that do not
/// merge, and those whose elements are not aligned to their size. torch's isclose of half types rounds differently on
/// the GPU: `far` is torch's answer for copies on the host. Throws std::runtime_error.
[[nodiscard]] MeasuredLeaves measure_leaves_on_device(const RunRecord& eager, const RunRecord& compiled,
                                                      const RunRecord* reference, const SameSettings& settings,
                                                      void* stream);

}  // namespace parityd::oracle
