#include "oracle/measure/same.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

#include "oracle/measure/scan.h"

namespace parityd::oracle {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kRescueTolerance = 4e-2;  // if eager has NaN, and neither compiled nor the reference has
constexpr double kSmallestLength = 1e-6;   // cosine_similarity's eps
constexpr double kSameDirection = 0.99;

SameAnswer no_verdict(std::string why) { return {std::nullopt, std::move(why)}; }
SameAnswer answer(bool same, const Leaf& leaf, const char* why) { return {same, same ? "" : leaf.path + ": " + why}; }

/// A leaf and the record that holds its bytes.
struct Judged {
  const Leaf* leaf = nullptr;
  const RunRecord* record = nullptr;
};

// ---- Python values

bool is_any_of(const std::string& type, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* name) { return type == name; });
}

std::optional<double> number_of(const Leaf& leaf) {
  if (leaf.type == "bool") return leaf.value == "True" ? 1 : 0;
  if (!is_any_of(leaf.type, {"int", "float"})) return std::nullopt;
  double value = 0;
  const char* const end = leaf.value.data() + leaf.value.size();
  const auto read = std::from_chars(leaf.value.data(), end, value);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return value;
}

/// Python floats become tensors of float32; so does their reference, which therefore decides nothing.
bool same_floats(double one, double other, const SameSettings& settings) {
  const bool equal_nan = settings.equal_nan || settings.cosine_similarity;
  if (is_close(closeness_of(Dtype::float32, settings.tolerance, equal_nan), one, other)) return true;
  if (!settings.cosine_similarity) return settings.ignore_non_floating;
  return one * other / (std::max(std::fabs(one), kSmallestLength) * std::max(std::fabs(other), kSmallestLength)) >=
         kSameDirection;
}

SameAnswer same_values(const Leaf& eager, const Leaf& compiled, const SameSettings& settings) {
  if (eager.is_tensor != compiled.is_tensor) return no_verdict(eager.path + ": a tensor compared with a Python value");
  const std::optional<double> one = number_of(eager);
  const std::optional<double> other = number_of(compiled);
  if (eager.type == "float") {
    if (!one) return no_verdict(eager.path + ": unreadable float");
    if (!other && compiled.type != "complex")
      return no_verdict(eager.path + ": a float compared with " + compiled.type);
    if (compiled.type != "float") return answer(false, eager, "other dtype");
    return answer(same_floats(rounded_to_single(*one), rounded_to_single(*other), settings), eager, "other float");
  }
  if (!is_any_of(eager.type, {"str", "int", "bool", "NoneType", "device"}))
    return no_verdict("unsupported type: " + eager.type);
  const bool equal = eager.type == compiled.type ? eager.value == compiled.value : (one && other && *one == *other);
  return answer(equal || settings.ignore_non_floating, eager, "other value");
}

// ---- tensors of different shapes: torch broadcasts them

std::optional<std::vector<std::int64_t>> broadcast(const Leaf& one, const Leaf& other) {
  std::vector<std::int64_t> shape(std::max(one.shape.size(), other.shape.size()), 1);
  for (const Leaf* leaf : {&one, &other}) {
    const std::size_t before = shape.size() - leaf->shape.size();
    for (std::size_t i = 0; i < leaf->shape.size(); ++i) {
      std::int64_t& size = shape[before + i];
      if (size != leaf->shape[i] && size != 1 && leaf->shape[i] != 1) return std::nullopt;
      if (size == 1) size = leaf->shape[i];
    }
  }
  return shape;
}

Leaf expanded(const Leaf& leaf, const std::vector<std::int64_t>& shape) {
  Leaf wide = leaf;
  const std::size_t before = shape.size() - leaf.shape.size();
  wide.shape = shape;
  wide.stride.assign(shape.size(), 0);
  for (std::size_t i = 0; i < leaf.shape.size(); ++i) {
    if (leaf.shape[i] != 1) wide.stride[before + i] = leaf.stride[i];
  }
  return wide;
}

/// One pair alone, cast if a type is given; nullopt if the shapes do not broadcast.
std::optional<LeafTotals> scan_pair(const Judged& eager, const Judged& compiled, std::optional<Dtype> eager_cast,
                                    std::optional<Dtype> compiled_cast, double tolerance, bool equal_nan) {
  const auto shape = broadcast(*eager.leaf, *compiled.leaf);
  if (!shape) return std::nullopt;
  const Leaf one = expanded(*eager.leaf, *shape);
  const Leaf other = expanded(*compiled.leaf, *shape);
  if (layout::element_count(one) == 0) return LeafTotals{};
  scan::Triple triple{scan::operand_of(one, *eager.record), scan::operand_of(other, *compiled.record), {}};
  triple.eager.rounded = eager_cast;
  triple.compiled.rounded = compiled_cast;
  const layout::Walk walk = layout::walk_together({&one, &other});
  const Dtype judged = compiled_cast.value_or(other.dtype);
  return scan::scan(walk, triple, closeness_of(judged, tolerance, equal_nan), 1);
}

// ---- the numeric path

/// Root of the mean square of the difference, with the NaN or Inf that a sum over all elements would have.
double root_mean_square(const PairTotals& pair, std::int64_t elements) {
  if (elements == 0 || pair.nan > 0 || pair.cancelled > 0) return kNan;
  if (pair.finite < elements) return std::numeric_limits<double>::infinity();
  return std::sqrt(pair.sum_difference / static_cast<double>(elements));
}

class TensorJudge {
 public:
  TensorJudge(Judged eager, Judged compiled, Judged reference, const MeasuredLeaf* measured,
              const SameSettings& settings)
      : eager_(eager), compiled_(compiled), reference_(reference), measured_(measured), settings_(settings) {}

  [[nodiscard]] SameAnswer judge() {
    const Leaf& leaf = *eager_.leaf;
    if (leaf.dtype != compiled_.leaf->dtype) return answer(false, leaf, "other dtype");
    if (leaf.dtype == Dtype::boolean && settings_.ignore_non_floating) return answer(true, leaf, "");
    if (settings_.cosine_similarity && leaf.dtype != Dtype::boolean) return by_cosine();
    if (!take_pair()) return no_verdict(leaf.path + ": the shapes do not broadcast");
    if (element_size(leaf.dtype) == 1 && is_floating(leaf.dtype) && (settings_.tolerance != 0 || pair_.far))
      return no_verdict(leaf.path + ": torch has no arithmetic for float8");
    if (leaf.dtype == Dtype::boolean && settings_.iou_for_bool) return by_overlap();
    if (!pair_.far) return answer(true, leaf, "");
    if (leaf.dtype == Dtype::boolean) return answer(false, leaf, "bool differs");
    if (reference_.leaf->dtype == Dtype::float64) return by_reference();
    return answer(settings_.ignore_non_floating, leaf, "outside the tolerance, no float64 reference");
  }

 private:
  /// Sets eager and compiled, and the reference if the single pass covered it.
  bool take_pair() {
    if (measured_ != nullptr) {
      pair_ = measured_->totals;
      return true;
    }
    const auto totals =
        scan_pair(eager_, compiled_, std::nullopt, std::nullopt, settings_.tolerance, settings_.equal_nan);
    if (totals) pair_ = *totals;
    return totals.has_value();
  }

  SameAnswer by_overlap() const {
    const double both = pair_.sum_product;
    const double either = pair_.compiled.sum_expected + pair_.sum_compiled - both;
    // torch divides in float32
    const bool same = either == 0 || static_cast<double>(static_cast<float>(both) / static_cast<float>(either)) >=
                                         settings_.iou_threshold;
    return answer(same, *eager_.leaf, "too little overlap");
  }

  SameAnswer by_cosine() const {
    const Leaf& leaf = *eager_.leaf;
    if (is_complex(leaf.dtype) || leaf.shape != compiled_.leaf->shape)
      return no_verdict(leaf.path + ": no cosine for complex tensors or different shapes");
    const auto totals = scan_pair(eager_, compiled_, Dtype::float32, Dtype::float32, settings_.tolerance, true);
    if (!totals->far) return answer(true, leaf, "");
    if (totals->compiled.finite < totals->elements) return answer(false, leaf, "no direction");
    // torch's sums of squares are float32 and overflow, except for a single element, whose root is its magnitude.
    const auto length = [&](double squares) {
      return std::max(std::sqrt(totals->elements == 1 ? squares : rounded_to_single(squares)), kSmallestLength);
    };
    const double lengths = length(totals->compiled.sum_expected) * length(totals->sum_compiled);
    return answer(totals->sum_product / lengths >= kSameDirection, leaf, "other direction");
  }

  /// The root mean squares of eager and of compiled against the reference decide.
  SameAnswer by_reference() {
    const Leaf& leaf = *eager_.leaf;
    if (is_complex(leaf.dtype)) return no_verdict(leaf.path + ": torch has no root mean square of complex numbers");
    const bool seen = measured_ != nullptr && measured_->with_reference;
    PairTotals eager = pair_.eager_reference;
    PairTotals compiled = pair_.compiled_reference;
    std::int64_t eager_elements = pair_.elements;
    std::int64_t compiled_elements = pair_.elements;
    if (!seen) {
      const auto one = scan_pair(reference_, eager_, std::nullopt, std::nullopt, 0, true);
      const auto other = scan_pair(reference_, compiled_, std::nullopt, std::nullopt, 0, true);
      if (!one || !other) return no_verdict(leaf.path + ": the shapes do not broadcast");
      eager = one->compiled;
      compiled = other->compiled;
      eager_elements = one->elements;
      compiled_elements = other->elements;
    }
    if (compiled.nan == 0 && eager.nan > 0 && is_rescued()) return answer(true, leaf, "");
    const double eager_error = root_mean_square(eager, eager_elements);
    const double compiled_error = root_mean_square(compiled, compiled_elements);
    const bool both_nan = settings_.equal_nan && std::isnan(eager_error) && std::isnan(compiled_error);
    const bool within = compiled_error <= multiplier() * eager_error + settings_.tolerance / 10;
    return answer(within || both_nan, leaf, "farther from float64 than eager");
  }

  /// Compiled code is better than eager: it has numbers, about the right ones, where eager has NaN.
  bool is_rescued() const {
    const auto totals =
        scan_pair(reference_, compiled_, compiled_.leaf->dtype, std::nullopt, kRescueTolerance, settings_.equal_nan);
    return totals && !totals->far;
  }

  double multiplier() const {
    if (settings_.largest_multiplier) return 10;
    const std::int64_t count = layout::element_count(*reference_.leaf);
    if (settings_.larger_multiplier && (settings_.torch_minor > 6 || settings_.tolerance >= 4e-2)) {
      if (count <= 10) return 10;
      if (settings_.torch_minor >= 15 ? count < 1000 : count <= 500) return settings_.torch_minor >= 8 ? 8 : 5;
    }
    const std::vector<std::int64_t>& shape = eager_.leaf->shape;
    if (count < 1000 || (shape.size() == 4 && shape[2] == 1 && shape[3] == 1) || settings_.tolerance >= 2e-2) return 3;
    const Dtype dtype = compiled_.leaf->dtype;
    return dtype == Dtype::float16 || dtype == Dtype::bfloat16 ? 3 : 2;
  }

  Judged eager_, compiled_, reference_;
  const MeasuredLeaf* measured_;
  const SameSettings& settings_;
  LeafTotals pair_;
};

/// The leaves that are compared, in order.
std::vector<const Leaf*> outputs_of(const RunRecord& record) {
  std::vector<const Leaf*> outputs;
  for (const Leaf& leaf : record.leaves) {
    if (leaf.group == LeafGroup::output && (!leaf.is_tensor || leaf.storage >= 0)) outputs.push_back(&leaf);
  }
  return outputs;
}

LeavesByPath by_path(const std::vector<const Leaf*>& leaves) {
  LeavesByPath found;
  for (const Leaf* leaf : leaves) found.emplace(leaf->path, leaf);
  return found;
}

bool same_paths(const std::vector<const Leaf*>& leaves, const LeavesByPath& others) {
  return leaves.size() == others.size() &&
         std::all_of(leaves.begin(), leaves.end(), [&](const Leaf* leaf) { return others.count(leaf->path) > 0; });
}

bool readable(const Judged& side) { return layout::fault(*side.leaf, side.record->storages).empty(); }

}  // namespace

SameAnswer same(const RunRecord& eager, const RunRecord& compiled, const RunRecord* reference,
                const MeasuredLeaves& measured, const SameSettings& settings) {
  const std::vector<const Leaf*> leaves = outputs_of(eager);
  const auto others = by_path(outputs_of(compiled));
  if (!same_paths(leaves, others)) return {false, "the outputs have different leaves"};
  const auto references = by_path(reference != nullptr ? outputs_of(*reference) : std::vector<const Leaf*>{});
  const bool with_reference = reference != nullptr && same_paths(leaves, references);
  for (const Leaf* leaf : leaves) {
    const Judged one{leaf, &eager};
    const Judged other{others.at(leaf->path), &compiled};
    const Judged third = with_reference ? Judged{references.at(leaf->path), reference} : one;
    SameAnswer verdict;
    if (!leaf->is_tensor || !other.leaf->is_tensor) {
      verdict = same_values(*leaf, *other.leaf, settings);
    } else if (!third.leaf->is_tensor || !readable(one) || !readable(other) || !readable(third)) {
      verdict = no_verdict(leaf->path + ": one side has no readable elements");
    } else {
      const auto known = measured.find(leaf->path);
      verdict = TensorJudge(one, other, third, known == measured.end() ? nullptr : &known->second, settings).judge();
    }
    if (verdict.verdict != true) return verdict;
  }
  return {true, with_reference ? "" : "no double reference"};
}

}  // namespace parityd::oracle
