// The worst element of a leaf: which one it is, and how Python prints it.
#include "oracle/measure/worst.h"

#include <complex>
#include <limits>

#include "tests/catch.h"
#include "tests/oracle/builders.h"

namespace parityd::oracle::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <typename T>
std::optional<WorstElement> worst(Dtype dtype, const std::vector<T>& eager, const std::vector<T>& compiled) {
  Record one(Mode::eager);
  Record other(Mode::inductor);
  one.tensor("output", dtype, eager);
  other.tensor("output", dtype, compiled);
  const Evidence evidence = evidence_from(Mode::inductor, {one.record(), other.record()});
  return evidence.measurement(Mode::eager, Mode::inductor)->leaves.at(0).worst;
}

}  // namespace

TEST_CASE("the worst element is named with both values") {
  const auto found = worst<float>(Dtype::float32, {1, 2, 3, 4}, {1, 2.5, -3, 4});
  REQUIRE(found.has_value());
  CHECK(found->index == std::vector<std::int64_t>{2});
  CHECK(found->eager == "3.0");
  CHECK(found->compiled == "-3.0");
  CHECK(found->reference.empty());
  CHECK_FALSE(worst<float>(Dtype::float32, {1, 2}, {1, 2}).has_value());
}

TEST_CASE("NaN and Inf on one side are worse than any number, and the first of them counts") {
  CHECK(worst<double>(Dtype::float64, {0, 1, kInfinity, kNan}, {9e300, kNan, kInfinity, 1})->index.at(0) == 1);
  CHECK(worst<double>(Dtype::float64, {0, kNan}, {1, kNan})->index.at(0) == 0);
  const auto found = worst<double>(Dtype::float64, {1, kInfinity}, {1, -kInfinity});
  CHECK(found->eager == "inf");
  CHECK(found->compiled == "-inf");
}

TEST_CASE("integers are exact, and bool and complex print as in Python") {
  const std::int64_t large = std::numeric_limits<std::int64_t>::max();
  const auto integers = worst<std::int64_t>(Dtype::int64, {large}, {large - 1});
  CHECK(integers->eager == "9223372036854775807");
  CHECK(integers->compiled == "9223372036854775806");
  const auto booleans = worst<std::uint8_t>(Dtype::boolean, {1, 0}, {1, 1});
  CHECK(booleans->eager == "False");
  CHECK(booleans->compiled == "True");
  const auto numbers = worst<std::complex<float>>(Dtype::complex64, {{1, -2}, {0, 1}}, {{1, -2}, {2.5, kNan}});
  CHECK(numbers->index.at(0) == 1);
  CHECK(numbers->eager == "1j");
  CHECK(numbers->compiled == "(2.5+nanj)");
}

TEST_CASE("elements are matched by index whatever the strides, with the double run beside them") {
  Record eager(Mode::eager);
  Record compiled(Mode::inductor);
  Record reference(Mode::reference);
  eager.view("output", Dtype::float32, eager.storage(std::vector<float>{1, 2, 3, 4}), {2, 2}, {2, 1});
  compiled.view("output", Dtype::float32, compiled.storage(std::vector<float>{0, 1, 3, 7, 4}), {2, 2}, {1, 2}, 1);
  reference.view("output", Dtype::float64, reference.storage(std::vector<double>{1, 2.125, 3, 4}), {2, 2}, {2, 1});
  const Evidence evidence = evidence_from(Mode::inductor, {eager.record(), compiled.record(), reference.record()});
  const auto found = evidence.measurement(Mode::eager, Mode::inductor)->leaves.at(0).worst;
  REQUIRE(found.has_value());
  CHECK(found->index == std::vector<std::int64_t>{0, 1});
  CHECK(found->eager == "2.0");
  CHECK(found->compiled == "7.0");
  CHECK(found->reference == "2.125");
}

TEST_CASE("floats print as Python's repr") {
  CHECK(python_float(0.0) == "0.0");
  CHECK(python_float(-0.0) == "-0.0");
  CHECK(python_float(0.1F) == "0.10000000149011612");
  CHECK(python_float(0.0001) == "0.0001");
  CHECK(python_float(0.00001) == "1e-05");
  CHECK(python_float(1e15) == "1000000000000000.0");
  CHECK(python_float(1e16) == "1e+16");
  CHECK(python_float(-1.5e-300) == "-1.5e-300");
  CHECK(python_float(5e-324) == "5e-324");
}

}  // namespace parityd::oracle::test
