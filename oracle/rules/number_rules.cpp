// The rules of numbers, the last to be asked: which leaves hold wrong numbers, and which are only rounded differently.
#include <algorithm>
#include <array>

#include "oracle/measure/totals.h"
#include "oracle/rules/allowances.h"
#include "oracle/rules/rules.h"

namespace parityd::oracle::rules {
namespace {

constexpr const char* kZeroSign = "numbers.zero_sign";
constexpr double kDoubleTolerance = 1e-7;  // of 1e-3 + rms, in the double run
constexpr double kDoubleFloor = 1e-3;
constexpr double kLowPrecisionFactor = 4;       // rule 3b; 2 to 50 all work, and ten eps of bfloat16 are 8 %
constexpr double kFartherFactor = 2;            // compiled may be this much farther from double than eager is
constexpr double kShrinksInDouble = 1e-4;       // about the square root of eps(float64) / eps(float32)
constexpr double kLowPrecisionFloor = 8.75e-4;  // of rms, in float32: far above its eps, below that of half
constexpr double kRoundingUlps = 2;
constexpr double kMostRemoved = 0.25;  // what precision casts may leave of a difference that is rounding
constexpr std::int64_t kFewElements = 8;
constexpr double kKeepsDigits = 0.1;  // eager's distance from double, of the value, beyond which no digit is right

/// How far beyond its own tolerance one element must be to count in a leaf that agrees as a whole. Rounding of large
/// terms that cancel gets this far, too: such an element makes a suspect, and the double run decides.
constexpr double kSmallValues = 16;

/// All evidence about one leaf. Absent measurements are null.
struct Numbers {
  const LeafMeasurement* compiled = nullptr;            // against eager
  const LeafMeasurement* precise = nullptr;             // against eager
  const LeafMeasurement* noise = nullptr;               // against eager
  const LeafMeasurement* in_double = nullptr;           // inductor_fp64 against reference
  const LeafMeasurement* eager_reference = nullptr;     // eager against reference
  const LeafMeasurement* compiled_reference = nullptr;  // compiled against reference
  bool of_step = false;                                 // moved by an optimizer that divides by gradients' sizes
};

struct Assessment {
  bool reported = false;
  std::string rule;
  std::string why;  // continues "output[0]: max |compiled − eager| = …, "
};

bool has_values(const LeafMeasurement* leaf) {
  return leaf != nullptr && !leaf->missing && !leaf->type_differs && !leaf->shape_differs;
}

Numbers numbers_of(const Evidence& evidence, const LeafMeasurement& leaf) {
  Numbers numbers;
  numbers.compiled = &leaf;
  numbers.precise = evidence.leaf(Mode::eager, Mode::inductor_precise, leaf.path);
  numbers.noise = evidence.leaf(Mode::eager, Mode::eager_noise, leaf.path);
  numbers.in_double = evidence.leaf(Mode::reference, Mode::inductor_fp64, leaf.path);
  numbers.eager_reference = evidence.leaf(Mode::reference, Mode::eager, leaf.path);
  numbers.compiled_reference = evidence.leaf(Mode::reference, evidence.compiled, leaf.path);
  const Measurement* const all = evidence.measurement(Mode::eager, evidence.compiled);
  const auto is_divisor = [](const LeafMeasurement& each) {
    return each.path.find(kStepState) != std::string::npos && each.path.find("exp_avg_sq") != std::string::npos;
  };
  const bool stepped =
      leaf.path.find("parameter.") != std::string::npos || leaf.path.find(kStepState) != std::string::npos;
  numbers.of_step = stepped && all != nullptr && std::ranges::any_of(all->leaves, is_divisor);
  return numbers;
}

/// M, or a fault of small values beside large ones.
bool numbers_differ(const LeafMeasurement& leaf) { return leaf.values_differ() || leaf.max_scaled > kSmallValues; }

/// Only single elements are wrong, each measured by its own size.
bool differs_in_small_values(const LeafMeasurement& leaf) { return numbers_differ(leaf) && !leaf.values_differ(); }

/// M in double. A leaf that the program itself casts to a narrower type stays narrow there: its own tolerance applies.
bool differs_in_double(const LeafMeasurement& leaf) {
  if (leaf.dtype != Dtype::float64 && leaf.dtype != Dtype::complex128) return leaf.values_differ();
  return leaf.nan_differs > 0 || leaf.inf_differs > 0 ||
         leaf.max_absolute > kDoubleTolerance * (kDoubleFloor + leaf.rms_expected);
}

/// Cancellation leaves rounding of any size, but it shrinks with higher precision; a wrong formula does not.
bool shrinks_in_double(const Numbers& numbers) {
  const LeafMeasurement& single = *numbers.compiled;
  const LeafMeasurement& wide = *numbers.in_double;
  const bool places = single.nan_differs + single.inf_differs + wide.nan_differs + wide.inf_differs > 0;
  return !places && !is_exact(single.dtype) && wide.max_absolute <= kShrinksInDouble * single.max_absolute;
}

/// Whether eager explains the count of differing elements: eager itself is about as far from the double run.
bool explained(std::int64_t difference, std::int64_t compiled, std::int64_t eager) {
  return difference == 0 || (eager > 0 && static_cast<double>(compiled) <= kFartherFactor * static_cast<double>(eager));
}

bool eager_strays(const Numbers& numbers) {
  const LeafMeasurement& eager = *numbers.eager_reference;
  return eager.max_absolute > allowed_by(default_tolerance(numbers.compiled->dtype), eager.rms_expected);
}

/// At a discontinuity (a branch cut, a tie, acos of 1) eager is as far from its own double run as compiled code is:
/// then the right value is unknown.
bool is_ill_conditioned(const Numbers& numbers) {
  if (!has_values(numbers.eager_reference) || !has_values(numbers.compiled_reference)) return false;
  const LeafMeasurement& difference = *numbers.compiled;
  const LeafMeasurement& eager = *numbers.eager_reference;
  const LeafMeasurement& compiled = *numbers.compiled_reference;
  if (!explained(difference.nan_differs, compiled.nan_differs, eager.nan_differs)) return false;
  if (!explained(difference.inf_differs, compiled.inf_differs, eager.inf_differs)) return false;
  if (is_exact(difference.dtype)) return explained(difference.unequal, compiled.unequal, eager.unequal);
  if (differs_in_small_values(difference)) return compiled.max_scaled <= kFartherFactor * eager.max_scaled;
  if (!difference.exceeds_tolerance) return true;
  return eager_strays(numbers) && compiled.rms_difference <= kFartherFactor * eager.rms_difference;
}

/// A chain of casts in the program's own code can round differently once even under precision casts: a few elements by
/// a last bit, while without the casts all of them differed by far more.
bool precision_casts_remove_most(const LeafMeasurement& plain, const LeafMeasurement& precise) {
  if (is_exact(plain.dtype) || plain.nan_differs + plain.inf_differs + precise.nan_differs + precise.inf_differs > 0)
    return false;
  if (precise.max_absolute > 2 * kMostRemoved * plain.max_absolute) return false;
  if (plain.elements < kFewElements) {  // a sum over the chain: counting its elements proves nothing
    return precise.rms_difference <= kMostRemoved / 2 * plain.rms_difference;
  }
  return precise.rms_difference <= kMostRemoved * plain.rms_difference &&
         static_cast<double>(precise.unequal) <= kMostRemoved * static_cast<double>(plain.unequal);
}

/// The sign of a NaN, made visible by view(dtype): it is unspecified.
bool only_nan_signs_differ(const LeafMeasurement& leaf) { return leaf.nan_bits > 0 && leaf.nan_bits == leaf.unequal; }

/// Rule 3b: a fault that exists only in low precision cannot show in double, but it shows against double.
bool is_low_precision_fault(const Numbers& numbers) {
  const LeafMeasurement& leaf = *numbers.compiled;
  if (is_exact(leaf.dtype) || !has_values(numbers.eager_reference) || !has_values(numbers.compiled_reference))
    return false;
  // If no digit of eager's is right, chance decides which of two errors is larger.
  if (numbers.eager_reference->rms_difference > kKeepsDigits * numbers.eager_reference->rms_expected) return false;
  // Many of eager's kernels for float32 add in double, so plain rounding puts compiled code farther away: in float32
  // only a difference far above its eps is a fault.
  const double floor = std::max(epsilon(leaf.dtype), kLowPrecisionFloor) * leaf.rms_expected;
  return numbers.compiled_reference->rms_difference >
         kLowPrecisionFactor * std::max(numbers.eager_reference->rms_difference, floor);
}

std::string differs_by(const LeafMeasurement& leaf) {
  if (leaf.nan_differs > 0) return "NaN in " + std::to_string(leaf.nan_differs) + " different places";
  if (leaf.inf_differs > 0) return "Inf in " + std::to_string(leaf.inf_differs) + " different places";
  if (is_exact(leaf.dtype)) return std::to_string(leaf.unequal) + " unequal";
  return short_number(leaf.max_absolute);
}

// ---- the excuses of one leaf, one function each

using Excused = std::optional<Assessment>;

Assessment excused(std::string rule, std::string why) { return {false, std::move(rule), std::move(why)}; }

bool is_wrong_in_double(const Numbers& numbers) {
  if (!has_values(numbers.in_double) || shrinks_in_double(numbers)) return false;
  return differs_in_small_values(*numbers.compiled) ? numbers_differ(*numbers.in_double)
                                                    : differs_in_double(*numbers.in_double);
}

/// Integers that differ farther than rounding noise moves them, or where noise moves nothing. Most of the differing
/// elements must be such: a few draws do not reach every value that rounding could (equality of rounded values, for
/// example).
bool is_beyond_noise(const Numbers& numbers) {
  const LeafMeasurement& leaf = *numbers.compiled;
  return is_exact(leaf.dtype) && 2 * leaf.beyond_noise > leaf.unequal;
}

Excused nan_bits(const Numbers& numbers) {
  if (!only_nan_signs_differ(*numbers.compiled)) return std::nullopt;
  return excused("numbers.nan_bits", "but only in the sign bit of NaN");
}

/// The other sign reproduces it, so it is not rounding.
Excused nan_sign(const Numbers& numbers) {
  if (numbers.compiled->otherwise != Otherwise::nan) return std::nullopt;
  return excused("numbers.nan_sign",
                 "but eager gives the same result if NaN has the other sign, which is not guaranteed");
}

Excused precision_casts(const Numbers& numbers) {
  if (!has_values(numbers.precise) || numbers_differ(*numbers.precise)) return std::nullopt;
  return excused("numbers.rounding_precise", "but it agrees under precision casts");
}

Excused mostly_precision_casts(const Numbers& numbers) {
  if (!has_values(numbers.precise) || !precision_casts_remove_most(*numbers.compiled, *numbers.precise))
    return std::nullopt;
  return excused("numbers.rounding_mostly", "but precision casts leave only " + differs_by(*numbers.precise) + " in " +
                                                std::to_string(numbers.precise->unequal) + " elements");
}

Excused noise(const Numbers& numbers) {
  if (!is_exact(numbers.compiled->dtype) || numbers.compiled->beyond_noise != 0) return std::nullopt;
  return excused("numbers.noise", "but rounding noise in eager moves each of them as far");
}

/// A branch, an index or a comparison upstream that rounding decides makes floating values leap. If the double run
/// shows them wrong, too, noise proves nothing. Exception: an optimizer that divides by the size of a gradient (Adam)
/// makes full steps from a gradient that is zero except for rounding, in double as well.
Excused leaps(const Numbers& numbers) {
  const LeafMeasurement& leaf = *numbers.compiled;
  const bool witnessed = has_values(numbers.in_double);
  const bool wrong = is_wrong_in_double(numbers) && !numbers.of_step;
  if (leaf.beyond_noise < 0 || (witnessed && (is_exact(leaf.dtype) || wrong))) return std::nullopt;
  if (is_exact(leaf.dtype) ? is_beyond_noise(numbers) : leaf.beyond_noise > 0) return std::nullopt;
  return excused("numbers.noise", "but rounding noise in eager makes them jump as far");
}

/// The number of elements depends on the last bit; equal counts are chance.
Excused other_shape(const Numbers& numbers) {
  const auto moves = [](const LeafMeasurement* leaf) { return leaf != nullptr && leaf->shape_differs; };
  if (has_values(numbers.in_double) || !(moves(numbers.noise) || moves(numbers.eager_reference))) return std::nullopt;
  return excused("numbers.rounding_decides", "but rounding decides the number of elements");
}

Excused ill_conditioned(const Numbers& numbers) {
  if (!is_wrong_in_double(numbers) || !is_ill_conditioned(numbers)) return std::nullopt;
  return excused("numbers.ill_conditioned",
                 "but eager deviates from its double run as much (" + differs_by(*numbers.eager_reference) + ")");
}

Excused right_in_double(const Numbers& numbers) {
  if (!has_values(numbers.in_double) || is_wrong_in_double(numbers)) return std::nullopt;
  if (is_low_precision_fault(numbers) || is_beyond_noise(numbers)) return std::nullopt;
  return excused("numbers.rounding_double", "but only " + differs_by(*numbers.in_double) + " in double");
}

/// Without a double run, cancellation cannot be told from a fault of small values.
Excused small_values(const Numbers& numbers) {
  if (has_values(numbers.in_double) || !differs_in_small_values(*numbers.compiled)) return std::nullopt;
  return excused("numbers.small_values", "but only in small elements, and there is no double run to compare with");
}

Excused few_ulps(const Numbers& numbers) {
  const LeafMeasurement& leaf = *numbers.compiled;
  const double limit = kRoundingUlps * epsilon(leaf.dtype) * leaf.rms_expected;
  const bool places = leaf.nan_differs > 0 || leaf.inf_differs > 0;
  if (has_values(numbers.in_double) || is_exact(leaf.dtype) || places || leaf.rms_difference > limit)
    return std::nullopt;
  return excused("numbers.rounding_rms", "but rms " + short_number(leaf.rms_difference) + " is within " +
                                             short_number(limit) + ", two eps of eager's");
}

constexpr std::array kExcuses{
    nan_bits, precision_casts, mostly_precision_casts, noise,    ill_conditioned, right_in_double,
    leaps,    other_shape,     small_values,           few_ulps, nan_sign};

Assessment reported(const Numbers& numbers) {
  if (numbers.compiled->otherwise == Otherwise::zero)
    return {true, kZeroSign, "and eager gives the same result if a zero has the other sign"};
  const std::string precise = has_values(numbers.precise)
                                  ? "still " + differs_by(*numbers.precise) + " under precision casts"
                                  : "no run under precision casts";
  if (!has_values(numbers.in_double))
    return {true, "numbers.no_double_run", precise + "; there is no double run to compare with"};
  const std::string in_double = differs_by(*numbers.in_double) + " in double";
  if (is_wrong_in_double(numbers)) return {true, "numbers.double_run", precise + " and " + in_double};
  if (is_beyond_noise(numbers)) {
    return {true, "numbers.beyond_noise",
            precise + "; " + in_double + ", but rounding noise does not move " +
                std::to_string(numbers.compiled->beyond_noise) + " of them as far"};
  }
  if (is_low_precision_fault(numbers)) {
    return {true, "numbers.low_precision",
            precise + "; " + in_double + ", but compiled is " +
                short_number(numbers.compiled_reference->rms_difference) + " rms from double and eager only " +
                short_number(numbers.eager_reference->rms_difference)};
  }
  return {true, "numbers.unexcused", precise + "; " + in_double};
}

Assessment assess(const Evidence& evidence, const LeafMeasurement& leaf, const Judging& judging) {
  if (judging.depth == Depth::cheap) {
    const Excused excuse = nan_bits({&leaf});
    return excuse ? *excuse : Assessment{true, "numbers.screen", "before the control runs"};
  }
  const Numbers numbers = numbers_of(evidence, leaf);
  if (auto asked = asked_leaf(leaf, judging)) return excused(asked->rule, asked->why);
  for (const auto excuse : kExcuses) {
    if (auto found = excuse(numbers); found && judging.allows(found->rule)) return *found;
  }
  if (auto free = free_leaf(evidence, judging, leaf.path)) return excused(free->rule, free->why);
  return reported(numbers);
}

std::string sentence(const LeafMeasurement& leaf, const std::string& why, std::size_t more) {
  const Tolerance tolerance = default_tolerance(leaf.dtype);
  std::string text = leaf.path + ": ";
  if (is_exact(leaf.dtype)) {
    text += std::to_string(leaf.unequal) + " of " + std::to_string(leaf.elements) +
            " elements differ between compiled and eager (" + std::string(name(leaf.dtype)) + ")";
  } else if (leaf.nan_differs > 0 || leaf.inf_differs > 0) {
    text += differs_by(leaf) + " when compiled (" + std::string(name(leaf.dtype)) + ")";
  } else {
    text += "max |compiled − eager| = " + short_number(leaf.max_absolute) + " (" + std::string(name(leaf.dtype)) +
            ", tolerance " + short_number(tolerance.absolute) + " + " + short_number(tolerance.relative) + " · rms " +
            short_number(leaf.rms_expected) + ")";
    if (differs_in_small_values(leaf))
      text += ", in one element " + short_number(leaf.max_scaled) + " times its own tolerance";
  }
  text += ", " + why;
  if (more > 0) text += "; " + std::to_string(more) + " more";
  return text + ".";
}

// ---- excuses that depend on which operators the program uses

bool uses(const Evidence& evidence, const std::vector<std::string_view>& stems) {
  const Outcome* const compiled = evidence.outcome(evidence.compiled);
  if (compiled == nullptr) return false;
  return std::any_of(compiled->operators.begin(), compiled->operators.end(), [&](const std::string& full) {
    return std::any_of(stems.begin(), stems.end(), [&](std::string_view stem) { return full.starts_with(stem); });
  });
}

bool makes_uninitialised_memory(const Evidence& evidence) {
  static const std::vector<std::string_view> stems{"aten.empty.",          "aten.empty_like.",
                                                   "aten.new_empty.",      "aten.empty_strided.",
                                                   "aten.empty_permuted.", "aten.new_empty_strided."};
  return uses(evidence, stems);
}

/// Operators whose documentation leaves open which of several equal elements an index names.
bool leaves_ties_open(const Evidence& evidence) {
  static const std::vector<std::string_view> stems{"aten.sort.default", "aten.argsort.default", "aten.topk.",
                                                   "aten.kthvalue.",    "aten.median.",         "aten.nanmedian.",
                                                   "aten.mode."};
  return uses(evidence, stems);
}

bool may_be_tied_index(const LeafMeasurement& leaf) {
  const bool output = leaf.group == LeafGroup::output || leaf.group == LeafGroup::earlier_output;
  return leaf.dtype == Dtype::int64 && output;
}

struct Judged {
  const LeafMeasurement* leaf;
  Assessment assessment;
};

/// Which leaves decide for the program: the sign of a zero only if nothing else is wrong, excuses last.
int standing(const Judged& entry) {
  if (!entry.assessment.reported) return 2;
  return entry.assessment.rule == kZeroSign ? 1 : 0;
}

/// Excuses for the program as a whole: they turn reported leaves into excused ones.
void excuse_by_operators(const Evidence& evidence, const Judging& judging, std::vector<Judged>& judged) {
  if (was_watched(evidence)) return;  // then it is known which leaves they reach
  const bool uninitialised = judging.allows("numbers.uninitialised") && makes_uninitialised_memory(evidence);
  const bool only_indices = std::all_of(judged.begin(), judged.end(), [](const Judged& entry) {
    return !entry.assessment.reported || may_be_tied_index(*entry.leaf);
  });
  const bool tied = judging.allows("numbers.tie") && only_indices && leaves_ties_open(evidence);
  for (Judged& entry : judged) {
    if (!entry.assessment.reported) continue;
    if (uninitialised) {
      entry.assessment = {false, "numbers.uninitialised", "but the program creates uninitialised memory"};
    } else if (tied) {
      entry.assessment = {
          false, "numbers.tie",
          "but all values agree, and which of several equal elements an index refers to is not defined"};
    }
  }
}

std::vector<Judged> judge_leaves(const Evidence& evidence, const Judging& judging) {
  std::vector<Judged> judged;
  const Measurement* const measured = evidence.measurement(Mode::eager, evidence.compiled);
  if (measured == nullptr) return judged;
  for (const LeafMeasurement& leaf : measured->leaves) {
    if (is_compared(evidence, leaf) && has_values(&leaf) && numbers_differ(leaf))
      judged.push_back({&leaf, assess(evidence, leaf, judging)});
  }
  std::stable_sort(judged.begin(), judged.end(), [](const Judged& a, const Judged& b) {
    if (standing(a) != standing(b)) return standing(a) < standing(b);
    return rank(a.leaf->group) < rank(b.leaf->group);
  });
  return judged;
}

}  // namespace

std::vector<LeafReason> reasons_of_numbers(const Evidence& evidence, const Judging& judging) {
  std::vector<Judged> judged = judge_leaves(evidence, judging);
  if (judging.depth == Depth::full) excuse_by_operators(evidence, judging, judged);
  std::vector<LeafReason> reasons;
  reasons.reserve(judged.size());
  for (const auto& [leaf, assessment] : judged) {
    reasons.push_back({leaf->path, assessment.reported, assessment.rule, sentence(*leaf, assessment.why, 0)});
  }
  return reasons;
}

std::optional<Verdict> judge_numbers(const Evidence& evidence, const Judging& judging) {
  std::vector<Judged> judged = judge_leaves(evidence, judging);
  if (judged.empty()) return std::nullopt;
  if (judging.depth == Depth::full) excuse_by_operators(evidence, judging, judged);
  const LeafMeasurement& first = *judged.front().leaf;
  const Assessment& decisive = judged.front().assessment;
  std::vector<std::string> paths;
  for (const Judged& entry : judged) {
    if (standing(entry) == standing(judged.front())) paths.push_back(entry.leaf->path);
  }
  const std::string text = sentence(first, decisive.why, paths.size() - 1);
  if (!decisive.reported) return make_verdict(VerdictKind::excused, decisive.rule, text);
  return make_inconsistent(kind_of_values(first.group), decisive.rule, text, paths);
}

}  // namespace parityd::oracle::rules
