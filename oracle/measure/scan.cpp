#include "oracle/measure/scan.h"

#include <algorithm>
#include <array>

#include "oracle/measure/elements.h"

namespace parityd::oracle::scan {
namespace {

constexpr std::int64_t kValues = 512;  // as doubles in the nearest cache
using Values = std::array<double, kValues>;

/// Loads one value every `step` bytes, and stores it in every `apart`-th place.
void load(Dtype dtype, const std::byte* at, std::int64_t step, std::int64_t count, double* to, std::int64_t apart) {
  elements::with_loader(dtype, [&](auto loader) {
    for (std::int64_t i = 0; i < count; ++i) to[i * apart] = static_cast<double>(loader.load(at + i * step));
  });
}

void negate(double* values, std::int64_t count, std::int64_t apart) {
  for (std::int64_t i = 0; i < count; ++i) values[i * apart] = -values[i * apart];
}

/// Loads `count` logical elements of `operand`, starting at `at`, as doubles, with components side by side.
void load_elements(const Operand& operand, const std::byte* at, std::int64_t step, std::int64_t count, Values& to) {
  const Dtype part = elements::component(operand.dtype);
  const auto part_size = static_cast<std::int64_t>(element_size(part));
  if (!is_complex(operand.dtype)) {
    load(part, at, step, count, to.data(), 1);
    if (operand.negative) negate(to.data(), count, 1);
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
  if (operand.negative) negate(to.data(), count, 2);
  if (operand.negative != operand.conjugate) negate(to.data() + 1, count, 2);
}

// ---- floating and complex elements, as doubles

class FloatingScan {
 public:
  FloatingScan(const Triple& triple, const Closeness& closeness, double scale)
      : triple_(triple),
        closeness_(closeness),
        tolerances_{default_tolerance(triple.eager.dtype), default_tolerance(triple.reference.dtype)},
        scale_(scale),
        components_(is_complex(triple.eager.dtype) ? 2 : 1),
        judged_(triple.eager.rounded.value_or(triple.eager.dtype) == closeness.dtype &&
                triple.compiled.rounded.value_or(triple.compiled.dtype) == closeness.dtype) {}

  /// `count` is at most a block of elements.
  void add(const layout::Pointers& at, const layout::Dimension& row, std::int64_t count) {
    const std::int64_t values = count * components_;
    totals_.elements += values;
    load_elements(triple_.eager, at[0], row.steps[0], count, eager_);
    load_elements(triple_.compiled, at[1], row.steps[1], count, compiled_);
    const bool referred = triple_.reference.first != nullptr;
    if (referred) load_elements(triple_.reference, at[2], row.steps[2], count, reference_);
    add_values(eager_.data(), compiled_.data(), referred ? reference_.data() : nullptr, values);
    if (judged_) look_for_far(eager_.data(), compiled_.data(), values);
  }

  [[nodiscard]] const LeafTotals& totals() const { return totals_; }

 private:
  void add_values(const double* eager, const double* compiled, const double* reference, std::int64_t values) {
    for (std::int64_t i = 0; i < values; ++i) {
      add_pair(totals_.compiled, eager[i], compiled[i], tolerances_.eager, scale_);
      const double scaled = compiled[i] * scale_;
      totals_.sum_product += eager[i] * scale_ * scaled;
      totals_.sum_compiled += scaled * scaled;
      if (reference == nullptr) continue;
      add_pair(totals_.eager_reference, reference[i], eager[i], tolerances_.reference, scale_);
      add_pair(totals_.compiled_reference, reference[i], compiled[i], tolerances_.reference, scale_);
    }
  }

  void look_for_far(const double* eager, const double* compiled, std::int64_t values) {
    for (std::int64_t i = 0; i < values && !totals_.far; i += components_) {
      totals_.far = components_ == 1 ? !is_close(closeness_, eager[i], compiled[i])
                                     : !is_close(closeness_, eager[i], eager[i + 1], compiled[i], compiled[i + 1]);
    }
  }

  const Triple& triple_;
  const Closeness& closeness_;
  Tolerances tolerances_;
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

}  // namespace

Operand operand_of(const Leaf& leaf, const RunRecord& record) {
  const auto size = static_cast<std::int64_t>(element_size(leaf.dtype));
  const bool exact = is_exact(leaf.dtype);  // torch sets the negative bit on complex and floating tensors only
  return {record.storages[static_cast<std::size_t>(leaf.storage)].data + leaf.offset * size, leaf.dtype,
          leaf.conjugate && is_complex(leaf.dtype), leaf.negative && !exact, std::nullopt};
}

LeafTotals scan(const layout::Walk& walk, const Triple& triple, const Closeness& closeness, double scale) {
  const Operand& eager = triple.eager;
  const Operand& compiled = triple.compiled;
  const Operand& reference = triple.reference;
  const bool exact = is_exact(eager.dtype) && compiled.dtype == eager.dtype && !eager.rounded &&
                     (reference.first == nullptr || reference.dtype == eager.dtype);
  const layout::Pointers first{eager.first, compiled.first, reference.first};
  const std::int64_t block_size = kValues / (is_complex(eager.dtype) ? 2 : 1);
  const auto for_each_block = [&](auto&& add) {
    layout::for_each_row(walk, first, [&](layout::Pointers at, const layout::Dimension& row) {
      for (std::int64_t done = 0; done < row.size; done += block_size) {
        add(at, row, std::min(block_size, row.size - done));
        for (std::size_t i = 0; i < at.size(); ++i) at[i] += row.steps[i] * block_size;
      }
    });
  };
  if (exact) {
    LeafTotals totals;
    elements::with_loader(eager.dtype, [&](auto loader) {
      using Loader = decltype(loader);
      if constexpr (std::is_integral_v<typename Loader::Value>) {
        for_each_block([&](const layout::Pointers& at, const layout::Dimension& row, std::int64_t count) {
          add_integers<Loader>(totals, at, row, count, closeness, scale);
        });
      }
    });
    return totals;
  }
  FloatingScan pass(triple, closeness, scale);
  for_each_block(
      [&](const layout::Pointers& at, const layout::Dimension& row, std::int64_t count) { pass.add(at, row, count); });
  return pass.totals();
}

}  // namespace parityd::oracle::scan
