// The kernels of measure.cu: threads compute a leaf's numbers as the processor does (totals.h), in double.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>

#include "oracle/measure/elements.h"
#include "oracle/measure/layout.h"
#include "oracle/measure/scan.h"

namespace parityd::oracle::kernels {

constexpr int kThreads = 256;  // per block; launch bounds leave registers for two or three blocks at once
constexpr int kWarp = 32;
constexpr unsigned kAllLanes = 0xffffffffU;
constexpr int kMostDimensions = 16;
constexpr int kAtOnce = 4;  // neighbouring elements that a thread reads in one access
constexpr int kBlocksPerProcessor = 4;

using Totals = LeafTotalsOf<std::int32_t>;  // of one thread

/// All that a launch needs to know of its leaf; passed as the kernel's argument.
struct Work {
  scan::Operand operands[3];  // without address: no reference
  layout::Dimension dimensions[kMostDimensions];
  int dimension_count;
  std::int64_t elements;  // complex ones count once
  Closeness closeness;
  Tolerances tolerances;
  double scale;
};

/// The largest |a − b| / `magnitude` as a fraction: compared by products, divided once. No quotient without a
/// magnitude.
struct Quotient {
  double difference = 0, magnitude = 1;

  __device__ void add(double other_difference, double other_magnitude) {
    // Within these bounds no product overflows or underflows.
    if (other_magnitude > 1e140 || other_magnitude < 1e-140) {
      other_difference = other_magnitude > 0 ? other_difference / other_magnitude : 0;
      other_magnitude = 1;
    }
    if (other_difference * magnitude > difference * other_magnitude) {
      difference = other_difference;
      magnitude = other_magnitude;
    }
  }
};

struct PairQuotients {
  Quotient relative, scaled;  // max_relative and max_scaled
};
struct Quotients {
  PairQuotients compiled, eager_reference, compiled_reference;
};

__device__ bool is_finite(double value) { return (__double2hiint(value) & 0x7ff00000) != 0x7ff00000; }

__device__ void add_finite(PairTotalsOf<std::int32_t>& totals, PairQuotients& quotients, double expected, double actual,
                           const Tolerance& tolerance) {
  const double difference = fabs(expected - actual);
  if (expected != actual) ++totals.unequal;
  totals.sign_differs += ((__double2hiint(expected) ^ __double2hiint(actual)) < 0) ? 1 : 0;
  totals.max_absolute = difference > totals.max_absolute ? difference : totals.max_absolute;
  totals.sum_difference += difference * difference;
  totals.sum_expected += expected * expected;
  ++totals.finite;
  const double magnitude = fmax(fabs(expected), fabs(actual));
  quotients.relative.add(difference, magnitude);
  quotients.scaled.add(difference, allowed_by(tolerance, magnitude));
}

/// One component of floating or complex elements; `far` is decided elsewhere.
template <bool Reference>
__device__ void add_values(Totals& totals, Quotients& quotients, double eager, double compiled, double reference,
                           const Work& work) {
  const double scale = work.scale;
  ++totals.elements;
  const double scaled = compiled * scale;
  totals.sum_product += eager * scale * scaled;
  totals.sum_compiled += scaled * scaled;
  const bool finite = is_finite(eager) && is_finite(compiled) && (!Reference || is_finite(reference));
  if (finite && scale == 1) {
    add_finite(totals.compiled, quotients.compiled, eager, compiled, work.tolerances.eager);
    if constexpr (Reference) {
      add_finite(totals.eager_reference, quotients.eager_reference, reference, eager, work.tolerances.reference);
      add_finite(totals.compiled_reference, quotients.compiled_reference, reference, compiled,
                 work.tolerances.reference);
    }
    return;
  }
  add_pair(totals.compiled, eager, compiled, work.tolerances.eager, scale);
  if constexpr (Reference) {
    add_pair(totals.eager_reference, reference, eager, work.tolerances.reference, scale);
    add_pair(totals.compiled_reference, reference, compiled, work.tolerances.reference, scale);
  }
}

__device__ void look_whether_far(Totals& totals, const Closeness& closeness, double eager, double compiled) {
  if (totals.far) return;
  const double allowed = closeness.certain * (closeness.absolute + closeness.relative * fabs(compiled));
  const double difference = fabs(eager - compiled);
  if (!(difference <= allowed && is_finite(difference))) totals.far = !is_close(closeness, eager, compiled);
}

__device__ void take(PairTotalsOf<std::int32_t>& totals, const PairQuotients& quotients) {
  totals.max_relative = fmax(totals.max_relative, quotients.relative.difference / quotients.relative.magnitude);
  totals.max_scaled = fmax(totals.max_scaled, quotients.scaled.difference / quotients.scaled.magnitude);
}

/// Finite elements that are equal in eager and compiled, bit for bit, as most elements of consistent programs are:
/// their contribution to the three pairs is accumulated once.
struct Alike {
  std::int32_t count = 0;
  double squares = 0;
  PairTotalsOf<std::int32_t> reference;
  PairQuotients quotients;

  template <bool Reference>
  __device__ void add(double value, double expected, const Tolerance& tolerance) {
    ++count;
    squares += value * value;
    if constexpr (Reference) add_finite(reference, quotients, expected, value, tolerance);
  }

  __device__ void add_to(Totals& totals) {
    totals.elements += count;
    totals.sum_product += squares;
    totals.sum_compiled += squares;
    totals.compiled.finite += count;
    totals.compiled.sum_expected += squares;
    take(reference, quotients);
    merge(totals.eager_reference, reference);
    merge(totals.compiled_reference, reference);
  }
};

// ---- from threads to one total

__device__ LeafTotals from_lane(const LeafTotals& totals, int distance) {
  static_assert(sizeof(LeafTotals) % sizeof(int) == 0);
  LeafTotals other;
  const auto* from = reinterpret_cast<const int*>(&totals);
  auto* to = reinterpret_cast<int*>(&other);
  for (std::size_t i = 0; i < sizeof(LeafTotals) / sizeof(int); ++i)
    to[i] = __shfl_down_sync(kAllLanes, from[i], static_cast<unsigned>(distance));
  return other;
}

__device__ void merge_warp(LeafTotals& totals) {
  for (int distance = kWarp / 2; distance > 0; distance /= 2) merge(totals, from_lane(totals, distance));
}

__device__ void merge_block(const Totals& own, LeafTotals* partial) {
  __shared__ unsigned char bytes[kThreads / kWarp][sizeof(LeafTotals)];
  auto* const of_warps = reinterpret_cast<LeafTotals*>(bytes);
  LeafTotals totals;
  merge(totals, own);
  merge_warp(totals);
  if (threadIdx.x % kWarp == 0) of_warps[threadIdx.x / kWarp] = totals;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int warp = 1; warp < kThreads / kWarp; ++warp) merge(totals, of_warps[warp]);
  partial[blockIdx.x] = totals;
}

/// One block per leaf: its partials are `first[leaf]` to `first[leaf + 1]`.
__global__ void merge_partials(const LeafTotals* partials, const int* first, LeafTotals* totals) {
  LeafTotals sum;
  for (int i = first[blockIdx.x] + static_cast<int>(threadIdx.x); i < first[blockIdx.x + 1]; i += kWarp)
    merge(sum, partials[i]);
  merge_warp(sum);
  if (threadIdx.x == 0) totals[blockIdx.x] = sum;
}

// ---- the usual floating leaves: neighbouring elements, several per load

template <typename Value>
__device__ double widened(Value value) {
  return static_cast<double>(value);
}
template <>
__device__ double widened(__half value) {
  return static_cast<double>(__half2float(value));
}
struct Brain {
  std::uint16_t bits;
};
template <>
__device__ double widened(Brain value) {
  return static_cast<double>(__uint_as_float(static_cast<unsigned>(value.bits) << 16));
}

template <typename Value>
struct alignas(std::min<std::size_t>(16, sizeof(Value) * kAtOnce)) Several {
  Value values[kAtOnce];
};

__device__ bool same_bits(double one, double other) { return __double_as_longlong(one) == __double_as_longlong(other); }

template <typename Value>
__device__ bool are_alike(const Several<Value>& eager, const Several<Value>& compiled,
                          const Several<double>& reference) {
  bool alike = true;
#pragma unroll
  for (int k = 0; k < kAtOnce; ++k) {
    const double value = widened(eager.values[k]);
    alike =
        alike && same_bits(value, widened(compiled.values[k])) && is_finite(value) && is_finite(reference.values[k]);
  }
  return alike;
}

template <typename Value, bool Reference>
__global__ void __launch_bounds__(kThreads, Reference ? 2 : 3) add_neighbours(const Work work, LeafTotals* partial) {
  const auto* const eager = reinterpret_cast<const Several<Value>*>(work.operands[0].first);
  const auto* const compiled = reinterpret_cast<const Several<Value>*>(work.operands[1].first);
  const auto* const reference = reinterpret_cast<const Several<double>*>(work.operands[2].first);
  Totals totals;
  Quotients quotients;
  Alike alike;
  const auto add = [&](Value one, Value other, double third) {
    const double eager_value = widened(one);
    const double compiled_value = widened(other);
    add_values<Reference>(totals, quotients, eager_value, compiled_value, third, work);
    look_whether_far(totals, work.closeness, eager_value, compiled_value);
  };
  const std::int64_t groups = work.elements / kAtOnce;
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * kThreads;
  const std::int64_t self = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  for (std::int64_t i = self; i < groups; i += threads) {
    const Several<Value> one = eager[i];
    const Several<Value> other = compiled[i];
    Several<double> third{};
    if constexpr (Reference) third = reference[i];
    if (work.scale == 1 && are_alike(one, other, third)) {
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k)
        alike.add<Reference>(widened(one.values[k]), third.values[k], work.tolerances.reference);
    } else {
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) add(one.values[k], other.values[k], third.values[k]);
    }
  }
  if (const std::int64_t rest = groups * kAtOnce + self; rest < work.elements)
    add(eager[groups].values[self], compiled[groups].values[self], Reference ? reference[groups].values[self] : 0);
  alike.add_to(totals);
  take(totals.compiled, quotients.compiled);
  take(totals.eager_reference, quotients.eager_reference);
  take(totals.compiled_reference, quotients.compiled_reference);
  merge_block(totals, partial);
}

// ---- any types and strides

__device__ layout::Pointers place(const Work& work, std::int64_t element) {
  layout::Pointers at{work.operands[0].first, work.operands[1].first, work.operands[2].first};
  auto rest = static_cast<std::uint32_t>(element);  // there are at most layout::kMostElements
  for (int i = work.dimension_count - 1; i >= 0; --i) {
    const layout::Dimension& dimension = work.dimensions[i];
    std::uint32_t index = rest;
    if (i > 0) {
      const auto size = static_cast<std::uint32_t>(dimension.size);
      index = rest % size;
      rest /= size;
    }
    for (std::size_t k = 0; k < at.size(); ++k) at[k] += index * dimension.steps[k];
  }
  return at;
}

__device__ double load_any(Dtype dtype, const std::byte* at) {
  return elements::with_loader(dtype, [at](auto loader) { return static_cast<double>(decltype(loader)::load(at)); });
}

/// The real or imaginary component.
__device__ double component_of(const scan::Operand& operand, const std::byte* at, bool imaginary) {
  const Dtype part = elements::component(operand.dtype);
  const int size = part == Dtype::float64 ? 8 : (part == Dtype::float32 ? 4 : 2);
  const double value = load_any(part, imaginary ? at + size : at);
  return operand.negative != (imaginary && operand.conjugate) ? -value : value;
}

__global__ void __launch_bounds__(kThreads, 2) add_any(const Work work, bool complex, bool judged, LeafTotals* into) {
  Totals totals;
  Quotients quotients;
  const bool with_reference = work.operands[2].first != nullptr;
  const auto add = [&](double eager, double compiled, double reference) {
    if (with_reference) {
      add_values<true>(totals, quotients, eager, compiled, reference, work);
    } else {
      add_values<false>(totals, quotients, eager, compiled, 0, work);
    }
  };
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * kThreads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < work.elements;
       i += threads) {
    const layout::Pointers at = place(work, i);
    double values[2][3] = {};
    for (int part = 0; part < (complex ? 2 : 1); ++part) {
      for (int k = 0; k < (with_reference ? 3 : 2); ++k)
        values[part][k] = component_of(work.operands[k], at[static_cast<std::size_t>(k)], part == 1);
      add(values[part][0], values[part][1], values[part][2]);
    }
    if (!judged || totals.far) continue;
    if (complex) {
      totals.far = !is_close(work.closeness, values[0][0], values[1][0], values[0][1], values[1][1]);
    } else {
      look_whether_far(totals, work.closeness, values[0][0], values[0][1]);
    }
  }
  take(totals.compiled, quotients.compiled);
  take(totals.eager_reference, quotients.eager_reference);
  take(totals.compiled_reference, quotients.compiled_reference);
  merge_block(totals, into);
}

template <typename Loader>
__global__ void __launch_bounds__(kThreads) add_integers(const Work work, LeafTotals* partial) {
  Totals totals;
  std::int32_t equal = 0;  // elements that are equal on all sides
  double squares = 0;
  const double scale = work.scale;
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * kThreads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < work.elements;
       i += threads) {
    const layout::Pointers at = place(work, i);
    const auto eager = Loader::load(at[0]);
    const auto compiled = Loader::load(at[1]);
    if (eager == compiled && (at[2] == nullptr || Loader::load(at[2]) == eager)) {
      const double value = static_cast<double>(eager) * scale;
      squares += value * value;
      ++equal;
      continue;
    }
    ++totals.elements;
    add_pair(totals.compiled, eager, compiled, scale);
    const double scaled = static_cast<double>(compiled) * scale;
    totals.sum_product += static_cast<double>(eager) * scale * scaled;
    totals.sum_compiled += scaled * scaled;
    totals.far = totals.far || !is_close_integer(work.closeness, eager, compiled);
    if (at[2] == nullptr) continue;
    const auto reference = Loader::load(at[2]);
    add_pair(totals.eager_reference, reference, eager, scale);
    add_pair(totals.compiled_reference, reference, compiled, scale);
  }
  totals.elements += equal;
  totals.sum_product += squares;
  totals.sum_compiled += squares;
  for (PairTotalsOf<std::int32_t>* pair : {&totals.compiled, &totals.eager_reference, &totals.compiled_reference}) {
    if (pair != &totals.compiled && work.operands[2].first == nullptr) continue;
    pair->finite += equal;
    pair->sum_expected += squares;
  }
  merge_block(totals, partial);
}

}  // namespace parityd::oracle::kernels
