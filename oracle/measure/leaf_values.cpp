#include "oracle/measure/leaf_values.h"

#include <charconv>

#include "oracle/measure/elements.h"
#include "oracle/measure/layout.h"

namespace parityd::oracle {
namespace {

using Values = std::vector<double>;

std::optional<Values> value_of_python(const Leaf& leaf) {
  if (leaf.type == "bool") return Values{leaf.value == "True" ? 1.0 : 0.0};
  std::int64_t value = 0;
  const auto read = std::from_chars(leaf.value.data(), leaf.value.data() + leaf.value.size(), value);
  if (leaf.type != "int" || read.ec != std::errc{}) return std::nullopt;
  return Values{static_cast<double>(value)};
}

}  // namespace

std::optional<Values> values_of(const RunRecord& record, const Leaf& leaf) {
  if (!leaf.is_tensor) return value_of_python(leaf);
  if (leaf.storage < 0 || leaf.conjugate || leaf.negative || !layout::fault(leaf, record.storages).empty())
    return std::nullopt;
  const StorageView& storage = record.storages[static_cast<std::size_t>(leaf.storage)];
  if (storage.on_device) return std::nullopt;
  const Dtype component = elements::component(leaf.dtype);
  const auto size = static_cast<std::int64_t>(element_size(component));
  const std::int64_t components = is_complex(leaf.dtype) ? 2 : 1;
  const auto count = static_cast<std::size_t>(layout::element_count(leaf) * components);
  Values values;
  values.reserve(count);
  std::vector<std::int64_t> index(leaf.shape.size(), 0);
  elements::with_loader(component, [&](auto loader) {
    std::int64_t at = leaf.offset;
    while (values.size() < count) {
      for (std::int64_t part = 0; part < components; ++part) {
        const std::byte* const from = storage.data + (at * components + part) * size;
        values.push_back(static_cast<double>(decltype(loader)::load(from)));
      }
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

}  // namespace parityd::oracle
