#include "oracle/dtype.h"

#include <array>
#include <limits>

namespace parityd::oracle {
namespace {

enum class Class { exact, floating, complex };

struct TraitsRow {
  Dtype dtype;
  std::size_t size;
  Class kind;
  double epsilon;
  Tolerance tolerance;
};

constexpr Tolerance kExact{0, 0};
constexpr Tolerance kHalf{1e-5, 1e-3};
constexpr Tolerance kBrain{1e-5, 1.6e-2};
constexpr Tolerance kSingle{1e-5, 1.3e-6};
constexpr Tolerance kDouble{1e-7, 1e-7};
constexpr double kSingleEpsilon = std::numeric_limits<float>::epsilon();
constexpr double kDoubleEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kHalfEpsilon = 0x1p-10;
constexpr double kBrainEpsilon = 0x1p-7;

// In the order of the enumeration. float8 is compared exactly, as in assert_close.
constexpr std::array kTraits{
    TraitsRow{Dtype::boolean, 1, Class::exact, 0, kExact},
    TraitsRow{Dtype::uint8, 1, Class::exact, 0, kExact},
    TraitsRow{Dtype::int8, 1, Class::exact, 0, kExact},
    TraitsRow{Dtype::int16, 2, Class::exact, 0, kExact},
    TraitsRow{Dtype::int32, 4, Class::exact, 0, kExact},
    TraitsRow{Dtype::int64, 8, Class::exact, 0, kExact},
    TraitsRow{Dtype::uint16, 2, Class::exact, 0, kExact},
    TraitsRow{Dtype::uint32, 4, Class::exact, 0, kExact},
    TraitsRow{Dtype::uint64, 8, Class::exact, 0, kExact},
    TraitsRow{Dtype::float16, 2, Class::floating, kHalfEpsilon, kHalf},
    TraitsRow{Dtype::bfloat16, 2, Class::floating, kBrainEpsilon, kBrain},
    TraitsRow{Dtype::float32, 4, Class::floating, kSingleEpsilon, kSingle},
    TraitsRow{Dtype::float64, 8, Class::floating, kDoubleEpsilon, kDouble},
    TraitsRow{Dtype::complex32, 4, Class::complex, kHalfEpsilon, kHalf},
    TraitsRow{Dtype::complex64, 8, Class::complex, kSingleEpsilon, kSingle},
    TraitsRow{Dtype::complex128, 16, Class::complex, kDoubleEpsilon, kDouble},
    TraitsRow{Dtype::float8_e4m3fn, 1, Class::floating, 0x1p-3, kExact},
    TraitsRow{Dtype::float8_e5m2, 1, Class::floating, 0x1p-2, kExact},
    TraitsRow{Dtype::float8_e4m3fnuz, 1, Class::floating, 0x1p-3, kExact},
    TraitsRow{Dtype::float8_e5m2fnuz, 1, Class::floating, 0x1p-2, kExact},
};

constexpr bool rows_follow_the_enumeration() {
  if (kTraits.size() != names(Dtype{}).size()) return false;
  for (std::size_t i = 0; i < kTraits.size(); ++i) {
    if (static_cast<std::size_t>(kTraits[i].dtype) != i) return false;
  }
  return true;
}
static_assert(rows_follow_the_enumeration());

const TraitsRow& row(Dtype dtype) { return kTraits.at(static_cast<std::size_t>(dtype)); }

}  // namespace

std::size_t element_size(Dtype dtype) { return row(dtype).size; }
bool is_floating(Dtype dtype) { return row(dtype).kind == Class::floating; }
bool is_complex(Dtype dtype) { return row(dtype).kind == Class::complex; }
bool is_exact(Dtype dtype) { return !is_floating(dtype) && !is_complex(dtype); }
double epsilon(Dtype dtype) { return row(dtype).epsilon; }
Tolerance default_tolerance(Dtype dtype) { return row(dtype).tolerance; }

}  // namespace parityd::oracle
