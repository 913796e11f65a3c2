#include "oracle/dtype.h"
#include "oracle/mode.h"
#include "oracle/rules/verdict.h"
#include "oracle/run_record.h"
#include "tests/catch.h"

namespace parityd::oracle {

TEST_CASE("every dtype has a name that can be parsed back") {
  int count = 0;
  for (int i = 0; i <= static_cast<int>(Dtype::float8_e5m2fnuz); ++i, ++count) {
    const auto dtype = static_cast<Dtype>(i);
    CAPTURE(name(dtype));
    CHECK(from_name<Dtype>(name(dtype)) == dtype);
    CHECK(is_floating(dtype) + is_complex(dtype) <= 1);
    CHECK((epsilon(dtype) > 0) == (is_floating(dtype) || is_complex(dtype)));
  }
  CHECK(count == 20);
  CHECK(!from_name<Dtype>("float").has_value());
  CHECK(!from_name<Dtype>("").has_value());
}

TEST_CASE("tolerances are those of assert_close") {
  struct Row {
    Dtype dtype;
    double relative, absolute;
    std::size_t size;
  };
  const std::vector<Row> rows{
      {Dtype::float16, 1e-3, 1e-5, 2},     {Dtype::bfloat16, 1.6e-2, 1e-5, 2},
      {Dtype::float32, 1.3e-6, 1e-5, 4},   {Dtype::float64, 1e-7, 1e-7, 8},
      {Dtype::complex32, 1e-3, 1e-5, 4},   {Dtype::complex64, 1.3e-6, 1e-5, 8},
      {Dtype::complex128, 1e-7, 1e-7, 16}, {Dtype::int64, 0, 0, 8},
      {Dtype::boolean, 0, 0, 1},           {Dtype::float8_e4m3fn, 0, 0, 1},
  };
  for (const Row& row : rows) {
    CAPTURE(name(row.dtype));
    CHECK(default_tolerance(row.dtype).relative == row.relative);
    CHECK(default_tolerance(row.dtype).absolute == row.absolute);
    CHECK(element_size(row.dtype) == row.size);
  }
}

TEST_CASE("the other names can be parsed back too") {
  for (int i = 0; i <= static_cast<int>(Mode::dynamo_eager); ++i)
    CHECK(from_name<Mode>(name(static_cast<Mode>(i))) == static_cast<Mode>(i));
  for (int i = 0; i <= static_cast<int>(Step::reset); ++i)
    CHECK(from_name<Step>(name(static_cast<Step>(i))) == static_cast<Step>(i));
  for (int i = 0; i <= static_cast<int>(LeafGroup::gradient); ++i)
    CHECK(from_name<LeafGroup>(name(static_cast<LeafGroup>(i))) == static_cast<LeafGroup>(i));
  for (int i = 0; i <= static_cast<int>(OutcomeKind::hung); ++i)
    CHECK(from_name<OutcomeKind>(name(static_cast<OutcomeKind>(i))) == static_cast<OutcomeKind>(i));
  for (int i = 0; i <= static_cast<int>(VerdictKind::unstable); ++i)
    CHECK(from_name<VerdictKind>(name(static_cast<VerdictKind>(i))) == static_cast<VerdictKind>(i));
  for (int i = 0; i <= static_cast<int>(Kind::hang); ++i)
    CHECK(from_name<Kind>(name(static_cast<Kind>(i))) == static_cast<Kind>(i));
  CHECK(!from_name<Mode>("triton").has_value());
  CHECK(name(Mode::inductor_max_autotune) == "inductor_max_autotune");
  CHECK(is_compiled_choice(Mode::inductor_freezing));
  CHECK(!is_compiled_choice(Mode::inductor_fp64));
  CHECK(is_eager(Mode::reference));
  CHECK(!is_eager(Mode::dynamo_eager));
}

}  // namespace parityd::oracle
