#include "oracle/rules/allowances.h"

#include <algorithm>

namespace parityd::oracle {
namespace {

constexpr double kWider = 4;

/// "aten.index_add_.default" and "Tensor.index_add_" are both index_add.
std::string_view base_name(std::string_view full) {
  for (const std::string_view space : {"aten.", "prims.", "Tensor.", "torch."}) {
    if (full.starts_with(space)) {
      full.remove_prefix(space.size());
      break;
    }
  }
  full = full.substr(0, full.find('.'));
  if (full.starts_with("_unsafe_")) full.remove_prefix(std::string_view("_unsafe").size());
  while (full.starts_with('_')) full.remove_prefix(1);
  while (full.ends_with('_')) full.remove_suffix(1);
  return full;
}

}  // namespace

const std::vector<Allowance>& allowances() {
  static const std::vector<Allowance> rows{
      {Allowance::Kind::undefined, "cast_out_of_range", "undefined.cast_out_of_range",
       "a floating-point value outside the integer type's range, or NaN, is cast to it",
       "https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html"},
      {Allowance::Kind::undefined, "right_shift_amount", "undefined.right_shift_amount",
       "a right shift by a negative amount, or by the width or more",
       "https://docs.pytorch.org/docs/stable/generated/torch.bitwise_right_shift.html"},
      {Allowance::Kind::undefined, "left_shift_constant", "undefined.left_shift_constant",
       "a left shift by a constant that is negative or at least the width; amounts in tensors are defined (issue "
       "143566)",
       "https://github.com/pytorch/pytorch/issues/88547"},
      {Allowance::Kind::undefined, "duplicate_index_put", "undefined.duplicate_index_put",
       "different values are put at one index without accumulation",
       "https://docs.pytorch.org/docs/stable/generated/torch.Tensor.index_put_.html"},
      {Allowance::Kind::undefined, "duplicate_scatter", "undefined.duplicate_scatter",
       "different values are scattered to one index",
       "https://docs.pytorch.org/docs/stable/generated/torch.Tensor.scatter_.html"},
      {Allowance::Kind::undefined, "duplicate_index_copy", "undefined.duplicate_index_copy",
       "different values are copied to one index",
       "https://docs.pytorch.org/docs/stable/generated/torch.Tensor.index_copy_.html"},
      {Allowance::Kind::undefined, "duplicate_put", "undefined.duplicate_put",
       "different values are put at one position without accumulation",
       "https://docs.pytorch.org/docs/stable/generated/torch.Tensor.put_.html"},
      {Allowance::Kind::undefined, "overlapping_write", "undefined.overlapping_write",
       "a tensor whose elements overlap in memory is written in place",
       "https://docs.pytorch.org/docs/stable/generated/torch.Tensor.expand.html"},
      {Allowance::Kind::undefined, "uninitialised_memory", "undefined.uninitialised_memory",
       "uninitialised memory is read", "https://docs.pytorch.org/docs/stable/generated/torch.empty.html"},
      {Allowance::Kind::undefined, "drawn_anew", "undefined.drawn_anew",
       "a checkpoint that does not preserve the generator's state draws new numbers in backward",
       "https://docs.pytorch.org/docs/stable/checkpoint.html"},
      {Allowance::Kind::undefined, "fractional_scale", "undefined.fractional_scale",
       "integers are scaled (value, alpha, beta) by a number that is not an integer",
       "https://docs.pytorch.org/docs/stable/generated/torch.addcmul.html"},
      {Allowance::Kind::undefined, "unsorted_boundaries", "undefined.unsorted_boundaries",
       "the boundaries or the sequence to search are not sorted in ascending order",
       "https://docs.pytorch.org/docs/stable/generated/torch.bucketize.html"},
      {Allowance::Kind::undefined, "integer_remainder_of_zero", "undefined.integer_remainder_of_zero",
       "an integer remainder by zero on the GPU", "https://docs.pytorch.org/docs/stable/generated/torch.fmod.html"},
      {Allowance::Kind::open, "tie_sort", "tie.sort", "an unstable sort does not define the order of equal elements",
       "https://docs.pytorch.org/docs/stable/generated/torch.sort.html"},
      {Allowance::Kind::open, "tie_topk", "tie.topk", "which of several equal elements topk returns is not defined",
       "https://docs.pytorch.org/docs/stable/generated/torch.topk.html"},
      {Allowance::Kind::open, "tie_kthvalue", "tie.kthvalue",
       "which of several equal elements kthvalue returns is not defined",
       "https://docs.pytorch.org/docs/stable/generated/torch.kthvalue.html"},
      {Allowance::Kind::open, "tie_median", "tie.median",
       "the index of a median need not be that of its first occurrence",
       "https://docs.pytorch.org/docs/stable/generated/torch.median.html"},
      {Allowance::Kind::open, "tie_mode", "tie.mode", "which occurrence of the mode its index refers to is not defined",
       "https://docs.pytorch.org/docs/stable/generated/torch.mode.html"},
  };
  return rows;
}

bool was_watched(const Evidence& evidence) { return evidence.ran(Mode::eager_watched); }

std::vector<Reached> allowances_of(const Evidence& evidence, const std::string& path) {
  std::vector<Reached> reached;
  const Outcome* const watched = evidence.outcome(Mode::eager_watched);
  if (watched == nullptr || watched->kind != OutcomeKind::ran) return reached;
  for (const Observation& observation : watched->observations) {
    if (std::find(observation.leaves.begin(), observation.leaves.end(), path) == observation.leaves.end()) continue;
    const auto row = std::find_if(allowances().begin(), allowances().end(),
                                  [&](const Allowance& allowance) { return allowance.name == observation.rule; });
    if (row != allowances().end()) reached.push_back({&*row, &observation});
  }
  return reached;
}

const std::vector<NondeterministicOperator>& nondeterministic_operators() {
  static const std::vector<NondeterministicOperator> rows{
      {"index_add", "torch.index_add"},
      {"index_put", "index_put with accumulation; gradients of indexing, index_select, embedding, repeat_interleave"},
      {"put", "torch.Tensor.put_ with accumulation"},
      {"scatter_add", "torch.Tensor.scatter_add_; the gradient of gather"},
      {"scatter_reduce", "torch.Tensor.scatter_reduce: sum, mean, prod"},
      {"histc", "torch.histc"},
      {"bincount", "torch.bincount with weights"},
      {"cumsum", "torch.cumsum of floating and complex types"},
      {"convolution", "torch.nn.Conv1d to Conv3d and their transposes"},
      {"convolution_backward", "their gradients"},
      {"bmm", "torch.bmm of a sparse and a dense tensor"},
      {"avg_pool3d_backward", "the gradient of torch.nn.AvgPool3d"},
      {"adaptive_avg_pool2d_backward", "the gradient of torch.nn.AdaptiveAvgPool2d"},
      {"adaptive_avg_pool3d_backward", "the gradient of torch.nn.AdaptiveAvgPool3d"},
      {"adaptive_max_pool2d_backward", "the gradient of torch.nn.AdaptiveMaxPool2d"},
      {"max_pool3d_with_indices_backward", "the gradient of torch.nn.MaxPool3d"},
      {"fractional_max_pool2d_backward", "the gradient of torch.nn.FractionalMaxPool2d"},
      {"fractional_max_pool3d_backward", "the gradient of torch.nn.FractionalMaxPool3d"},
      {"upsample_linear1d_backward", "the gradient of interpolate, linear"},
      {"upsample_bilinear2d_backward", "the gradient of interpolate, bilinear"},
      {"upsample_bicubic2d_backward", "the gradient of interpolate, bicubic"},
      {"upsample_trilinear3d_backward", "the gradient of interpolate, trilinear"},
      {"reflection_pad1d_backward", "the gradient of torch.nn.ReflectionPad1d"},
      {"reflection_pad2d_backward", "the gradient of torch.nn.ReflectionPad2d"},
      {"reflection_pad3d_backward", "the gradient of torch.nn.ReflectionPad3d"},
      {"replication_pad1d_backward", "the gradient of torch.nn.ReplicationPad1d"},
      {"replication_pad2d_backward", "the gradient of torch.nn.ReplicationPad2d"},
      {"replication_pad3d_backward", "the gradient of torch.nn.ReplicationPad3d"},
      {"nll_loss2d_forward", "torch.nn.NLLLoss of images"},
      {"ctc_loss_backward", "the gradient of torch.nn.CTCLoss"},
      {"embedding_dense_backward", "the gradient of torch.nn.Embedding"},
      {"embedding_bag_backward", "the gradient of torch.nn.EmbeddingBag"},
      {"grid_sampler_2d_backward", "the gradient of grid_sample"},
      {"grid_sampler_3d_backward", "the gradient of grid_sample"},
  };
  return rows;
}

std::optional<Spread> spread_of(const Evidence& evidence, const std::string& path) {
  const LeafMeasurement* const repeat = evidence.leaf(Mode::eager, Mode::eager_repeat, path);
  const Outcome* const compiled = evidence.outcome(evidence.compiled);
  if (repeat == nullptr || compiled == nullptr || repeat->unequal == 0 || repeat->metadata_differs())
    return std::nullopt;
  if (repeat->nan_differs + repeat->inf_differs > 0) return std::nullopt;
  for (const std::string& captured : compiled->operators) {
    const auto row = std::find_if(nondeterministic_operators().begin(), nondeterministic_operators().end(),
                                  [&](const auto& each) { return each.name == base_name(captured); });
    if (row != nondeterministic_operators().end()) return Spread{&*row, repeat};
  }
  return std::nullopt;
}

bool within(const Spread& spread, const LeafMeasurement& leaf) {
  const LeafMeasurement& repeat = *spread.repeat;
  if (leaf.metadata_differs() || leaf.nan_differs + leaf.inf_differs > 0) return false;
  if (is_exact(leaf.dtype) && static_cast<double>(leaf.unequal) > kWider * static_cast<double>(repeat.unequal))
    return false;
  return leaf.max_absolute <= kWider * repeat.max_absolute && leaf.rms_difference <= kWider * repeat.rms_difference;
}

}  // namespace parityd::oracle
