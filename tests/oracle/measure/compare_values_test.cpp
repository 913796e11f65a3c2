// compare(): the numbers, for every element type.
#include <cmath>
#include <complex>
#include <limits>

#include "oracle/measure/compare.h"
#include "tests/catch.h"
#include "tests/oracle/builders.h"

namespace parityd::oracle::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <typename T>
LeafMeasurement compared(Dtype dtype, const std::vector<T>& expected, const std::vector<T>& actual) {
  Record one(Mode::eager);
  Record other(Mode::inductor);
  one.tensor("output", dtype, expected);
  other.tensor("output", dtype, actual);
  return compare(one.record(), other.record()).leaves.at(0);
}

bool close(double value, double wanted) {
  return std::fabs(value - wanted) <= 1e-12 * std::max(1.0, std::fabs(wanted));
}

}  // namespace

TEST_CASE("each element is also measured relative to its own size") {
  Record eager(Mode::eager);
  Record compiled(Mode::inductor);
  eager.tensor("output", Dtype::float32, std::vector<float>{1e6F, 1e-2F, 0.0F});
  compiled.tensor("output", Dtype::float32, std::vector<float>{1e6F, 2e-2F, 1e-6F});
  const LeafMeasurement leaf = compare(eager.record(), compiled.record()).leaves.at(0);
  CHECK(!leaf.exceeds_tolerance);
  const Tolerance tolerance = default_tolerance(Dtype::float32);
  const double one = static_cast<double>(2e-2F) - static_cast<double>(1e-2F);
  const double allowed = tolerance.absolute + tolerance.relative * static_cast<double>(2e-2F);
  CHECK(std::fabs(leaf.max_scaled - one / allowed) < 1e-6);
}

TEST_CASE("what assert_close accepts is not a difference, however small most elements are") {
  Record eager(Mode::eager);
  Record compiled(Mode::inductor);
  eager.tensor("output", Dtype::float32, std::vector<float>{1.0F, 0.0F, 0.0F, 0.0F});
  compiled.tensor("output", Dtype::float32, std::vector<float>{1.0000108F, 0.0F, 0.0F, 0.0F});
  const LeafMeasurement leaf = compare(eager.record(), compiled.record()).leaves.at(0);
  const Tolerance tolerance = default_tolerance(Dtype::float32);
  REQUIRE(leaf.max_absolute > tolerance.absolute + tolerance.relative * leaf.rms_expected);
  CHECK(!leaf.exceeds_tolerance);
}

TEST_CASE("of values that cannot be inspected only the type is compared") {
  const auto pair = [](const char* type, bool unopened, const char* other_type) {
    Record eager(Mode::eager);
    Record compiled(Mode::inductor);
    eager.value("output", type, "").unopened = true;
    compiled.value("output", other_type, "").unopened = unopened;
    return compare(eager.record(), compiled.record()).leaves.at(0);
  };
  CHECK(pair("collections.Foo", true, "collections.Foo").unopened == "collections.Foo");
  CHECK(!pair("collections.Foo", true, "collections.Foo").metadata_differs());
  CHECK(pair("collections.Foo", true, "collections.Bar").type_differs);
  CHECK(pair("collections.Foo", false, "Foo").unopened == "collections.Foo");  // known there by another name
  CHECK(!pair("collections.Foo", false, "Foo").metadata_differs());
}

TEST_CASE("equal tensors of every dtype give an empty comparison") {
  for (int i = 0; i <= static_cast<int>(Dtype::float8_e5m2fnuz); ++i) {
    const auto dtype = static_cast<Dtype>(i);
    CAPTURE(name(dtype));
    const std::vector<std::uint8_t> bytes(96, 0x3a);
    const LeafMeasurement leaf = compared(dtype, bytes, bytes);
    CHECK(leaf.unequal == 0);
    CHECK(leaf.max_absolute == 0);
    CHECK(!leaf.exceeds_tolerance);
    CHECK(!leaf.metadata_differs());
    CHECK(leaf.rms_expected > 0);
    CHECK(leaf.elements == static_cast<std::int64_t>(96 / element_size(dtype)) * (is_complex(dtype) ? 2 : 1));
    CHECK(leaf.detail.empty());
  }
}

TEST_CASE("small floating-point types decode to torch's values") {
  struct Row {
    Dtype dtype;
    std::uint16_t bits;
    double value;
  };
  const std::vector<Row> rows{
      {Dtype::float16, 0x3c00, 1},
      {Dtype::float16, 0x0001, std::ldexp(1, -24)},
      {Dtype::float16, 0x03ff, std::ldexp(1023, -24)},
      {Dtype::float16, 0x7bff, 65504},
      {Dtype::float16, 0xc248, -3.140625},
      {Dtype::bfloat16, 0x3f80, 1},
      {Dtype::bfloat16, 0x4049, 3.140625},
      {Dtype::bfloat16, 0x0001, std::ldexp(1, -133)},
      {Dtype::bfloat16, 0xff7f, -3.3895313892515355e38},
      {Dtype::float8_e4m3fn, 0x38, 1},
      {Dtype::float8_e4m3fn, 0x7e, 448},
      {Dtype::float8_e4m3fn, 0x01, 0.001953125},
      {Dtype::float8_e5m2, 0x3c, 1},
      {Dtype::float8_e5m2, 0x7b, 57344},
      {Dtype::float8_e5m2, 0x01, 1.52587890625e-05},
      {Dtype::float8_e4m3fnuz, 0x40, 1},
      {Dtype::float8_e4m3fnuz, 0x7f, 240},
      {Dtype::float8_e5m2fnuz, 0x40, 1},
      {Dtype::float8_e5m2fnuz, 0xff, -57344},
  };
  for (const Row& row : rows) {
    CAPTURE(name(row.dtype), row.bits);
    LeafMeasurement leaf;
    if (element_size(row.dtype) == 2) {
      leaf = compared<std::uint16_t>(row.dtype, {row.bits}, {0});
    } else {
      leaf = compared<std::uint8_t>(row.dtype, {static_cast<std::uint8_t>(row.bits)}, {0});
    }
    CHECK(leaf.max_absolute == std::fabs(row.value));
    CHECK(leaf.rms_expected == std::sqrt(row.value * row.value));
    CHECK(leaf.unequal == 1);
    CHECK(leaf.sign_differs == (row.value < 0 ? 1 : 0));
  }
}

TEST_CASE("NaN and infinity of the small types are recognised") {
  struct Row {
    Dtype dtype;
    std::uint16_t bits;
    bool nan;
  };
  const std::vector<Row> rows{
      {Dtype::float16, 0x7c00, false},  {Dtype::float16, 0x7e00, true},       {Dtype::bfloat16, 0xff80, false},
      {Dtype::bfloat16, 0x7fc0, true},  {Dtype::float8_e4m3fn, 0x7f, true},   {Dtype::float8_e5m2, 0x7c, false},
      {Dtype::float8_e5m2, 0x7d, true}, {Dtype::float8_e4m3fnuz, 0x80, true}, {Dtype::float8_e5m2fnuz, 0x80, true},
  };
  for (const Row& row : rows) {
    CAPTURE(name(row.dtype), row.bits);
    LeafMeasurement leaf;
    if (element_size(row.dtype) == 2) {
      leaf = compared<std::uint16_t>(row.dtype, {0}, {row.bits});
    } else {
      leaf = compared<std::uint8_t>(row.dtype, {0}, {static_cast<std::uint8_t>(row.bits)});
    }
    CHECK(leaf.nan_differs == (row.nan ? 1 : 0));
    CHECK(leaf.inf_differs == (row.nan ? 0 : 1));
    CHECK(leaf.values_differ());
  }
}

TEST_CASE("floats are compared with NaN, infinities, zeros and tolerance") {
  struct Row {
    const char* what;
    double expected, actual;
    std::int64_t unequal, nan, inf, sign;
    bool differs;
  };
  const std::vector<Row> rows{
      {"equal", 1, 1, 0, 0, 0, 0, false},
      {"both NaN", kNan, kNan, 0, 0, 0, 0, false},
      {"both NaN, other sign", kNan, -kNan, 0, 0, 0, 0, false},
      {"NaN appears", 1, kNan, 1, 1, 0, 0, true},
      {"NaN against infinity", kInfinity, kNan, 1, 1, 1, 0, true},
      {"infinity appears", 1, kInfinity, 1, 0, 1, 0, true},
      {"other infinity", kInfinity, -kInfinity, 1, 0, 1, 1, true},
      {"same infinity", kInfinity, kInfinity, 0, 0, 0, 0, false},
      {"sign of zero", 0.0, -0.0, 0, 0, 0, 1, false},
      {"within tolerance", 1, 1 + 1e-6, 1, 0, 0, 0, false},
      {"beyond tolerance", 1, 1 + 2e-5, 1, 0, 0, 0, true},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    const LeafMeasurement leaf = compared<float>(Dtype::float32, {2, static_cast<float>(row.expected), 0},
                                                 {2, static_cast<float>(row.actual), 0});
    CHECK(leaf.unequal == row.unequal);
    CHECK(leaf.nan_differs == row.nan);
    CHECK(leaf.inf_differs == row.inf);
    CHECK(leaf.sign_differs == row.sign);
    CHECK(leaf.values_differ() == row.differs);
  }
}

TEST_CASE("the numbers of a difference are computed") {
  const LeafMeasurement leaf = compared<double>(Dtype::float64, {3, 4, kNan, 0}, {3, 5, 7, 0});
  CHECK(leaf.unequal == 2);
  CHECK(leaf.max_absolute == 1);
  CHECK(leaf.max_relative == 0.2);
  // The NaN takes part in no mean.
  CHECK(close(leaf.rms_difference, std::sqrt(1.0 / 3)));
  CHECK(close(leaf.rms_expected, std::sqrt(25.0 / 3)));
  CHECK(leaf.detail.find("2 of 4 elements differ") != std::string::npos);
}

TEST_CASE("squares of large doubles do not overflow") {
  const LeafMeasurement leaf = compared<double>(Dtype::float64, {1e300, 1e300}, {1e300, 1.5e300});
  CHECK(std::fabs(leaf.rms_expected / 1e300 - 1) < 1e-12);
  CHECK(std::fabs(leaf.rms_difference / (0.5e300 / std::sqrt(2.0)) - 1) < 1e-12);
  CHECK(leaf.exceeds_tolerance);
  CHECK(!compared<double>(Dtype::float64, {1e300}, {1e300 * (1 + 1e-12)}).exceeds_tolerance);
}

TEST_CASE("integers of any size are compared exactly") {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  const LeafMeasurement near = compared<std::int64_t>(Dtype::int64, {kMost, 5}, {kMost - 1, 5});
  CHECK(near.unequal == 1);
  CHECK(near.max_absolute == 1);
  CHECK(near.values_differ());
  const LeafMeasurement far = compared<std::int64_t>(Dtype::int64, {kLeast}, {kMost});
  CHECK(far.max_absolute == std::ldexp(1, 64));
  const LeafMeasurement wide = compared<std::uint64_t>(Dtype::uint64, {~0ULL}, {0});
  CHECK(wide.max_absolute == std::ldexp(1, 64));
  CHECK(compared<std::int8_t>(Dtype::int8, {-128}, {127}).max_absolute == 255);
  CHECK(compared<std::int16_t>(Dtype::int16, {-1}, {0}).unequal == 1);
  CHECK(compared<std::int32_t>(Dtype::int32, {7}, {7}).unequal == 0);
  CHECK(compared<std::uint8_t>(Dtype::uint8, {255}, {0}).max_absolute == 255);
  CHECK(compared<std::uint16_t>(Dtype::uint16, {65535}, {0}).max_absolute == 65535);
  CHECK(compared<std::uint32_t>(Dtype::uint32, {~0U}, {0}).max_absolute == 4294967295.0);
}

TEST_CASE("NaNs that differ only in the sign bit are counted separately") {
  const LeafMeasurement leaf = compared<std::uint32_t>(
      Dtype::int32, {0x7fc00000, 0xffc00000, 0xffffffff, 5, 0x80000000}, {0xffc00000, 0x7fc00000, 0x7fffffff, 6, 0});
  CHECK(leaf.unequal == 5);
  CHECK(leaf.nan_bits == 2);
  CHECK(compared<std::uint64_t>(Dtype::int64, {0x7ff8000000000000U}, {0xfff8000000000000U}).nan_bits == 1);
  CHECK(compared<std::uint16_t>(Dtype::int16, {0x7e00}, {0xfe00}).nan_bits == 1);
  CHECK(compared<std::uint16_t>(Dtype::uint16, {0x7fc0}, {0xffc0}).nan_bits == 1);
  CHECK(compared<std::uint8_t>(Dtype::int8, {0x7f}, {0xff}).nan_bits == 0);
}

TEST_CASE("a bool is true or false whatever its byte") {
  CHECK(compared<std::uint8_t>(Dtype::boolean, {1, 0}, {2, 0}).unequal == 0);
  CHECK(compared<std::uint8_t>(Dtype::boolean, {1, 0}, {0, 0}).unequal == 1);
}

TEST_CASE("complex elements count as two components") {
  using Complex = std::complex<float>;
  const LeafMeasurement leaf =
      compared<Complex>(Dtype::complex64, {{1, 2}, {3, 4}}, {{1, 2}, {3, static_cast<float>(kNan)}});
  CHECK(leaf.elements == 4);
  CHECK(leaf.unequal == 1);
  CHECK(leaf.nan_differs == 1);
  const LeafMeasurement wide = compared<std::complex<double>>(Dtype::complex128, {{1, -2}}, {{1, 2}});
  CHECK(wide.max_absolute == 4);
  CHECK(wide.sign_differs == 1);
  const LeafMeasurement half = compared<std::uint16_t>(Dtype::complex32, {0x3c00, 0x3c00}, {0x3c00, 0xbc00});
  CHECK(half.elements == 2);
  CHECK(half.max_absolute == 2);
}

TEST_CASE("conjugate and negative bits are applied") {
  using Complex = std::complex<float>;
  struct Row {
    const char* what;
    std::vector<Complex> stored;
    bool conjugate, negative;
    bool equal;
  };
  const std::vector<Row> rows{
      {"lazy conjugate of the conjugate", {{1, -2}, {3, -4}}, true, false, true},
      {"lazy conjugate, values not turned", {{1, 2}, {3, 4}}, true, false, false},
      {"lazy negative", {{-1, -2}, {-3, -4}}, false, true, true},
      {"both", {{-1, 2}, {-3, 4}}, true, true, true},
      {"plain", {{1, 2}, {3, 4}}, false, false, true},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    Record expected(Mode::eager);
    Record actual(Mode::inductor);
    expected.tensor<Complex>("output", Dtype::complex64, {{1, 2}, {3, 4}});
    Leaf& leaf = actual.tensor("output", Dtype::complex64, row.stored);
    leaf.conjugate = row.conjugate;
    leaf.negative = row.negative;
    const LeafMeasurement measured = compare(expected.record(), actual.record()).leaves.at(0);
    CHECK((measured.unequal == 0) == row.equal);
    CHECK(measured.elements == 4);
    CHECK(!measured.metadata_differs());
  }
}

TEST_CASE("the negative bit of a real tensor is applied even if the bytes are equal") {
  Record expected(Mode::eager);
  Record actual(Mode::inductor);
  expected.tensor<float>("output", Dtype::float32, {1, 2});
  actual.tensor<float>("output", Dtype::float32, {1, 2}).negative = true;
  CHECK(compare(expected.record(), actual.record()).leaves.at(0).unequal == 2);
}

TEST_CASE("a single-precision run is measured against the double one") {
  Record reference(Mode::reference);
  Record eager(Mode::eager);
  reference.tensor<double>("output", Dtype::float64, {1.0, 2.0});
  eager.tensor<float>("output", Dtype::float32, {1.0F, 2.5F});
  const LeafMeasurement leaf = compare(reference.record(), eager.record()).leaves.at(0);
  CHECK(leaf.dtype_differs);
  CHECK(leaf.dtype == Dtype::float64);
  CHECK(leaf.max_absolute == 0.5);
  CHECK(close(leaf.rms_difference, 0.5 / std::sqrt(2.0)));
  CHECK(leaf.unequal == 1);
}

TEST_CASE("integers are not compared with floats") {
  Record expected(Mode::eager);
  Record actual(Mode::inductor);
  expected.tensor<float>("output", Dtype::float32, {1});
  actual.tensor<std::int32_t>("output", Dtype::int32, {1});
  const LeafMeasurement leaf = compare(expected.record(), actual.record()).leaves.at(0);
  CHECK(leaf.dtype_differs);
  CHECK(leaf.elements == 0);
  CHECK(leaf.detail == "dtype float32 vs int32");
}

TEST_CASE("a difference far into a long tensor is found") {
  std::vector<float> values(100'000, 0.5F);
  std::vector<float> others = values;
  others[77'777] = 0.75F;
  const LeafMeasurement leaf = compared(Dtype::float32, values, others);
  CHECK(leaf.unequal == 1);
  CHECK(leaf.max_absolute == 0.25);
  CHECK(close(leaf.rms_expected, 0.5));
  CHECK(close(leaf.rms_difference, 0.25 / std::sqrt(100'000.0)));
}

}  // namespace parityd::oracle::test
