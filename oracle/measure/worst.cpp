#include "oracle/measure/worst.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <type_traits>

#include "oracle/measure/elements.h"
#include "oracle/measure/layout.h"
#include "oracle/measure/measure.h"

namespace parityd::oracle {
namespace {

constexpr std::int64_t kMostElements = 1 << 20;  // of a leaf: the daemon's loop waits meanwhile

/// One tensor of a record, read element by element.
struct Tensor {
  const Leaf& leaf;
  const std::byte* data;  // of its storage

  [[nodiscard]] const std::byte* at(const std::vector<std::int64_t>& index) const {
    std::int64_t place = leaf.offset;
    for (std::size_t i = 0; i < index.size(); ++i) place += index[i] * leaf.stride[i];
    return data + place * static_cast<std::int64_t>(element_size(leaf.dtype));
  }
};

std::optional<Tensor> tensor_of(const RunRecord& record, const std::string& path) {
  const Leaf* const leaf = record.find(path);
  if (leaf == nullptr || !has_elements(*leaf, record)) return std::nullopt;
  const StorageView& storage = record.storages[static_cast<std::size_t>(leaf->storage)];
  if (storage.on_device) return std::nullopt;
  return Tensor{*leaf, storage.data};
}

/// The value of one component, as used in arithmetic.
template <typename Loader>
auto loaded(const Leaf& leaf, const std::byte* at, bool imaginary) {
  auto value = Loader::load(at + (imaginary ? Loader::kSize : 0));
  if constexpr (std::is_floating_point_v<decltype(value)>) {
    if (leaf.negative != (imaginary && leaf.conjugate)) value = -value;
  }
  return value;
}

template <typename Value>
double distance(Value one, Value other) {
  if constexpr (std::is_floating_point_v<Value>) {
    if (one == other || (std::isnan(one) && std::isnan(other))) return 0;
    const double apart = std::fabs(one - other);
    return std::isfinite(apart) ? apart : std::numeric_limits<double>::infinity();  // NaN or Inf on one side
  } else {
    return std::fabs(static_cast<double>(one) - static_cast<double>(other)) + (one != other ? 1e-300 : 0);
  }
}

double distance(const Tensor& one, const std::byte* a, const Tensor& other, const std::byte* b) {
  const bool wide = is_complex(one.leaf.dtype);
  const auto apart = [&](auto first, auto second, bool imaginary) {
    const auto x = loaded<decltype(first)>(one.leaf, a, imaginary);
    const auto y = loaded<decltype(second)>(other.leaf, b, imaginary);
    if constexpr (std::is_same_v<decltype(x), decltype(y)>) {
      return distance(x, y);
    } else {
      return distance(static_cast<double>(x), static_cast<double>(y));
    }
  };
  return elements::with_loader(elements::component(one.leaf.dtype), [&](auto first) {
    return elements::with_loader(elements::component(other.leaf.dtype), [&](auto second) {
      return std::max(apart(first, second, false), wide ? apart(first, second, true) : 0.0);
    });
  });
}

std::string number_text(double value) { return python_float(value); }
template <typename Integer>
std::string number_text(Integer value) {
  return std::to_string(value);
}

/// Python omits ".0" within a complex number.
std::string component_text(double value) {
  std::string text = python_float(value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

std::string text_of(const Tensor& tensor, const std::byte* at) {
  const Leaf& leaf = tensor.leaf;
  return elements::with_loader(elements::component(leaf.dtype), [&](auto loader) -> std::string {
    using Loader = decltype(loader);
    const auto real = loaded<Loader>(leaf, at, false);
    if (leaf.dtype == Dtype::boolean) return real != 0 ? "True" : "False";
    if (!is_complex(leaf.dtype)) return number_text(real);
    const std::string imaginary = component_text(static_cast<double>(loaded<Loader>(leaf, at, true))) + "j";
    if (real == 0 && !std::signbit(static_cast<double>(real))) return imaginary;
    const char* const sign = imaginary.starts_with('-') ? "" : "+";
    return std::string{"("}.append(component_text(static_cast<double>(real))).append(sign).append(imaginary) + ')';
  });
}

/// Advances the index; false after the last one.
bool step(std::vector<std::int64_t>& index, const std::vector<std::int64_t>& shape) {
  for (std::size_t i = index.size(); i-- > 0;) {
    if (++index[i] < shape[i]) return true;
    index[i] = 0;
  }
  return false;
}

std::optional<WorstElement> worst_of(const Tensor& eager, const Tensor& compiled) {
  double farthest = 0;
  std::optional<WorstElement> worst;
  std::vector<std::int64_t> index(eager.leaf.shape.size(), 0);
  do {
    const double apart = distance(eager, eager.at(index), compiled, compiled.at(index));
    if (apart <= farthest) continue;
    farthest = apart;
    worst = WorstElement{.index = index, .eager = {}, .compiled = {}, .reference = {}};
  } while (!std::isinf(farthest) && step(index, eager.leaf.shape));
  return worst;
}

/// A Python int or bool, which counts as one element.
std::optional<WorstElement> python_values(const RunRecord& eager, const RunRecord& compiled, const std::string& path) {
  const Leaf* const one = eager.find(path);
  const Leaf* const other = compiled.find(path);
  if (one == nullptr || other == nullptr || one->is_tensor || other->is_tensor) return std::nullopt;
  return WorstElement{.index = {}, .eager = one->value, .compiled = other->value, .reference = {}};
}

}  // namespace

std::string python_float(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::array<char, 40> text{};
  const double size = std::fabs(value);
  const bool plain = size == 0 || (size >= 1e-4 && size < 1e16);
  const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
  std::string written(text.data(), std::to_chars(text.data(), text.data() + text.size(), value, format).ptr);
  return plain && written.find('.') == std::string::npos ? written + ".0" : written;
}

void name_worst(Measurement& measured, const RunRecord& eager, const RunRecord& compiled, const RunRecord* reference) {
  for (LeafMeasurement& leaf : measured.leaves) {
    if (leaf.unequal == 0) continue;
    leaf.worst = python_values(eager, compiled, leaf.path);
    const auto one = tensor_of(eager, leaf.path);
    const auto other = tensor_of(compiled, leaf.path);
    if (!one || !other || one->leaf.shape != other->leaf.shape) continue;
    if (layout::element_count(one->leaf) > kMostElements) continue;
    auto worst = worst_of(*one, *other);
    if (!worst) continue;
    worst->eager = text_of(*one, one->at(worst->index));
    worst->compiled = text_of(*other, other->at(worst->index));
    const auto third = reference != nullptr ? tensor_of(*reference, leaf.path) : std::nullopt;
    if (third && third->leaf.shape == one->leaf.shape) worst->reference = text_of(*third, third->at(worst->index));
    leaf.worst = std::move(worst);
  }
}

}  // namespace parityd::oracle
