// Exact facts about leaves: type, dtype, shape, strides, aliasing, requires_grad.

#include <algorithm>

#include "oracle/rules/allowances.h"
#include "oracle/rules/rules.h"

namespace parityd::oracle::rules {
namespace {

constexpr const char* kReturnedInput = "known.returned_input";

bool differs_in_substance(const LeafMeasurement& leaf) {
  return leaf.missing || leaf.type_differs || leaf.dtype_differs || leaf.shape_differs || leaf.requires_grad_differs;
}

/// The layout of a gradient is up to autograd.
bool differs_in_layout(const LeafMeasurement& leaf) {
  return leaf.group != LeafGroup::gradient && (leaf.stride_differs || leaf.alias_differs);
}

bool moved_by_stack(const LeafMeasurement& leaf) { return leaf.otherwise == Otherwise::stack; }

bool is_only_padded(const LeafMeasurement* leaf) { return leaf->stride_padded && !leaf->alias_differs; }
bool only_returns_input(const LeafMeasurement* leaf) { return leaf->returned_input && !leaf->stride_differs; }

/// A returned input keeps its own requires_grad and its own class (Parameter).
bool is_input_itself(const LeafMeasurement& leaf) {
  return only_returns_input(&leaf) && !leaf.missing && !leaf.dtype_differs && !leaf.shape_differs;
}

/// A mask or a count of non-zeros turns rounding into another shape. This holds for shapes only: rounding does not
/// change a dtype, and in double every dtype is the same.
bool only_shape_differs(const LeafMeasurement& leaf) {
  return leaf.shape_differs && !leaf.missing && !leaf.type_differs && !leaf.dtype_differs &&
         !leaf.requires_grad_differs;
}

bool shape_agrees(const Evidence& evidence, Mode expected, Mode actual, const std::string& path) {
  const LeafMeasurement* const leaf = evidence.leaf(expected, actual, path);
  return leaf != nullptr && !leaf->missing && !leaf->shape_differs;
}

bool noise_moves_shape(const Evidence& evidence, const std::string& path) {
  return evidence.measurement(Mode::eager, Mode::eager_noise) != nullptr &&
         !shape_agrees(evidence, Mode::eager, Mode::eager_noise, path);
}

/// Faults of single precision vanish in double: if noise was tried and leaves the shape alone, double proves nothing.
bool agrees_in_double(const Evidence& evidence, const std::string& path) {
  return evidence.measurement(Mode::eager, Mode::eager_noise) == nullptr &&
         shape_agrees(evidence, Mode::reference, Mode::inductor_fp64, path);
}

bool rounding_decides_shape(const Evidence& evidence, const LeafMeasurement& leaf) {
  return only_shape_differs(leaf) && (shape_agrees(evidence, Mode::eager, Mode::inductor_precise, leaf.path) ||
                                      agrees_in_double(evidence, leaf.path) || noise_moves_shape(evidence, leaf.path));
}

using Leaves = std::vector<const LeafMeasurement*>;

Leaves select(const Evidence& evidence, bool (*wanted)(const LeafMeasurement&)) {
  Leaves chosen;
  const Measurement* const measured = evidence.measurement(Mode::eager, evidence.compiled);
  if (measured == nullptr) return chosen;
  for (const LeafMeasurement& leaf : measured->leaves) {
    if (is_compared(evidence, leaf) && wanted(leaf)) chosen.push_back(&leaf);
  }
  std::stable_sort(chosen.begin(), chosen.end(),
                   [](const auto* a, const auto* b) { return rank(a->group) < rank(b->group); });
  return chosen;
}

Kind kind_of_metadata(LeafGroup group) {
  if (group == LeafGroup::output || group == LeafGroup::earlier_output) return Kind::metadata;
  return group == LeafGroup::state ? Kind::mutation : kind_of_values(group);
}

std::string sentence(const Leaves& leaves) {
  const LeafMeasurement& first = *leaves.front();
  std::string text = first.path + ": " + first.detail + " (eager vs compiled)";
  if (leaves.size() > 1) text += ", and " + std::to_string(leaves.size() - 1) + " more";
  return text + ".";
}

Verdict report(const Leaves& leaves, const std::string& rule) {
  std::vector<std::string> paths;
  for (const LeafMeasurement* const leaf : leaves) paths.push_back(leaf->path);
  return make_inconsistent(kind_of_metadata(leaves.front()->group), rule, sentence(leaves), paths);
}

Verdict returned_input(const Leaves& leaves) {
  Verdict verdict = report(leaves, kReturnedInput);
  verdict.explanation += " The compiler returns the input of an operation that changes nothing; issue 197893.";
  return verdict;
}

bool is_input(const LeafMeasurement& leaf) { return leaf.group == LeafGroup::input; }

/// Inputs before the call are compared bit for bit: even the sign of a zero or a stride makes it another program.
bool input_differs(const LeafMeasurement& leaf) {
  return is_input(leaf) && (leaf.metadata_differs() || leaf.unequal > 0 || leaf.sign_differs > 0);
}

/// State may hold the time or an address: then only that leaf is not compared, and the program does not count as
/// unstable.
bool repeats_otherwise(const LeafMeasurement& leaf) {
  return leaf.group != LeafGroup::state && (leaf.metadata_differs() || leaf.unequal > 0);
}

bool differs(const LeafMeasurement& leaf) { return leaf.metadata_differs() || leaf.values_differ(); }

template <typename Wanted>
const LeafMeasurement* first(const Measurement& measurement, const Wanted& wanted) {
  const auto found = std::find_if(measurement.leaves.begin(), measurement.leaves.end(), wanted);
  return found == measurement.leaves.end() ? nullptr : &*found;
}

}  // namespace

std::optional<Verdict> judge_metadata(const Evidence& evidence, const Judging& judging) {
  Leaves leaves = select(evidence, differs_in_substance);
  if (leaves.empty()) return std::nullopt;
  const Leaves all = leaves;
  std::optional<FreeLeaf> free;
  const auto excused = [&](const LeafMeasurement* leaf) {
    if (auto asked = asked_leaf(*leaf, judging)) {
      free = std::move(asked);
      return true;
    }
    if (only_shape_differs(*leaf) && leaf->otherwise == Otherwise::nan && judging.allows("numbers.nan_sign")) {
      free = FreeLeaf{"numbers.nan_sign", "but it depends on the sign of a NaN, which is not guaranteed"};
      return true;
    }
    if (only_shape_differs(*leaf)) {
      if (auto found = free_leaf(evidence, judging, leaf->path)) {
        free = std::move(found);
        return true;
      }
    }
    return judging.depth == Depth::full && judging.allows("metadata.rounding_decides_shape") &&
           rounding_decides_shape(evidence, *leaf);
  };
  leaves.erase(std::remove_if(leaves.begin(), leaves.end(), excused), leaves.end());
  Leaves returned;
  if (judging.allows(kReturnedInput)) {
    const auto middle =
        std::stable_partition(leaves.begin(), leaves.end(), [](const auto* leaf) { return !is_input_itself(*leaf); });
    returned.assign(middle, leaves.end());
    leaves.erase(middle, leaves.end());
  }
  const auto by_zero = [](const auto* leaf) { return only_shape_differs(*leaf) && leaf->otherwise == Otherwise::zero; };
  Leaves others = leaves;
  others.erase(std::remove_if(others.begin(), others.end(), by_zero), others.end());
  if (!others.empty()) return report(others, "metadata.exact");
  if (!leaves.empty()) return report(leaves, "metadata.zero_sign");
  if (!returned.empty()) return returned_input(returned);
  if (free) {
    std::string text = sentence(all);
    text.back() = ',';
    return make_verdict(VerdictKind::excused, free->rule, text + " " + free->why + ".");
  }
  return make_verdict(
      VerdictKind::excused, "metadata.rounding_decides_shape",
      sentence(all) + " It depends on rounding: it agrees under precision casts or in double, or noise changes it.");
}

std::optional<Verdict> judge_layout(const Evidence& evidence, const Judging& judging) {
  Leaves leaves = select(evidence, differs_in_layout);
  // The effect of the stack cannot be assigned to single leaves: results then share other memory as well.
  const Leaves by_stack = select(evidence, moved_by_stack);
  const auto asked = [&](const LeafMeasurement* leaf) {
    return asked_leaf(by_stack.empty() ? *leaf : *by_stack.front(), judging);
  };
  const Leaves every = leaves;
  leaves.erase(std::remove_if(leaves.begin(), leaves.end(), [&](const auto* leaf) { return asked(leaf).has_value(); }),
               leaves.end());
  if (leaves.empty() && !every.empty()) {
    const auto why = asked(every.front());
    std::string text = sentence(every);
    text.back() = ',';
    return make_verdict(VerdictKind::excused, why->rule, text + " " + why->why + ".");
  }
  if (leaves.empty()) return std::nullopt;
  const Leaves all = leaves;
  if (judging.allows("metadata.padded_stride"))
    leaves.erase(std::remove_if(leaves.begin(), leaves.end(), is_only_padded), leaves.end());
  if (leaves.empty()) {
    return make_verdict(VerdictKind::excused, "metadata.padded_stride",
                        sentence(all) + " Matrix products are padded where that is faster.");
  }
  if (judging.allows(kReturnedInput))
    leaves.erase(std::remove_if(leaves.begin(), leaves.end(), only_returns_input), leaves.end());
  if (leaves.empty()) return returned_input(all);
  const bool aliasing = std::any_of(leaves.begin(), leaves.end(), [](const auto* leaf) { return leaf->alias_differs; });
  return report(leaves, aliasing ? "metadata.aliasing" : "metadata.stride");
}

bool is_about_layout(const Verdict& verdict) {
  return verdict.rule == "metadata.stride" || verdict.rule == "metadata.aliasing";
}

bool says(const Outcome* outcome, std::string_view word) {
  return outcome != nullptr && std::ranges::count(outcome->fallbacks, word) > 0;
}

bool freezes(Mode mode) { return row(mode).settings.find("inductor.freezing") != std::string_view::npos; }

/// An excuse if the way of compiling is documented to leave something out and this may explain all differences.
std::optional<Verdict> left_out(const Evidence& evidence, const Measurement& measured, const Judging& judging) {
  const Outcome* const compiled = evidence.outcome(evidence.compiled);
  const auto moved = [](const LeafMeasurement& leaf) { return differs(leaf) || leaf.values_differ(); };
  const auto kept = [&](const LeafMeasurement& leaf) { return leaf.group == LeafGroup::state && moved(leaf); };
  const LeafMeasurement* const any = first(measured, moved);
  if (any == nullptr) return std::nullopt;
  const auto excused = [&](const char* excuse, const LeafMeasurement& leaf, const char* why) {
    return judging.allows(excuse) ? std::optional(make_verdict(VerdictKind::excused, excuse, leaf.path + why))
                                  : std::nullopt;
  };
  if (freezes(evidence.compiled) && says(evidence.outcome(Mode::eager), kParametersWritten)) {
    return excused("documented.frozen", *any,
                   " differs, but the program writes to a parameter, which freezing makes a constant.");
  }
  if (!is_exported(evidence.compiled)) return std::nullopt;
  constexpr const char* kState = "documented.export_side_effects";
  if (says(compiled, kSideEffects))
    return excused(kState, *any, " differs, but torch.export warns that it ignores side effects.");
  const auto other = [&](const LeafMeasurement& leaf) { return leaf.group != LeafGroup::state && moved(leaf); };
  const auto earlier = [](const LeafMeasurement& leaf) { return leaf.group == LeafGroup::earlier_output; };
  const LeafMeasurement* const state = first(measured, kept);
  // The results of the first call do not depend on it.
  if (state != nullptr && (first(measured, other) == nullptr || first(measured, earlier) != nullptr))
    return excused(kState, *state, " differs: an exported program changes only tensors, not Python objects.");
  if (!says(compiled, kOtherLayout)) return std::nullopt;
  return excused("documented.export_layout", *any,
                 " differs, but a call has other strides or dtypes than the first one.");
}

std::optional<Verdict> judge_comparability(const Evidence& evidence, const Judging& judging) {
  const Measurement* const measured = evidence.measurement(Mode::eager, evidence.compiled);
  if (measured == nullptr)
    return make_verdict(VerdictKind::unstable, "stability.unmeasured", "Both sides ran, but nothing was measured.");
  if (const LeafMeasurement* const leaf = first(*measured, input_differs)) {
    return make_verdict(VerdictKind::unstable, "stability.inputs_differ",
                        leaf->path + " was different on the two sides before the call: " + leaf->detail + ".");
  }
  if (const Measurement* const repeat = evidence.measurement(Mode::eager, Mode::eager_repeat)) {
    const auto moves = [&](const LeafMeasurement& leaf) {
      if (!repeats_otherwise(leaf) || free_leaf(evidence, judging, leaf.path)) return false;
      const auto spread = spread_of(evidence, leaf.path);  // then it is judged with its spread
      return !spread || !judging.allows(spread->operator_used->excuse());
    };
    if (const LeafMeasurement* const leaf = first(*repeat, moves)) {
      return make_verdict(VerdictKind::unstable, "stability.eager_repeat",
                          leaf->path + " differs between two eager runs with the same seed: " + leaf->detail + ".");
    }
  }
  const Outcome* const compiled = evidence.outcome(evidence.compiled);
  if (compiled != nullptr && compiled->graphs == 0 && judging.allows("not_compiled")) {
    const LeafMeasurement* const leaf = first(*measured, differs);
    std::string text = "The compiled mode compiled no graph";
    for (const std::string& fallback : compiled->fallbacks) text += is_note(fallback) ? "" : ", " + fallback;
    if (leaf != nullptr) text += ", though " + leaf->path + " differs: " + leaf->detail;
    return make_verdict(VerdictKind::excused, "not_compiled", text + ".");
  }
  return left_out(evidence, *measured, judging);
}

}  // namespace parityd::oracle::rules
