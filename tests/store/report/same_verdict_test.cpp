// What a draft says of PyTorch's own verdict.
#include "store/report/same_verdict.h"

#include "tests/catch.h"
#include "tests/store/facts.h"

using namespace parityd;
using namespace parityd::tests;

namespace {

/// A round whose `same` says True though this leaf was reported; what fp64 says of eager and of compiled.
store::EvidenceRow hidden(oracle::LeafMeasurement leaf, double eager_error, double compiled_error) {
  auto round = facts_of(oracle::Kind::numerical, "").rounds.front();
  round.evidence.same = true;
  leaf.path = "output[0]";
  oracle::LeafMeasurement eager = leaf;
  eager.rms_difference = eager_error;
  oracle::LeafMeasurement compiled = leaf;
  compiled.rms_difference = compiled_error;
  using oracle::Mode;
  round.evidence.measurements = {{.expected = Mode::eager, .actual = Mode::inductor, .leaves = {leaf}},
                                 {.expected = Mode::reference, .actual = Mode::eager, .leaves = {eager}},
                                 {.expected = Mode::reference, .actual = Mode::inductor, .leaves = {compiled}}};
  return round;
}

oracle::LeafMeasurement leaf_of(oracle::Dtype dtype, double absolute, double relative) {
  oracle::LeafMeasurement leaf = differing_leaf("output[0]");
  leaf.dtype = dtype;
  leaf.elements = 5000;
  leaf.max_absolute = absolute;
  leaf.max_relative = relative;
  return leaf;
}

bool says(const store::EvidenceRow& round, const std::string& words) {
  const std::string text = store::same_sentence(round);
  INFO(text);
  const bool gap = text.find(store::kSameGap) != std::string::npos;
  return gap == (words != "True") && text.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("False needs no explanation, and neither does a missing verdict") {
  auto round = facts_of(oracle::Kind::numerical, "").rounds.front();
  CHECK(store::same_sentence(round).find(store::kSameDiffers) != std::string::npos);
  round.evidence.same.reset();
  CHECK(store::same_sentence(round).empty());
  round.evidence.same_detail = "unsupported type: complex";
  CHECK(says(round, "unsupported type: complex"));
}

TEST_CASE("True names the gap that hides the difference") {
  using oracle::Dtype;
  CHECK(says(hidden(leaf_of(Dtype::float32, 5e-5, 1), 0, 5e-5), "tolerance is 0.0001 absolute"));
  CHECK(says(hidden(leaf_of(Dtype::int64, 50, 5e-5), 0, 1), "the tolerance for floats"));
  CHECK(says(hidden(leaf_of(Dtype::float32, 0.009, 1), 0, 9e-6), "its tolerance of 1e-05"));
  CHECK(says(hidden(leaf_of(Dtype::float32, 1, 1), 0.5, 0.9), "allows the compiled program 2 times"));
  CHECK(says(hidden(leaf_of(Dtype::float16, 1, 1), 0.5, 1.4), "allows the compiled program 3 times"));
  auto leaf = leaf_of(Dtype::float32, 1, 1);
  leaf.nan_differs = 1;
  CHECK(says(hidden(leaf, 0, 1), "passes with `equal_nan=True`"));
  leaf = leaf_of(Dtype::float32, 1, 1);
  leaf.group = oracle::LeafGroup::gradient;
  CHECK(says(hidden(leaf, 0, 1), "applied to the outputs"));
  leaf = leaf_of(Dtype::float32, 0, 0);
  leaf.shape_differs = true;
  CHECK(says(hidden(leaf, 0, 0), "shapes that broadcast"));
  leaf.shape_differs = false;
  leaf.stride_differs = true;
  CHECK(says(hidden(leaf, 0, 0), "not strides"));
}

TEST_CASE("a difference that no gap hides is not explained away") {
  CHECK(says(hidden(leaf_of(oracle::Dtype::float32, 1, 1), 0.1, 0.9), "True"));
}
