#include "oracle/input_facts.h"

#include <cmath>

#include "oracle/elements.h"
#include "oracle/layout.h"

namespace parityd::oracle {
namespace {

bool holds_non_finite(const Leaf& leaf, const StorageView& storage) {
  const auto size = static_cast<std::int64_t>(element_size(leaf.dtype));
  const std::byte* const first = storage.data + leaf.offset * size;
  layout::Walk walk = layout::walk_together({&leaf});
  const Dtype part = elements::component(leaf.dtype);
  const auto part_size = static_cast<std::int64_t>(element_size(part));
  if (part != leaf.dtype) walk.dimensions.push_back({2, {part_size}});
  bool found = false;
  elements::with_loader(part, [&](auto loader) {
    layout::for_each_row(walk, {first}, [&](layout::Pointers at, const layout::Dimension& row) {
      for (std::int64_t i = 0; i < row.size && !found; ++i, at[0] += row.steps[0]) {
        found = !std::isfinite(static_cast<double>(decltype(loader)::load(at[0])));
      }
    });
  });
  return found;
}

}  // namespace

InputFacts input_facts(const RunRecord& record) {
  InputFacts facts;
  for (const Leaf& leaf : record.leaves) {
    if (leaf.group != LeafGroup::input || !leaf.is_tensor) continue;
    if (!layout::fault(leaf, record.storages).empty()) continue;
    if (layout::element_count(leaf) == 0) {
      facts.zero_size = true;
    } else if (leaf.storage >= 0 && (is_floating(leaf.dtype) || is_complex(leaf.dtype))) {
      facts.non_finite |= holds_non_finite(leaf, record.storages[static_cast<std::size_t>(leaf.storage)]);
    }
  }
  return facts;
}

}  // namespace parityd::oracle
