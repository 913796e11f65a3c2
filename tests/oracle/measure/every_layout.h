// Leaves of one type in every kind of layout, with any bits: what both measurements are tried on.
#pragma once

#include <random>

#include "tests/oracle/builders.h"

namespace parityd::oracle::test {

/// Contiguous, transposed, expanded, with gaps, negated, conjugated; most values' bits are random.
inline void add_every_layout(Record& record, Dtype dtype, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(element_size(dtype)) * 4096);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(dtype == Dtype::boolean ? random() % 2 : random());
  const int storage = record.storage(bytes);
  record.view("output[0]", dtype, storage, {1531}, {1}, 5);
  record.view("output[1]", dtype, storage, {37, 41}, {1, 37});
  record.view("output[2]", dtype, storage, {3, 100, 5}, {7, 31, 0}, 11);
  record.view("output[3]", dtype, storage, {19, 7}, {100, 3}).negative = is_floating(dtype) || is_complex(dtype);
  record.view("output[4]", dtype, storage, {}, {}).conjugate = is_complex(dtype);
  record.view("output[5]", dtype, storage, {4095}, {1});
}

/// The type of the reference run's leaf.
inline Dtype reference_dtype(Dtype dtype) {
  if (is_complex(dtype)) return Dtype::complex128;
  return is_floating(dtype) ? Dtype::float64 : dtype;
}

inline bool alike(double one, double other, double tolerance = 1e-12) {
  if (!std::isfinite(one) || !std::isfinite(other))
    return std::isnan(one) == std::isnan(other) && std::isinf(one) == std::isinf(other);
  return std::fabs(one - other) <= tolerance * std::max(std::fabs(one), std::fabs(other));
}

}  // namespace parityd::oracle::test
