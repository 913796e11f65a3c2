#include "store/report/same_verdict.h"

#include <fmt/format.h>

#include "store/base/text.h"

namespace parityd::store {
namespace {

using oracle::Evidence;
using oracle::LeafMeasurement;
using oracle::Mode;

constexpr double kTolerance = 1e-4;  // the default of `tol`, absolute and relative
constexpr std::size_t kDetailLimit = 160;

/// The factor for eager's error, before the tolerance is added. torch's case for a tensor's last two sizes is left out:
/// they are not stored.
int multiplier(const LeafMeasurement& leaf) {
  const bool half = leaf.dtype == oracle::Dtype::float16 || leaf.dtype == oracle::Dtype::bfloat16;
  return leaf.elements < 1000 || half ? 3 : 2;
}

std::string gap_of_reference(const Evidence& evidence, const LeafMeasurement& leaf) {
  const LeafMeasurement* const eager = evidence.leaf(Mode::reference, Mode::eager, leaf.path);
  const LeafMeasurement* const compiled = evidence.leaf(Mode::reference, evidence.compiled, leaf.path);
  if (compiled == nullptr || compiled->shape_differs || compiled->missing) return "";
  if (compiled->rms_difference <= kTolerance / 10) {
    return fmt::format(
        "it compares root mean squares: over all {} elements, the RMS of compiled − fp64 is {:.3g}, below its "
        "tolerance of {:g}, so a few elements that are far off go unnoticed",
        leaf.elements, compiled->rms_difference, kTolerance / 10);
  }
  const double allowed = multiplier(leaf) * (eager != nullptr ? eager->rms_difference : 0) + kTolerance / 10;
  if (eager == nullptr || compiled->rms_difference > allowed) return "";
  return fmt::format(
      "it allows the compiled program {} times eager's error against fp64: the RMS of eager − fp64 is {:.3g}, of "
      "compiled − fp64 {:.3g}",
      multiplier(leaf), eager->rms_difference, compiled->rms_difference);
}

/// Why `same` passes this leaf; empty if no reason is known.
std::string gap_of(const Evidence& evidence, const LeafMeasurement& leaf) {
  if (leaf.group != oracle::LeafGroup::output) {
    return fmt::format("it was applied to the outputs, which agree, and not to {}", inline_code(leaf.path));
  }
  if (leaf.shape_differs) return "it accepts shapes that broadcast to one another";
  if (leaf.metadata_differs()) {
    return "it compares only values and dtypes, not strides, shared memory or requires\\_grad";
  }
  if (leaf.nan_differs > 0 || leaf.inf_differs > 0) {
    return "NaN or Inf makes both root mean squares NaN, which passes with `equal_nan=True`";
  }
  if (leaf.max_absolute <= kTolerance || leaf.max_relative <= kTolerance) {
    return oracle::is_exact(leaf.dtype)
               ? fmt::format(
                     "it applies the tolerance for floats to integers, {:g} absolute and relative; integers should be "
                     "equal",
                     kTolerance)
               : fmt::format(
                     "its tolerance is {0:g} absolute and relative for every dtype; that of `assert_close` for "
                     "{1} is {2:g} and {3:g}",
                     kTolerance, oracle::name(leaf.dtype), oracle::default_tolerance(leaf.dtype).absolute,
                     oracle::default_tolerance(leaf.dtype).relative);
  }
  return gap_of_reference(evidence, leaf);
}

std::string gap(const EvidenceRow& round) {
  for (const std::string& path : round.verdict.leaves) {
    const auto* const leaf = round.evidence.leaf(Mode::eager, round.evidence.compiled, path);
    if (leaf == nullptr) continue;
    if (std::string text = gap_of(round.evidence, *leaf); !text.empty()) return text;
  }
  return "";
}

}  // namespace

std::string same_sentence(const EvidenceRow& round) {
  const Evidence& evidence = round.evidence;
  const std::string detail = clean_line(evidence.same_detail);
  if (!evidence.same) {
    if (detail.empty()) return "";
    return fmt::format("`torch._dynamo.utils.same` returns no verdict. {}it raises: {}.", kSameGap,
                       inline_code(shortened(detail, kDetailLimit)));
  }
  constexpr const char* kCall = "`torch._dynamo.utils.same(eager, compiled, fp64_ref, equal_nan=True)`";
  const std::string because = detail.empty() ? "" : fmt::format(" ({})", prose(shortened(detail, kDetailLimit)));
  if (!*evidence.same) return fmt::format("{} {}{}.", kCall, kSameDiffers, because);
  const std::string hidden = gap(round);
  if (hidden.empty()) return fmt::format("{} says **True**{}.", kCall, because);
  return fmt::format("{} says **True**. {}{}.", kCall, kSameGap, hidden);
}

}  // namespace parityd::store
