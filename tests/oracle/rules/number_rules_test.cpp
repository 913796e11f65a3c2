// Rules 3 and 3b: wrong numbers against rounding.
#include <algorithm>

#include "oracle/rules/verdict.h"
#include "tests/catch.h"
#include "tests/oracle/builders.h"

namespace parityd::oracle::test {
namespace {

/// What the five pairs say of one leaf; a negative number leaves the pair out.
struct Numbers {
  double compiled = 0, precise = -1, in_double = -1, eager_reference = -1, compiled_reference = -1;
};

Evidence evidence_of(const Numbers& numbers, Dtype dtype = Dtype::float32, const std::string& path = "output") {
  Evidence evidence = round_of();
  measure(evidence, Mode::eager, Mode::inductor, {off_leaf(path, numbers.compiled, dtype)});
  const auto add = [&](Mode expected, Mode actual, double difference, Dtype type) {
    if (difference >= 0) measure(evidence, expected, actual, {off_leaf(path, difference, type)});
  };
  const Dtype wide = is_floating(dtype) ? Dtype::float64 : dtype;
  add(Mode::eager, Mode::inductor_precise, numbers.precise, dtype);
  add(Mode::reference, Mode::inductor_fp64, numbers.in_double, wide);
  add(Mode::reference, Mode::eager, numbers.eager_reference, wide);
  add(Mode::reference, Mode::inductor, numbers.compiled_reference, wide);
  return evidence;
}

}  // namespace

TEST_CASE("faults of small values beside large ones are found") {
  const auto small = [](Dtype dtype, double difference, double scaled) {
    LeafMeasurement leaf = off_leaf("output", difference, dtype);
    leaf.rms_expected = 1e6;
    leaf.exceeds_tolerance = false;
    leaf.max_scaled = scaled;
    return leaf;
  };
  Evidence evidence = round_of();
  measure(evidence, Mode::eager, Mode::inductor, {small(Dtype::float32, 0.5, 15)});
  CHECK(judge(evidence).verdict == VerdictKind::consistent);
  evidence.measurements[0].leaves = {small(Dtype::float32, 0.5, 1000)};
  CHECK(screen(evidence).verdict == VerdictKind::inconsistent);
  CHECK(judge(evidence).rule == "numbers.small_values");
  measure(evidence, Mode::reference, Mode::inductor_fp64, {small(Dtype::float64, 0.5, 1e6)});
  CHECK(judge(evidence).rule == "numbers.double_run");
  CHECK(judge(evidence).explanation.find("1e+03 times its own tolerance") != std::string::npos);
  SECTION("cancellation shrinks in double") {
    evidence.measurements[1].leaves = {small(Dtype::float64, 1e-9, 1000)};
    CHECK(judge(evidence).rule == "numbers.rounding_double");
  }
  SECTION("gone under precision casts") {
    measure(evidence, Mode::eager, Mode::inductor_precise, {small(Dtype::float32, 1e-3, 2)});
    CHECK(judge(evidence).rule == "numbers.rounding_precise");
  }
  SECTION("eager strays as far, element by element") {
    measure(evidence, Mode::reference, Mode::eager, {small(Dtype::float64, 0.5, 1e6)});
    measure(evidence, Mode::reference, Mode::inductor, {small(Dtype::float64, 0.5, 1.5e6)});
    CHECK(judge(evidence).rule == "numbers.ill_conditioned");
    evidence.measurements.back().leaves[0].max_scaled = 3e6;
    CHECK(judge(evidence).rule == "numbers.double_run");
  }
}

TEST_CASE("the three runs and rule 3b apply to one leaf") {
  struct Row {
    const char* what;
    Numbers numbers;
    Dtype dtype;
    VerdictKind verdict;
    const char* rule;
  };
  using V = VerdictKind;
  const std::vector<Row> rows{
      {"within tolerance", {1e-6}, Dtype::float32, V::consistent, "consistent"},
      {"stays in all three", {0.1, 0.1, 0.1, 1e-7, 0.1}, Dtype::float32, V::inconsistent, "numbers.double_run"},
      {"gone under precision casts", {0.1, 0, 0.1, 1e-7, 0.1}, Dtype::float32, V::excused, "numbers.rounding_precise"},
      {"gone in double, eager as far away",
       {0.1, 0.1, 0, 0.05, 0.1},
       Dtype::float32,
       V::excused,
       "numbers.rounding_double"},
      {"gone in double, compiled nearer than eager",
       {0.1, 0.1, 1e-12, 0.1, 1e-7},
       Dtype::bfloat16,
       V::excused,
       "numbers.rounding_double"},
      {"gone in double, compiled 50 % off: bfloat16 fault",
       {0.5, 0.5, 0, 0.002, 0.5},
       Dtype::bfloat16,
       V::inconsistent,
       "numbers.low_precision"},
      {"five hundredths off: bfloat16 fault",
       {0.05, 0.05, 0, 0.002, 0.05},
       Dtype::bfloat16,
       V::inconsistent,
       "numbers.low_precision"},
      {"the same, half", {0.05, 0.05, 0, 0.0005, 0.05}, Dtype::float16, V::inconsistent, "numbers.low_precision"},
      {"no digit of eager is right: chance",
       {1700, 1700, 1e-4, 65, 1640},
       Dtype::float32,
       V::excused,
       "numbers.rounding_double"},
      {"float32 a thousandth off, gone in double",
       {1e-3, 1e-3, 0, 1e-7, 1e-3},
       Dtype::float32,
       V::excused,
       "numbers.rounding_double"},
      {"float32 a hundredth off, gone in double",
       {1e-2, 1e-2, 0, 1e-7, 1e-2},
       Dtype::float32,
       V::inconsistent,
       "numbers.low_precision"},
      {"not four times farther",
       {0.0039, 0.0039, 0, 0.001, 0.0039},
       Dtype::float16,
       V::excused,
       "numbers.rounding_double"},
      {"eager exact, compiled off by few eps",
       {0.003, 0.003, 0, 0, 0.003},
       Dtype::float16,
       V::excused,
       "numbers.rounding_double"},
      {"double differs by less than 1e-7 of rms",
       {0.1, 0.1, 0.9e-7, 0.05, 0.1},
       Dtype::float32,
       V::excused,
       "numbers.rounding_double"},
      {"cancellation shrinks with the precision",
       {1e3, 1e3, 1e-4, 5e2, 1e3},
       Dtype::float32,
       V::excused,
       "numbers.rounding_double"},
      {"eager strays from double as far", {3, 3, 3, 2, 3}, Dtype::float32, V::excused, "numbers.ill_conditioned"},
      {"eager strays, compiled three times as far",
       {3, 3, 3, 1, 3.5},
       Dtype::float32,
       V::inconsistent,
       "numbers.double_run"},
      {"no precise run excuses nothing",
       {0.1, -1, 0.1, 1e-7, 0.1},
       Dtype::float32,
       V::inconsistent,
       "numbers.double_run"},
      {"no double run, large", {0.1, 0.1}, Dtype::float32, V::inconsistent, "numbers.no_double_run"},
      {"no double run, two eps", {0.0019, 0.0019}, Dtype::float16, V::excused, "numbers.rounding_rms"},
      {"no double run, three eps", {0.003, 0.003}, Dtype::float16, V::inconsistent, "numbers.no_double_run"},
      {"integer stays", {1, 1, 1, 0, 1}, Dtype::int32, V::inconsistent, "numbers.double_run"},
      {"integer gone in double", {1, 1, 0, 0, 1}, Dtype::int32, V::excused, "numbers.rounding_double"},
      {"integer gone under precision casts", {1, 0, 1, 0, 1}, Dtype::int64, V::excused, "numbers.rounding_precise"},
      {"integer without double run", {1, 1}, Dtype::int32, V::inconsistent, "numbers.no_double_run"},
      {"integer, eager strays as well", {1, 1, 1, 1, 1}, Dtype::int32, V::excused, "numbers.ill_conditioned"},
      {"bool stays", {1, 1, 1, 0, 1}, Dtype::boolean, V::inconsistent, "numbers.double_run"},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    const Evidence evidence = evidence_of(row.numbers, row.dtype);
    const Verdict verdict = judge(evidence);
    CHECK(name(verdict.verdict) == name(row.verdict));
    CHECK(verdict.rule == row.rule);
    if (row.verdict == V::inconsistent) {
      CHECK(verdict.kind == Kind::numerical);
      CHECK(verdict.leaves == std::vector<std::string>{"output"});
    }
    // Before the control runs all that differ are suspects.
    CHECK(screen(evidence).verdict == (row.verdict == V::consistent ? V::consistent : V::inconsistent));
  }
}

TEST_CASE("a sum over a chain of casts is excused if precision casts nearly remove its difference") {
  Evidence evidence = evidence_of({0.4, 0.4, 0.4, 0, 0.4});
  for (auto& measurement : evidence.measurements) {
    measurement.leaves[0].elements = 1;
    measurement.leaves[0].unequal = std::min<std::int64_t>(1, measurement.leaves[0].unequal);
  }
  LeafMeasurement& precise = evidence.measurements[1].leaves[0];
  precise.max_absolute = precise.rms_difference = 0.04;
  CHECK(judge(evidence).rule == "numbers.rounding_mostly");
  precise.max_absolute = precise.rms_difference = 0.1;
  CHECK(judge(evidence).rule == "numbers.double_run");
}

TEST_CASE("precision casts excuse if they leave a last bit in a few elements, not if they leave more") {
  Evidence evidence = evidence_of({0.1, 0.1, 0.1, 0, 0.1});
  LeafMeasurement& precise = evidence.measurements[1].leaves[0];
  precise.unequal = 2;
  precise.max_absolute = 0.02;
  precise.rms_difference = 0.003;
  CHECK(judge(evidence).rule == "numbers.rounding_mostly");
  SECTION("as many elements") {
    precise.unequal = 100;
    CHECK(judge(evidence).rule == "numbers.double_run");
  }
  SECTION("one as large") {
    precise.max_absolute = 0.1;
    CHECK(judge(evidence).rule == "numbers.double_run");
  }
  SECTION("as much in all") {
    precise.rms_difference = 0.05;
    CHECK(judge(evidence).rule == "numbers.double_run");
  }
  SECTION("another NaN") {
    precise.nan_differs = 1;
    CHECK(judge(evidence).rule == "numbers.double_run");
  }
}

TEST_CASE("the sign bit of a NaN seen as an integer is no difference, another integer is") {
  Evidence evidence = evidence_of({1, 1, 1, 0, 1}, Dtype::int32);
  evidence.measurements[0].leaves[0].nan_bits = 100;
  CHECK(judge(evidence).rule == "numbers.nan_bits");
  CHECK(screen(evidence).verdict == VerdictKind::excused);
  evidence.measurements[0].leaves[0].nan_bits = 99;
  CHECK(judge(evidence).verdict == VerdictKind::inconsistent);
}

TEST_CASE("positions of NaN and infinity are compared") {
  Evidence evidence = evidence_of({0, 0, 0, 0, 0});
  const auto set = [&](std::size_t pair, std::int64_t nan) { evidence.measurements[pair].leaves[0].nan_differs = nan; };
  set(0, 3);
  set(1, 3);
  CHECK(judge(evidence).rule == "numbers.rounding_double");
  set(2, 3);
  CHECK(judge(evidence).rule == "numbers.double_run");
  set(4, 3);
  CHECK(judge(evidence).rule == "numbers.double_run");
  set(3, 2);  // eager has NaN where its own double run has none
  CHECK(judge(evidence).rule == "numbers.ill_conditioned");
  set(4, 5);
  CHECK(judge(evidence).rule == "numbers.double_run");
  set(1, 0);
  CHECK(judge(evidence).rule == "numbers.rounding_precise");
}

TEST_CASE("NaN without a double run is never two eps of rounding") {
  Evidence evidence = evidence_of({0, 0});
  evidence.measurements[0].leaves[0].inf_differs = evidence.measurements[1].leaves[0].inf_differs = 1;
  CHECK(judge(evidence).rule == "numbers.no_double_run");
}

TEST_CASE("a leaf that the program narrows in double has the tolerance of its narrow dtype") {
  Evidence evidence = evidence_of({1e-3, 1e-3, 1e-6, 1e-7, 1e-3});
  CHECK(judge(evidence).rule == "numbers.double_run");
  evidence.measurements[2].leaves[0] = off_leaf("output", 1e-6, Dtype::float32);
  CHECK(judge(evidence).rule == "numbers.rounding_double");
}

TEST_CASE("the group of the first reported leaf determines the kind") {
  struct Row {
    const char* path;
    Kind kind;
  };
  for (const Row& row : std::vector<Row>{{"output[0]", Kind::numerical},
                                         {"input_after[0]", Kind::mutation},
                                         {"buffer.b", Kind::mutation},
                                         {"parameter.w", Kind::mutation},
                                         {"gradient.w", Kind::gradient}}) {
    CHECK(judge(evidence_of({0.1, 0.1, 0.1, 0, 0.1}, Dtype::float32, row.path)).kind == row.kind);
  }
  Evidence evidence = round_of();
  measure(
      evidence, Mode::eager, Mode::inductor,
      {off_leaf("gradient.w", 9), off_leaf("buffer.b", 9), off_leaf("output[1]", 0.1), off_leaf("output[0]", 1e-7)});
  const Verdict verdict = judge(evidence);
  CHECK(verdict.kind == Kind::numerical);
  CHECK(verdict.leaves == std::vector<std::string>{"output[1]", "buffer.b", "gradient.w"});
}

TEST_CASE("only reproducible leaves are reported") {
  Evidence evidence = round_of();
  measure(evidence, Mode::eager, Mode::inductor, {off_leaf("output[0]", 0.1), off_leaf("output[1]", 0.1)});
  measure(evidence, Mode::eager, Mode::inductor_precise, {same_leaf("output[0]"), off_leaf("output[1]", 0.1)});
  CHECK(judge(evidence).leaves == std::vector<std::string>{"output[1]"});
}

TEST_CASE("an explanation has the numbers") {
  const Verdict verdict = judge(evidence_of({0.12, 0.12, 0.12, 1e-7, 0.12}));
  CHECK(verdict.explanation ==
        "output: max |compiled − eager| = 0.12 (float32, tolerance 1e-05 + 1.3e-06 · rms 1), "
        "still 0.12 under precision casts and 0.12 in double.");
}

TEST_CASE("an index is excused only if ties are allowed and every value agrees") {
  const auto with = [](const char* name, Dtype dtype) {
    Evidence evidence = evidence_of({1, 1, 1, 0, 1}, dtype);
    evidence.outcomes[Mode::inductor].operators = {"aten.add.Tensor", name};
    return evidence;
  };
  CHECK(judge(with("aten.topk.default", Dtype::int64)).rule == "numbers.tie");
  CHECK(judge(with("aten.sort.default", Dtype::int64)).rule == "numbers.tie");
  CHECK(judge(with("aten.sort.stable", Dtype::int64)).verdict == VerdictKind::inconsistent);
  CHECK(judge(with("aten.argmax.default", Dtype::int64)).verdict == VerdictKind::inconsistent);
  CHECK(judge(with("aten.topk.default", Dtype::int32)).verdict == VerdictKind::inconsistent);
  Evidence evidence = with("aten.topk.default", Dtype::int64);
  evidence.measurements[0].leaves.push_back(off_leaf("output[1]", 1));
  CHECK(judge(evidence).leaves.size() == 2);
}

TEST_CASE("uninitialised memory excuses values but not metadata") {
  Evidence evidence = evidence_of({1, 1, 1, 0, 1});
  evidence.outcomes[Mode::inductor].operators = {"aten.empty_like.default"};
  CHECK(judge(evidence).rule == "numbers.uninitialised");
  evidence.measurements[0].leaves[0].dtype_differs = true;
  CHECK(judge(evidence).kind == Kind::metadata);
  evidence = evidence_of({1, 1, 1, 0, 1});
  evidence.outcomes[Mode::inductor].operators = {"aten.zeros_like.default"};
  CHECK(judge(evidence).verdict == VerdictKind::inconsistent);
}

}  // namespace parityd::oracle::test
