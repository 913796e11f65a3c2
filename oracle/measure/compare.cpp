#include "oracle/measure/compare.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <set>

#include "oracle/measure/layout.h"
#include "oracle/measure/shared_memory.h"

namespace parityd::oracle {
namespace {

std::string text_of(const std::vector<std::int64_t>& values) {
  std::string text = "[";
  for (const std::int64_t value : values) text += (text.size() > 1 ? ", " : "") + std::to_string(value);
  return text + "]";
}

void note(std::string& detail, const std::string& more) { detail += (detail.empty() ? "" : "; ") + more; }

void note_pair(std::string& detail, std::string_view what, std::string_view expected, std::string_view actual) {
  note(detail, std::string(what) + " " + std::string(expected) + " vs " + std::string(actual));
}

std::string short_form(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 3).ptr;
  return {text.data(), end};
}

// ---- which leaves share memory

/// Excluded are gradients, since it is unspecified whether autograd gives two of them the same buffer; the copies of
/// inputs taken before the call; and tensors without elements.
bool takes_part_in_aliasing(const Leaf& leaf) {
  return leaf.is_tensor && leaf.storage >= 0 && leaf.group != LeafGroup::gradient && leaf.group != LeafGroup::input &&
         layout::element_count(leaf) > 0;
}

std::set<std::string> aliasing_paths(const RunRecord& record) {
  std::set<std::string> paths;
  for (const Leaf& leaf : record.leaves) {
    if (takes_part_in_aliasing(leaf)) paths.insert(leaf.path);
  }
  return paths;
}

std::set<std::string> common_paths(const RunRecord& expected, const RunRecord& actual) {
  const std::set<std::string> one = aliasing_paths(expected);
  const std::set<std::string> other = aliasing_paths(actual);
  std::set<std::string> common;
  std::set_intersection(one.begin(), one.end(), other.begin(), other.end(), std::inserter(common, common.end()));
  return common;
}

SharedMemory shared_memory_of(const RunRecord& record, const std::set<std::string>& common) {
  std::vector<const Leaf*> leaves;
  for (const Leaf& leaf : record.leaves) {
    if (common.contains(leaf.path)) leaves.push_back(&leaf);
  }
  return shared_memory(leaves, record.storages);
}

/// "output[1]" or "call[0].output[1]".
bool is_output(const std::string& path) {
  return path.starts_with("output") || (path.starts_with("call[") && path.find("].output") == path.find(']'));
}

bool holds_state(const std::set<std::string>& paths) { return !std::all_of(paths.begin(), paths.end(), is_output); }

/// Everything that shares memory in `expected` still does so in `actual`. In addition, either state (what the program
/// was given) shares memory with outputs, or outputs share memory with state; such an output may be returned as well.
bool joins_output_and_state(const std::set<std::string>& expected, const std::set<std::string>& actual) {
  std::set<std::string> more;
  std::set_difference(actual.begin(), actual.end(), expected.begin(), expected.end(), std::inserter(more, more.end()));
  return actual.size() == expected.size() + more.size() && holds_state(expected) != holds_state(more);
}

std::string partners(const std::set<std::string>& paths, const std::string& self) {
  std::string text;
  for (const std::string& path : paths) {
    if (path != self) text += (text.empty() ? "" : ", ") + path;
  }
  return text.empty() ? "nothing" : text;
}

// ---- one leaf

/// Whether actual's rows are only farther apart than expected's: the dimensions have the same order, and neighbours are
/// still neighbours.
bool is_padded(const Leaf& expected, const Leaf& actual) {
  std::vector<std::pair<std::int64_t, std::int64_t>> strides;
  for (std::size_t i = 0; i < expected.shape.size(); ++i) {
    if (expected.shape[i] > 1) strides.emplace_back(expected.stride[i], actual.stride[i]);
  }
  std::sort(strides.begin(), strides.end());
  std::int64_t wanted_inside = 0;
  std::int64_t got_inside = 0;
  for (const auto& [wanted, got] : strides) {
    if (got < wanted || wanted <= wanted_inside || got <= got_inside) return false;
    wanted_inside = wanted;
    got_inside = got;
  }
  return !strides.empty() && strides.front().first == strides.front().second;
}

/// The pair, within one pass over three records, that a comparison is about.
using PairOf = PairTotals LeafTotals::*;

class Comparison {
 public:
  /// `measured` may be null; it holds the numbers of both and of a third record.
  Comparison(const RunRecord& expected, const RunRecord& actual, const MeasuredLeaves* measured, PairOf pair)
      : expected_(expected),
        actual_(actual),
        measured_(measured),
        pair_(pair),
        common_(common_paths(expected, actual)) {
    expected_shared_ = shared_memory_of(expected, common_);
    actual_shared_ = shared_memory_of(actual, common_);
  }

  [[nodiscard]] LeafMeasurement pair(const Leaf& expected, const Leaf& actual) const;

  /// A leaf that only one side has.
  [[nodiscard]] LeafMeasurement lone(const Leaf& leaf, const RunRecord& owner, const char* side) const {
    if (is_zero_gradient(leaf, owner)) return start(leaf);
    return missing(leaf, std::string("only ") + side + " has it");
  }

 private:
  static LeafMeasurement start(const Leaf& leaf) {
    LeafMeasurement measured;
    measured.path = leaf.path;
    measured.group = leaf.group;
    measured.dtype = leaf.dtype;
    return measured;
  }

  static LeafMeasurement missing(const Leaf& leaf, std::string detail) {
    LeafMeasurement measured = start(leaf);
    measured.missing = true;
    measured.detail = std::move(detail);
    return measured;
  }

  [[nodiscard]] bool is_zero_gradient(const Leaf& leaf, const RunRecord& owner) const;
  static void compare_unopened(const Leaf& expected, const Leaf& actual, LeafMeasurement& measured);
  static void compare_values_of_python(const Leaf& expected, const Leaf& actual, LeafMeasurement& measured);
  static void compare_facts(const Leaf& expected, const Leaf& actual, LeafMeasurement& measured);
  void compare_aliasing(const Leaf& leaf, LeafMeasurement& measured) const;
  void compare_elements(const Leaf& expected, const Leaf& actual, LeafMeasurement& measured) const;

  const RunRecord& expected_;
  const RunRecord& actual_;
  const MeasuredLeaves* measured_;
  PairOf pair_;
  std::set<std::string> common_;
  SharedMemory expected_shared_, actual_shared_;
};

bool is_none(const Leaf& leaf) { return !leaf.is_tensor && leaf.type == "NoneType"; }

bool Comparison::is_zero_gradient(const Leaf& leaf, const RunRecord& owner) const {
  if (leaf.group != LeafGroup::gradient) return false;
  if (is_none(leaf)) return true;
  if (!leaf.is_tensor || leaf.storage < 0 || !layout::fault(leaf, owner.storages).empty()) return false;
  if (layout::element_count(leaf) == 0) return true;
  // Only zeros equal their own negative.
  Leaf negated = leaf;
  negated.negative = !leaf.negative;
  const LeafTotals totals = measure_leaf(leaf, owner, negated, owner).totals;
  return totals.compiled.unequal == 0 && totals.compiled.finite == totals.elements;
}

void Comparison::compare_facts(const Leaf& expected, const Leaf& actual, LeafMeasurement& measured) {
  if (expected.type != actual.type) {
    measured.type_differs = true;
    note_pair(measured.detail, "type", expected.type, actual.type);
  }
  if (expected.dtype != actual.dtype) {
    measured.dtype_differs = true;
    note_pair(measured.detail, "dtype", name(expected.dtype), name(actual.dtype));
  }
  if (expected.shape != actual.shape) {
    measured.shape_differs = true;
    note_pair(measured.detail, "shape", text_of(expected.shape), text_of(actual.shape));
  } else if (layout::element_count(expected) > 0 && expected.storage >= 0 && actual.storage >= 0) {
    for (std::size_t i = 0; i < expected.shape.size(); ++i) {
      measured.stride_differs |= expected.shape[i] > 1 && expected.stride[i] != actual.stride[i];
    }
    measured.stride_padded = measured.stride_differs && is_padded(expected, actual);
    if (measured.stride_differs) note_pair(measured.detail, "stride", text_of(expected.stride), text_of(actual.stride));
  }
  if (expected.requires_grad != actual.requires_grad) {
    measured.requires_grad_differs = true;
    note_pair(measured.detail, "requires_grad", expected.requires_grad ? "True" : "False",
              actual.requires_grad ? "True" : "False");
  }
}

void Comparison::compare_aliasing(const Leaf& leaf, LeafMeasurement& measured) const {
  const auto expected = expected_shared_.find(leaf.path);
  const auto actual = actual_shared_.find(leaf.path);
  if (expected == expected_shared_.end() || actual == actual_shared_.end()) return;
  if (expected->second == actual->second) return;
  measured.alias_differs = true;
  measured.returned_input = joins_output_and_state(expected->second, actual->second);
  note_pair(measured.detail, "shares memory with", partners(expected->second, leaf.path),
            partners(actual->second, leaf.path));
}

void Comparison::compare_unopened(const Leaf& expected, const Leaf& actual, LeafMeasurement& measured) {
  const bool both = expected.unopened && actual.unopened;
  measured.unopened = expected.unopened ? expected.type : actual.type;
  if (!both || expected.type == actual.type) return;
  measured.type_differs = true;
  note_pair(measured.detail, "type", expected.type, actual.type);
}

/// Python values. An int or a bool may come from a tensor by .item(), so it is compared as a number: the rules for
/// numbers then apply to it.
void Comparison::compare_values_of_python(const Leaf& expected, const Leaf& actual, LeafMeasurement& measured) {
  if (expected.type != actual.type) {
    measured.type_differs = true;
    note_pair(measured.detail, "type", expected.type, actual.type);
    return;
  }
  const bool number = expected.type == "int" || expected.type == "bool";
  if (number) {
    measured.dtype = expected.type == "int" ? Dtype::int64 : Dtype::boolean;
    measured.elements = 1;
  }
  if (expected.value == actual.value) return;
  note_pair(measured.detail, "value", expected.value, actual.value);
  if (!number) {
    measured.type_differs = true;
    return;
  }
  measured.unequal = 1;
  measured.exceeds_tolerance = true;
  std::int64_t one = 0;
  std::int64_t other = 0;
  std::from_chars(expected.value.data(), expected.value.data() + expected.value.size(), one);
  std::from_chars(actual.value.data(), actual.value.data() + actual.value.size(), other);
  measured.max_absolute = measured.rms_difference = std::fabs(static_cast<double>(one) - static_cast<double>(other));
  measured.rms_expected = std::fabs(static_cast<double>(one));
}

double root_mean(double sum, double scaled_sum, std::int64_t count) {
  if (std::isfinite(sum)) return std::sqrt(sum / static_cast<double>(count));
  return std::sqrt(scaled_sum / static_cast<double>(count)) / MeasuredLeaf::kScale;
}

void take_totals(const MeasuredLeaf& leaf, PairOf pair, LeafMeasurement& measured) {
  const PairTotals& totals = leaf.totals.*pair;
  const PairTotals& scaled = leaf.scaled.*pair;
  measured.unequal = totals.unequal;
  measured.nan_differs = totals.nan_differs;
  measured.inf_differs = totals.inf_differs;
  measured.sign_differs = totals.sign_differs;
  measured.nan_bits = totals.nan_bits;
  measured.max_absolute = totals.max_absolute;
  measured.max_relative = totals.max_relative;
  measured.max_scaled = totals.max_scaled;
  if (totals.finite == 0) return;
  measured.rms_difference = root_mean(totals.sum_difference, scaled.sum_difference, totals.finite);
  measured.rms_expected = root_mean(totals.sum_expected, scaled.sum_expected, totals.finite);
}

void Comparison::compare_elements(const Leaf& expected, const Leaf& actual, LeafMeasurement& measured) const {
  const bool complex = is_complex(expected.dtype);
  measured.elements = layout::element_count(expected) * (complex ? 2 : 1);
  if (measured.elements == 0 || expected.storage < 0 || actual.storage < 0) return;
  // The pass over three records covers the leaf, unless the third side's leaf is a different one.
  const auto known = measured_ != nullptr ? measured_->find(expected.path) : MeasuredLeaves::const_iterator{};
  const bool seen = measured_ != nullptr && known != measured_->end() &&
                    (pair_ == &LeafTotals::compiled || known->second.with_reference);
  if (seen) {
    take_totals(known->second, pair_, measured);
  } else {
    take_totals(measure_leaf(expected, expected_, actual, actual_), &LeafTotals::compiled, measured);
  }
  measured.exceeds_tolerance =
      measured.max_absolute > allowed_by(default_tolerance(expected.dtype), measured.rms_expected) &&
      measured.max_scaled > 1;
  if (measured.nan_differs > 0)
    note(measured.detail, "NaN on one side only in " + std::to_string(measured.nan_differs));
  if (measured.inf_differs > 0) note(measured.detail, "Inf differs in " + std::to_string(measured.inf_differs));
  if (measured.unequal > 0) {
    note(measured.detail, std::to_string(measured.unequal) + " of " + std::to_string(measured.elements) +
                              " elements differ, by at most " + short_form(measured.max_absolute));
  }
}

LeafMeasurement Comparison::pair(const Leaf& expected, const Leaf& actual) const {
  if ((is_none(expected) || is_none(actual)) && is_zero_gradient(expected, expected_) &&
      is_zero_gradient(actual, actual_)) {
    return start(expected);
  }
  if ((expected.unopened || actual.unopened) && expected.group != LeafGroup::input) {
    LeafMeasurement measured = start(expected);
    compare_unopened(expected, actual, measured);
    return measured;
  }
  if (!expected.is_tensor && !actual.is_tensor) {
    LeafMeasurement measured = start(expected);
    compare_values_of_python(expected, actual, measured);
    return measured;
  }
  if (expected.is_tensor != actual.is_tensor) {
    LeafMeasurement measured = start(expected);
    measured.type_differs = true;
    note_pair(measured.detail, "type", expected.type, actual.type);
    return measured;
  }
  if (const std::string fault = layout::fault(expected, expected_.storages); !fault.empty())
    return missing(expected, "expected side unreadable: " + fault);
  if (const std::string fault = layout::fault(actual, actual_.storages); !fault.empty())
    return missing(expected, "actual side unreadable: " + fault);
  LeafMeasurement measured = start(expected);
  compare_facts(expected, actual, measured);
  compare_aliasing(expected, measured);
  if (!measured.shape_differs && comparable(expected.dtype, actual.dtype)) compare_elements(expected, actual, measured);
  return measured;
}

Measurement measurement_of(const RunRecord& expected, const RunRecord& actual, const MeasuredLeaves* measured,
                           PairOf pair) {
  Measurement measurement;
  measurement.expected = expected.mode;
  measurement.actual = actual.mode;
  const Comparison comparison(expected, actual, measured, pair);
  const LeavesByPath actual_leaves = leaves_by_path(actual);
  for (const Leaf& leaf : expected.leaves) {
    const auto partner = actual_leaves.find(leaf.path);
    measurement.leaves.push_back(partner == actual_leaves.end() ? comparison.lone(leaf, expected, "the expected side")
                                                                : comparison.pair(leaf, *partner->second));
  }
  const LeavesByPath expected_leaves = leaves_by_path(expected);
  for (const Leaf& leaf : actual.leaves) {
    if (expected_leaves.count(leaf.path) == 0)
      measurement.leaves.push_back(comparison.lone(leaf, actual, "the actual side"));
  }
  return measurement;
}

}  // namespace

Measurement compare(const RunRecord& expected, const RunRecord& actual) {
  return measurement_of(expected, actual, nullptr, &LeafTotals::compiled);
}

std::optional<Measurement> compare(const RunRecord& expected, const RunRecord& actual, const Trio& trio,
                                   const MeasuredLeaves& leaves) {
  if (&expected == trio.eager && &actual == trio.compiled)
    return measurement_of(expected, actual, &leaves, &LeafTotals::compiled);
  if (trio.reference == nullptr || &expected != trio.reference) return std::nullopt;
  if (&actual == trio.eager) return measurement_of(expected, actual, &leaves, &LeafTotals::eager_reference);
  if (&actual == trio.compiled) return measurement_of(expected, actual, &leaves, &LeafTotals::compiled_reference);
  return std::nullopt;
}

bool LeafMeasurement::values_differ() const {
  return nan_differs > 0 || inf_differs > 0 || exceeds_tolerance || (is_exact(dtype) && unequal > 0);
}

const LeafMeasurement* Measurement::find(const std::string& path) const {
  const auto found = std::find_if(leaves.begin(), leaves.end(), [&](const auto& leaf) { return leaf.path == path; });
  return found == leaves.end() ? nullptr : &*found;
}

}  // namespace parityd::oracle
