// Element types as torch names them, without torch. Pure data; any thread.
#pragma once

#include <cstddef>
#include <string_view>

#include "oracle/names.h"

namespace parityd::oracle {

enum class Dtype {
  boolean,
  uint8,
  int8,
  int16,
  int32,
  int64,
  uint16,
  uint32,
  uint64,
  float16,
  bfloat16,
  float32,
  float64,
  complex32,
  complex64,
  complex128,
  float8_e4m3fn,
  float8_e5m2,
  float8_e4m3fnuz,
  float8_e5m2fnuz,
};

/// torch's names without the "torch." prefix.
constexpr auto names(Dtype) {
  return std::to_array<std::string_view>(
      {"bool",      "uint8",      "int8",          "int16",       "int32",           "int64",          "uint16",
       "uint32",    "uint64",     "float16",       "bfloat16",    "float32",         "float64",        "complex32",
       "complex64", "complex128", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz"});
}

[[nodiscard]] std::size_t element_size(Dtype dtype);
[[nodiscard]] bool is_floating(Dtype dtype);  // real floating, float8 included
[[nodiscard]] bool is_complex(Dtype dtype);
[[nodiscard]] bool is_exact(Dtype dtype);  // integers and bool

/// Machine epsilon of the (component) type; 0 for integers and bool.
[[nodiscard]] double epsilon(Dtype dtype);

struct Tolerance {
  double absolute;
  double relative;
};

/// Defaults of torch.testing.assert_close (torch/testing/_comparison.py, _DTYPE_PRECISIONS); zeros for exact types.
[[nodiscard]] Tolerance default_tolerance(Dtype dtype);

}  // namespace parityd::oracle
