#include "oracle/noise.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "oracle/elements.h"
#include "oracle/layout.h"

namespace parityd::oracle {
namespace {

constexpr double kFartherThanNoise = 2;

using Values = std::vector<double>;

/// An int or a bool of Python's.
std::optional<Values> value_of_python(const Leaf& leaf) {
  if (leaf.type == "bool") return Values{leaf.value == "True" ? 1.0 : 0.0};
  std::int64_t value = 0;
  const auto read = std::from_chars(leaf.value.data(), leaf.value.data() + leaf.value.size(), value);
  if (leaf.type != "int" || read.ec != std::errc{}) return std::nullopt;
  return Values{static_cast<double>(value)};
}

/// All elements in the order of their indices. Doubles are enough: a difference that they cannot hold is a wide one.
std::optional<Values> values_of(const RunRecord& record, const Leaf& leaf) {
  if (!leaf.is_tensor) return value_of_python(leaf);
  if (leaf.storage < 0 || !layout::fault(leaf, record.storages).empty()) return std::nullopt;
  const auto count = static_cast<std::size_t>(layout::element_count(leaf));
  const std::byte* const data = record.storages[static_cast<std::size_t>(leaf.storage)].data;
  const auto size = static_cast<std::int64_t>(element_size(leaf.dtype));
  Values values;
  values.reserve(count);
  std::vector<std::int64_t> index(leaf.shape.size(), 0);
  elements::with_loader(leaf.dtype, [&](auto loader) {
    std::int64_t at = leaf.offset;
    while (values.size() < count) {
      values.push_back(static_cast<double>(decltype(loader)::load(data + at * size)));
      for (std::size_t i = index.size(); i-- > 0;) {
        at += leaf.stride[i];
        if (++index[i] < leaf.shape[i]) break;
        at -= leaf.stride[i] * leaf.shape[i];
        index[i] = 0;
      }
    }
  });
  return values;
}

std::int64_t beyond(const Values& eager, const Values& compiled, const Values& noise) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < eager.size(); ++i) {
    const double difference = std::fabs(compiled[i] - eager[i]);
    if (difference > kFartherThanNoise * std::fabs(noise[i] - eager[i])) ++count;
  }
  return count;
}

}  // namespace

void count_beyond_noise(Measurement& measured, const RunRecord& eager, const RunRecord& compiled,
                        const RunRecord& noise) {
  for (LeafMeasurement& leaf : measured.leaves) {
    if (leaf.unequal == 0 || !is_exact(leaf.dtype)) continue;
    const Leaf* const one = eager.find(leaf.path);
    const Leaf* const other = compiled.find(leaf.path);
    const Leaf* const drawn = noise.find(leaf.path);
    if (one == nullptr || other == nullptr || drawn == nullptr) continue;
    const auto expected = values_of(eager, *one);
    const auto actual = values_of(compiled, *other);
    const auto far = values_of(noise, *drawn);
    if (!expected || !actual || !far) continue;
    if (expected->size() == actual->size() && expected->size() == far->size())
      leaf.beyond_noise = beyond(*expected, *actual, *far);
  }
}

}  // namespace parityd::oracle
