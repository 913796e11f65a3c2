#include "oracle/measure/input_facts.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <type_traits>

#include "oracle/measure/elements.h"
#include "oracle/measure/layout.h"

namespace parityd::oracle {
namespace {

constexpr double kExtreme = 1e6;
constexpr double kHalfRange = 65504.0 / 8;  // half's own extreme: what a sum of few such values takes to infinity

double extreme_of(Dtype dtype) { return dtype == Dtype::float16 ? kHalfRange : kExtreme; }

template <typename Value>
void look_at(Value value, Dtype dtype, InputFacts& facts) {
  if constexpr (std::is_same_v<Value, double>) {
    facts.non_finite |= !std::isfinite(value);
    facts.extreme |= std::isfinite(value) && std::abs(value) > extreme_of(dtype);
  } else if constexpr (sizeof(Value) > 1) {
    constexpr double kMostOrdinary = static_cast<double>(std::numeric_limits<Value>::max()) / 2;
    facts.extreme |= std::abs(static_cast<double>(value)) > kMostOrdinary;
  }
}

void look_at(const Leaf& leaf, const StorageView& storage, InputFacts& facts) {
  const auto size = static_cast<std::int64_t>(element_size(leaf.dtype));
  const std::byte* const first = storage.data + leaf.offset * size;
  layout::Walk walk = layout::walk_together({&leaf});
  const Dtype part = elements::component(leaf.dtype);
  const auto part_size = static_cast<std::int64_t>(element_size(part));
  if (part != leaf.dtype) walk.dimensions.push_back({2, {part_size}});
  elements::with_loader(part, [&](auto loader) {
    layout::for_each_row(walk, {first}, [&](layout::Pointers at, const layout::Dimension& row) {
      for (std::int64_t i = 0; i < row.size; ++i, at[0] += row.steps[0]) {
        look_at(decltype(loader)::load(at[0]), part, facts);
      }
    });
  });
}

/// A Python float by its repr.
void look_at_number(const Leaf& leaf, InputFacts& facts) {
  if (leaf.type != "float") return;
  const bool known = leaf.value == "nan" || leaf.value == "inf" || leaf.value == "-inf";
  facts.non_finite |= known;
  if (!known) facts.extreme |= std::abs(std::strtod(leaf.value.c_str(), nullptr)) > kExtreme;
}

}  // namespace

InputFacts input_facts(const RunRecord& record) {
  InputFacts facts;
  for (const Leaf& leaf : record.leaves) {
    if (leaf.group != LeafGroup::input) continue;
    if (!leaf.is_tensor) {
      look_at_number(leaf, facts);
    } else if (!layout::fault(leaf, record.storages).empty()) {
      continue;
    } else if (layout::element_count(leaf) == 0) {
      facts.zero_size = true;
    } else if (leaf.storage >= 0) {
      look_at(leaf, record.storages[static_cast<std::size_t>(leaf.storage)], facts);
    }
  }
  return facts;
}

}  // namespace parityd::oracle
