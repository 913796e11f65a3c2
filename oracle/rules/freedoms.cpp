#include "oracle/rules/freedoms.h"

#include <algorithm>

namespace parityd::oracle {

const std::vector<Freedom>& freedoms() {
  static const std::vector<Freedom> rows{
      {Freedom::Kind::undefined, "cast_out_of_range", "undefined.cast_out_of_range",
       "a floating value that the integer type cannot hold, or NaN, is cast to it",
       "https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html"},
      {Freedom::Kind::undefined, "right_shift_amount", "undefined.right_shift_amount",
       "a right shift by less than zero or by the width and more",
       "https://docs.pytorch.org/docs/stable/generated/torch.bitwise_right_shift.html"},
      {Freedom::Kind::undefined, "left_shift_constant", "undefined.left_shift_constant",
       "a left shift by a constant below zero or of the width and more; amounts in tensors are defined (issue 143566)",
       "https://github.com/pytorch/pytorch/issues/88547"},
      {Freedom::Kind::undefined, "duplicate_index_put", "undefined.duplicate_index_put",
       "different values are put at one index without accumulation",
       "https://docs.pytorch.org/docs/stable/generated/torch.Tensor.index_put_.html"},
      {Freedom::Kind::undefined, "duplicate_scatter", "undefined.duplicate_scatter",
       "different values are scattered to one index",
       "https://docs.pytorch.org/docs/stable/generated/torch.Tensor.scatter_.html"},
      {Freedom::Kind::undefined, "duplicate_index_copy", "undefined.duplicate_index_copy",
       "different values are copied to one index",
       "https://docs.pytorch.org/docs/stable/generated/torch.Tensor.index_copy_.html"},
      {Freedom::Kind::undefined, "duplicate_put", "undefined.duplicate_put",
       "different values are put at one position without accumulation",
       "https://docs.pytorch.org/docs/stable/generated/torch.Tensor.put_.html"},
      {Freedom::Kind::undefined, "overlapping_write", "undefined.overlapping_write",
       "a tensor is written in place some of whose own elements share memory",
       "https://docs.pytorch.org/docs/stable/generated/torch.Tensor.expand.html"},
      {Freedom::Kind::undefined, "uninitialised_memory", "undefined.uninitialised_memory",
       "memory is read that nobody has written", "https://docs.pytorch.org/docs/stable/generated/torch.empty.html"},
      {Freedom::Kind::undefined, "unsorted_boundaries", "undefined.unsorted_boundaries",
       "boundaries or a sequence to search are not in ascending order",
       "https://docs.pytorch.org/docs/stable/generated/torch.bucketize.html"},
      {Freedom::Kind::undefined, "integer_remainder_of_zero", "undefined.integer_remainder_of_zero",
       "an integer remainder by zero on the GPU", "https://docs.pytorch.org/docs/stable/generated/torch.fmod.html"},
      {Freedom::Kind::open, "tie_sort", "tie.sort", "equal elements in an unstable sort have no order",
       "https://docs.pytorch.org/docs/stable/generated/torch.sort.html"},
      {Freedom::Kind::open, "tie_topk", "tie.topk", "which of equal elements topk names is not promised",
       "https://docs.pytorch.org/docs/stable/generated/torch.topk.html"},
      {Freedom::Kind::open, "tie_kthvalue", "tie.kthvalue", "which of equal elements kthvalue names is not promised",
       "https://docs.pytorch.org/docs/stable/generated/torch.kthvalue.html"},
      {Freedom::Kind::open, "tie_median", "tie.median",
       "the index of a median is not always that of its first occurrence",
       "https://docs.pytorch.org/docs/stable/generated/torch.median.html"},
      {Freedom::Kind::open, "tie_mode", "tie.mode", "which occurrence of the mode its index names is not said",
       "https://docs.pytorch.org/docs/stable/generated/torch.mode.html"},
  };
  return rows;
}

bool was_watched(const Evidence& evidence) { return evidence.ran(Mode::eager_watched); }

std::vector<Reached> freedoms_reaching(const Evidence& evidence, const std::string& path) {
  std::vector<Reached> reached;
  const Outcome* const watched = evidence.outcome(Mode::eager_watched);
  if (watched == nullptr || watched->kind != OutcomeKind::ran) return reached;
  for (const Observation& observation : watched->observations) {
    if (std::find(observation.leaves.begin(), observation.leaves.end(), path) == observation.leaves.end()) continue;
    const auto row = std::find_if(freedoms().begin(), freedoms().end(),
                                  [&](const Freedom& freedom) { return freedom.name == observation.rule; });
    if (row != freedoms().end()) reached.push_back({&*row, &observation});
  }
  return reached;
}

}  // namespace parityd::oracle
