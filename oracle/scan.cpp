#include "oracle/scan.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "oracle/block.h"
#include "oracle/elements.h"

namespace parityd::oracle::scan {
namespace {

using block::Values;

/// Every `step` bytes one value, into every `apart`-th place.
template <typename Loader>
void load_as(const std::byte* at, std::int64_t step, std::int64_t count, double* to, std::int64_t apart) {
  if (step == static_cast<std::int64_t>(Loader::kSize) && apart == 1) {
    for (std::int64_t i = 0; i < count; ++i)
      to[i] = static_cast<double>(Loader::load(at + i * static_cast<std::int64_t>(Loader::kSize)));
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) to[i * apart] = static_cast<double>(Loader::load(at + i * step));
}

void load(Dtype dtype, const std::byte* at, std::int64_t step, std::int64_t count, double* to, std::int64_t apart) {
  elements::with_loader(dtype, [&](auto loader) { load_as<decltype(loader)>(at, step, count, to, apart); });
}

/// `count` logical elements of `operand` from `at` on as doubles, components side by side.
void load_elements(const Operand& operand, const std::byte* at, std::int64_t step, std::int64_t count, Values& to) {
  const Dtype part = elements::component(operand.dtype);
  const auto part_size = static_cast<std::int64_t>(element_size(part));
  if (!is_complex(operand.dtype)) {
    load(part, at, step, count, to.data(), 1);
    if (operand.negative) block::negate(to.data(), count, 1);
    if (operand.rounded) {
      for (std::int64_t i = 0; i < count; ++i) to.data()[i] = rounded_to(*operand.rounded, to.data()[i]);
    }
    return;
  }
  if (step == 2 * part_size) {
    load(part, at, part_size, 2 * count, to.data(), 1);
  } else {
    load(part, at, step, count, to.data(), 2);
    load(part, at + part_size, step, count, to.data() + 1, 2);
  }
  if (operand.negative) block::negate(to.data(), count, 2);
  if (operand.negative != operand.conjugate) block::negate(to.data() + 1, count, 2);
}

/// Whether the bytes of `count` elements tell that both sides are equal.
bool same_bytes(const Operand& one, const Operand& other, const layout::Pointers& at, const layout::Dimension& row,
                std::int64_t count) {
  const auto size = static_cast<std::int64_t>(element_size(one.dtype));
  return one.dtype == other.dtype && one.rounded == other.rounded && one.negative == other.negative &&
         one.conjugate == other.conjugate && row.steps[0] == size && row.steps[1] == size &&
         std::memcmp(at[0], at[1], static_cast<std::size_t>(count * size)) == 0;
}

// ---- floating and complex elements, as doubles

class FloatingScan {
 public:
  FloatingScan(const Triple& triple, const Closeness& closeness, double scale)
      : triple_(triple),
        closeness_(closeness),
        scale_(scale),
        components_(is_complex(triple.eager.dtype) ? 2 : 1),
        judged_(triple.eager.rounded.value_or(triple.eager.dtype) == closeness.dtype &&
                triple.compiled.rounded.value_or(triple.compiled.dtype) == closeness.dtype) {}

  /// At most a block of elements.
  void add(const layout::Pointers& at, const layout::Dimension& row, std::int64_t count) {
    const std::int64_t values = count * components_;
    totals_.elements += values;
    const bool equal = same_bytes(triple_.eager, triple_.compiled, at, row, count);
    load_elements(triple_.eager, at[0], row.steps[0], count, eager_);
    if (!equal) load_elements(triple_.compiled, at[1], row.steps[1], count, compiled_);
    const Values& compiled = equal ? eager_ : compiled_;
    block::add_pairs(totals_.compiled, eager_.data(), compiled.data(), values, scale_);
    if (judged_) add_closeness(compiled, values);
    if (triple_.reference.first == nullptr) return;
    load_elements(triple_.reference, at[2], row.steps[2], count, reference_);
    if (!equal) {
      block::add_pairs(totals_.eager_reference, reference_.data(), eager_.data(), values, scale_);
      block::add_pairs(totals_.compiled_reference, reference_.data(), compiled.data(), values, scale_);
      return;
    }
    PairTotals both;
    both.max_relative = std::min(totals_.eager_reference.max_relative, totals_.compiled_reference.max_relative);
    block::add_pairs(both, reference_.data(), eager_.data(), values, scale_);
    merge(totals_.eager_reference, both);
    merge(totals_.compiled_reference, both);
  }

  [[nodiscard]] const LeafTotals& totals() const { return totals_; }

 private:
  void add_closeness(const Values& compiled, std::int64_t values) {
    const block::Nearness nearness = block::nearness(eager_.data(), compiled.data(), values, closeness_);
    totals_.sum_product += nearness.product;
    totals_.sum_compiled += nearness.compiled;
    if (nearness.all_close) return;
    for (std::int64_t i = 0; i < values && !totals_.far; i += components_) {
      const double* const one = eager_.data() + i;
      const double* const other = compiled.data() + i;
      totals_.far = components_ == 1 ? !is_close(closeness_, one[0], other[0])
                                     : !is_close(closeness_, one[0], one[1], other[0], other[1]);
    }
  }

  const Triple& triple_;
  const Closeness& closeness_;
  double scale_;
  std::int64_t components_;
  bool judged_;
  LeafTotals totals_;
  Values eager_{}, compiled_{}, reference_{};
};

// ---- integers and bool, all of one type

template <typename Loader>
void add_integers(LeafTotals& totals, const layout::Pointers& at, const layout::Dimension& row, std::int64_t count,
                  const Closeness& closeness, double scale) {
  totals.elements += count;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto eager = Loader::load(at[0] + i * row.steps[0]);
    const auto compiled = Loader::load(at[1] + i * row.steps[1]);
    add_pair(totals.compiled, eager, compiled, scale);
    const auto compiled_value = static_cast<double>(compiled) * scale;
    totals.sum_product += static_cast<double>(eager) * scale * compiled_value;
    totals.sum_compiled += compiled_value * compiled_value;
    totals.far = totals.far || !is_close_integer(closeness, eager, compiled);
    if (at[2] == nullptr) continue;
    const auto reference = Loader::load(at[2] + i * row.steps[2]);
    add_pair(totals.eager_reference, reference, eager, scale);
    add_pair(totals.compiled_reference, reference, compiled, scale);
  }
}

bool is_exact(Dtype dtype) { return !is_floating(dtype) && !is_complex(dtype); }

}  // namespace

Operand operand_of(const Leaf& leaf, const RunRecord& record) {
  const auto size = static_cast<std::int64_t>(element_size(leaf.dtype));
  const bool exact = is_exact(leaf.dtype);  // torch sets the negative bit on complex and floating tensors only
  return {record.storages[static_cast<std::size_t>(leaf.storage)].data + leaf.offset * size, leaf.dtype,
          leaf.conjugate && is_complex(leaf.dtype), leaf.negative && !exact, std::nullopt};
}

LeafTotals scan(const layout::Walk& walk, const Triple& triple, const Closeness& closeness, double scale) {
  const auto& [eager, compiled, reference] = triple;
  const bool exact = is_exact(eager.dtype) && compiled.dtype == eager.dtype && !eager.rounded &&
                     (reference.first == nullptr || reference.dtype == eager.dtype);
  const layout::Pointers first{eager.first, compiled.first, reference.first};
  if (exact) {
    LeafTotals totals;
    elements::with_loader(eager.dtype, [&](auto loader) {
      if constexpr (std::is_integral_v<typename decltype(loader)::Value>) {
        layout::for_each_row(walk, first, [&](const layout::Pointers& at, const layout::Dimension& row) {
          add_integers<decltype(loader)>(totals, at, row, row.size, closeness, scale);
        });
      }
    });
    return totals;
  }
  FloatingScan pass(triple, closeness, scale);
  constexpr std::int64_t kCount = block::kValues / 2;  // complex elements take two
  layout::for_each_row(walk, first, [&](layout::Pointers at, const layout::Dimension& row) {
    for (std::int64_t done = 0; done < row.size; done += kCount) {
      pass.add(at, row, std::min(kCount, row.size - done));
      for (std::size_t i = 0; i < at.size(); ++i) at[i] += row.steps[i] * kCount;
    }
  });
  return pass.totals();
}

}  // namespace parityd::oracle::scan
