// compare(): layouts, metadata, aliasing and leaves that are no tensors.
#include <limits>

#include "oracle/measure/compare.h"
#include "tests/catch.h"
#include "tests/oracle/builders.h"

namespace parityd::oracle::test {
namespace {

const std::vector<float> kSix{0, 1, 2, 3, 4, 5};

struct Layout {
  std::vector<float> values;
  std::vector<std::int64_t> shape, stride;
  std::int64_t offset = 0;
};

LeafMeasurement compared(const Layout& expected, const Layout& actual) {
  Record one(Mode::eager);
  Record other(Mode::inductor);
  one.view("output", Dtype::float32, one.storage(expected.values), expected.shape, expected.stride, expected.offset);
  other.view("output", Dtype::float32, other.storage(actual.values), actual.shape, actual.stride, actual.offset);
  return compare(one.record(), other.record()).leaves.at(0);
}

Measurement compared(const Record& expected, const Record& actual) {
  return compare(expected.record(), actual.record());
}

}  // namespace

TEST_CASE("larger row strides are padding, another order or wider neighbours are not") {
  const auto padded = [](std::vector<std::int64_t> expected, std::vector<std::int64_t> actual) {
    const std::vector<float> many(64, 1);
    return compared({many, {2, 3, 1, 2}, std::move(expected)}, {many, {2, 3, 1, 2}, std::move(actual)}).stride_padded;
  };
  CHECK(padded({6, 2, 2, 1}, {12, 4, 4, 1}));
  CHECK(padded({6, 2, 2, 1}, {8, 2, 7, 1}));  // one element: its stride says nothing
  CHECK_FALSE(padded({6, 2, 2, 1}, {6, 2, 9, 1}));
  CHECK_FALSE(padded({6, 2, 2, 1}, {1, 4, 4, 2}));
  CHECK_FALSE(padded({6, 2, 2, 1}, {12, 4, 4, 2}));
  CHECK_FALSE(padded({12, 4, 4, 1}, {6, 2, 2, 1}));
  CHECK_FALSE(padded({2, 1, 1, 1}, {6, 2, 2, 1}));  // eager's elements overlap
}

TEST_CASE("elements are found whatever the strides") {
  struct Row {
    const char* what;
    Layout expected, actual;
    std::int64_t unequal;
    bool strides;
  };
  const std::vector<Row> rows{
      {"contiguous", {kSix, {2, 3}, {3, 1}}, {kSix, {2, 3}, {3, 1}}, 0, false},
      {"transposed against contiguous", {kSix, {2, 3}, {3, 1}}, {{0, 3, 1, 4, 2, 5}, {2, 3}, {1, 2}}, 0, true},
      {"transposed, other values", {kSix, {2, 3}, {3, 1}}, {{0, 3, 1, 4, 2, 9}, {2, 3}, {1, 2}}, 1, true},
      {"same transposed layout", {kSix, {2, 3}, {1, 2}}, {kSix, {2, 3}, {1, 2}}, 0, false},
      {"offset", {{9, 9, 1, 2}, {2}, {1}, 2}, {{1, 2}, {2}, {1}}, 0, false},
      {"every other element", {{1, 7, 2, 8}, {2}, {2}}, {{1, 2}, {2}, {1}}, 0, true},
      {"expanded against dense", {{4}, {3}, {0}}, {{4, 4, 5}, {3}, {1}}, 1, true},
      {"expanded on both sides", {{4}, {3, 2}, {0, 0}}, {{5}, {3, 2}, {0, 0}}, 6, false},
      {"overlapping windows", {{1, 2, 3, 4}, {3, 2}, {1, 1}}, {{1, 2, 2, 3, 3, 4}, {3, 2}, {2, 1}}, 0, true},
      {"stride of a size-1 dimension", {kSix, {1, 6}, {6, 1}}, {kSix, {1, 6}, {99, 1}}, 0, false},
      {"scalar", {{3}, {}, {}}, {{4}, {}, {}}, 1, false},
      {"empty", {{}, {0, 3}, {3, 1}}, {{}, {0, 3}, {1, 7}}, 0, false},
      {"three dimensions",
       {{0, 1, 2, 3, 4, 5, 6, 7}, {2, 2, 2}, {4, 2, 1}},
       {{0, 2, 1, 3, 4, 6, 5, 8}, {2, 2, 2}, {4, 1, 2}},
       1,
       true},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    const LeafMeasurement leaf = compared(row.expected, row.actual);
    CHECK(!leaf.missing);
    CHECK(leaf.unequal == row.unequal);
    CHECK(leaf.stride_differs == row.strides);
    CHECK(!leaf.shape_differs);
  }
}

TEST_CASE("the mean of an expanded tensor is over all its elements") {
  const LeafMeasurement leaf = compared({{3}, {4}, {0}}, {{5}, {4}, {0}});
  CHECK(leaf.elements == 4);
  CHECK(leaf.rms_expected == 3);
  CHECK(leaf.rms_difference == 2);
}

TEST_CASE("shapes are never broadcast") {
  for (const auto& [one, other] : std::vector<std::pair<Layout, Layout>>{
           {{{1, 1, 1}, {3}, {1}}, {{1, 1, 1}, {1, 3}, {3, 1}}},
           {{{1}, {1}, {1}}, {{1, 1, 1}, {3}, {1}}},
           {{{1}, {}, {}}, {{1}, {1}, {1}}},
           {{{}, {0}, {1}}, {{1}, {1}, {1}}},
       }) {
    const LeafMeasurement leaf = compared(one, other);
    CHECK(leaf.shape_differs);
    CHECK(leaf.elements == 0);
    CHECK(leaf.detail.find("shape [") != std::string::npos);
  }
}

TEST_CASE("a layout that exceeds its storage is never read") {
  constexpr auto kHuge = std::numeric_limits<std::int64_t>::max();
  const Layout fine{{1, 2}, {2}, {1}};
  struct Row {
    const char* what;
    Layout layout;
  };
  const std::vector<Row> rows{
      {"one past the end", {{1, 2}, {2}, {1}, 1}},
      {"stride too wide", {{1, 2}, {2}, {2}}},
      {"offset beyond", {{1, 2}, {2}, {1}, 100}},
      {"negative offset", {{1, 2}, {2}, {1}, -1}},
      {"negative stride", {{1, 2}, {2}, {-1}}},
      {"product overflows", {{1, 2}, {kHuge, kHuge}, {0, 0}}},
      {"span overflows", {{1, 2}, {3}, {kHuge}}},
      {"offset overflows", {{1, 2}, {2}, {kHuge}, kHuge}},
      {"endless by stride zero", {{1, 2}, {kHuge}, {0}}},
      {"ranks disagree", {{1, 2}, {2}, {1, 1}}},
      {"negative size", {{1, 2}, {-2}, {1}}},
      {"storage empty", {{}, {2}, {1}}},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    for (const bool swapped : {false, true}) {
      const LeafMeasurement leaf = swapped ? compared(fine, row.layout) : compared(row.layout, fine);
      CHECK(leaf.missing);
      CHECK(leaf.unequal == 0);
      CHECK(leaf.detail.find("unreadable") != std::string::npos);
    }
  }
}

TEST_CASE("a storage number without storage is unreadable, no storage at all leaves nothing to read") {
  Record expected(Mode::eager);
  Record actual(Mode::inductor);
  expected.view("output[0]", Dtype::float32, 5, {2}, {1});
  actual.view("output[0]", Dtype::float32, 5, {2}, {1});
  expected.view("output[1]", Dtype::float32, -1, {2}, {1});
  actual.view("output[1]", Dtype::float32, -1, {2}, {1});
  const Measurement measured = compared(expected, actual);
  CHECK(measured.leaves.at(0).missing);
  CHECK(!measured.leaves.at(1).metadata_differs());
}

TEST_CASE("exact properties are compared") {
  Record expected(Mode::eager);
  Record actual(Mode::inductor);
  expected.tensor<float>("output[0]", Dtype::float32, {1}).requires_grad = true;
  actual.tensor<float>("output[0]", Dtype::float32, {1});
  expected.tensor<float>("output[1]", Dtype::float32, {1}).type = "Parameter";
  actual.tensor<float>("output[1]", Dtype::float32, {1});
  expected.value("output[2]", "str", "'a'");
  actual.value("output[2]", "str", "'b'");
  expected.value("output[3]", "NoneType", "None");
  actual.tensor<float>("output[3]", Dtype::float32, {1});
  expected.value("output[4]", "tuple", "2");
  expected.tensor<float>("output[5]", Dtype::float32, {1});
  actual.tensor<float>("output[5]", Dtype::float32, {1});
  actual.tensor<float>("output[6]", Dtype::float32, {1});
  const Measurement measured = compared(expected, actual);
  REQUIRE(measured.leaves.size() == 7);
  CHECK(measured.leaves[0].requires_grad_differs);
  CHECK(measured.leaves[1].type_differs);
  CHECK(measured.leaves[2].type_differs);
  CHECK(measured.leaves[2].detail == "value 'a' vs 'b'");
  CHECK(measured.leaves[3].type_differs);
  CHECK(measured.leaves[4].missing);
  CHECK(!measured.leaves[5].metadata_differs());
  CHECK(measured.leaves[6].missing);
  CHECK(measured.leaves[6].path == "output[6]");
  CHECK(measured.expected == Mode::eager);
  CHECK(measured.actual == Mode::inductor);
}

TEST_CASE("a Python int or bool is a number, not a different type") {
  Record expected(Mode::eager);
  Record actual(Mode::inductor);
  expected.value("output[0]", "int", "7");
  actual.value("output[0]", "int", "9");
  expected.value("output[1]", "bool", "True");
  actual.value("output[1]", "bool", "True");
  expected.value("output[2]", "int", "1");
  actual.value("output[2]", "bool", "True");
  const Measurement measured = compared(expected, actual);
  CHECK(!measured.leaves.at(0).type_differs);
  CHECK(measured.leaves.at(0).values_differ());
  CHECK(measured.leaves.at(0).max_absolute == 2);
  CHECK(!measured.leaves.at(1).values_differ());
  CHECK(measured.leaves.at(2).type_differs);
}

TEST_CASE("a gradient of None equals one of zeros and no other") {
  struct Row {
    const char* what;
    std::vector<float> gradient;
    bool equal;
  };
  for (const Row& row : std::vector<Row>{{"zeros", {0, -0.0F, 0}, true},
                                         {"empty", {}, true},
                                         {"one value", {0, 1e-30F, 0}, false},
                                         {"NaN", {0, std::numeric_limits<float>::quiet_NaN()}, false}}) {
    INFO(row.what);
    for (const char* const form : {"none", "absent", "none when compiled"}) {
      INFO(form);
      Record expected(Mode::eager);
      Record actual(Mode::inductor);
      const bool swapped = std::string_view(form) == "none when compiled";
      Record& none = swapped ? actual : expected;
      Record& zeros = swapped ? expected : actual;
      if (std::string_view(form) != "absent") none.value("gradient.weight", "NoneType", "None");
      zeros.tensor("gradient.weight", Dtype::float32, row.gradient);
      CHECK(compared(expected, actual).leaves.at(0).metadata_differs() != row.equal);
    }
  }
  Record expected(Mode::eager);
  Record actual(Mode::inductor);
  expected.value("output", "NoneType", "None");
  actual.tensor<float>("output", Dtype::float32, {0});
  CHECK(compared(expected, actual).leaves.at(0).type_differs);
}

TEST_CASE("memory sharing is compared by path, not by number") {
  Record expected(Mode::eager);
  const int first = expected.storage(kSix);
  expected.view("output[0]", Dtype::float32, first, {4}, {1});
  expected.view("output[1]", Dtype::float32, first, {3}, {1}, 3);
  expected.view("input_after[0]", Dtype::float32, expected.storage(kSix), {6}, {1});

  SECTION("same partition, other numbers") {
    Record actual(Mode::inductor);
    actual.storage(kSix);
    actual.view("input_after[0]", Dtype::float32, 0, {6}, {1});
    const int shared = actual.storage(kSix);
    actual.view("output[1]", Dtype::float32, shared, {3}, {1}, 3);
    actual.view("output[0]", Dtype::float32, shared, {4}, {1});
    for (const LeafMeasurement& leaf : compared(expected, actual).leaves) CHECK(!leaf.alias_differs);
  }
  SECTION("outputs no longer shared") {
    Record actual(Mode::inductor);
    actual.view("output[0]", Dtype::float32, actual.storage(kSix), {4}, {1});
    actual.view("output[1]", Dtype::float32, actual.storage(kSix), {3}, {1}, 3);
    actual.view("input_after[0]", Dtype::float32, actual.storage(kSix), {6}, {1});
    const Measurement measured = compared(expected, actual);
    CHECK(measured.find("output[0]")->alias_differs);
    CHECK(measured.find("output[1]")->alias_differs);
    CHECK(!measured.find("input_after[0]")->alias_differs);
    CHECK(!measured.find("output[0]")->returned_input);
    CHECK(measured.find("output[0]")->detail == "shares memory with output[1] vs nothing");
  }
  SECTION("an output that became the input") {
    Record actual(Mode::inductor);
    const int shared = actual.storage(kSix);
    actual.view("output[0]", Dtype::float32, shared, {4}, {1});
    actual.view("output[1]", Dtype::float32, shared, {3}, {1}, 3);
    actual.view("input_after[0]", Dtype::float32, shared, {6}, {1});
    const Measurement measured = compared(expected, actual);
    CHECK(measured.find("input_after[0]")->alias_differs);
    CHECK(measured.find("input_after[0]")->returned_input);
    CHECK(measured.find("output[0]")->returned_input);
    CHECK(!compared(actual, expected).find("output[0]")->returned_input);
  }
}

TEST_CASE("an output that became an input is recognised even if that input is returned beside it") {
  Record expected(Mode::eager);
  Record actual(Mode::inductor);
  for (Record* const side : {&expected, &actual}) {
    const int given = side->storage(kSix);
    side->view("input_after[0]", Dtype::float32, given, {6}, {1});
    side->view("output[0]", Dtype::float32, given, {6}, {1});
    side->view("output[1]", Dtype::float32, side == &actual ? given : side->storage(kSix), {6}, {1});
    side->view("input_after[1]", Dtype::float32, side->storage(kSix), {6}, {1});
  }
  for (const char* const path : {"output[0]", "output[1]", "input_after[0]"}) {
    CHECK(compared(expected, actual).find(path)->returned_input);
    CHECK(compared(actual, expected).find(path)->alias_differs);
    CHECK(!compared(actual, expected).find(path)->returned_input);
  }
  CHECK(!compared(expected, actual).find("input_after[1]")->alias_differs);
}

TEST_CASE("two inputs that became one are not a returned input") {
  Record expected(Mode::eager);
  Record actual(Mode::inductor);
  for (Record* const side : {&expected, &actual}) {
    const int first = side->storage(kSix);
    side->view("input_after[0]", Dtype::float32, first, {6}, {1});
    side->view("input_after[1]", Dtype::float32, side == &actual ? first : side->storage(kSix), {6}, {1});
  }
  CHECK(compared(expected, actual).find("input_after[0]")->alias_differs);
  CHECK(!compared(expected, actual).find("input_after[0]")->returned_input);
}

TEST_CASE("disjoint parts of one storage share no memory because no write can show it") {
  const auto differs = [](const Layout& one, const Layout& other) {
    Record together(Mode::eager);
    const int storage = together.storage(std::vector<float>(24, 1));
    together.view("output[0]", Dtype::float32, storage, one.shape, one.stride, one.offset);
    together.view("output[1]", Dtype::float32, storage, other.shape, other.stride, other.offset);
    Record apart(Mode::inductor);
    for (const auto& [path, layout] : {std::pair("output[0]", one), std::pair("output[1]", other)}) {
      apart.view(path, Dtype::float32, apart.storage(std::vector<float>(24, 1)), layout.shape, layout.stride,
                 layout.offset);
    }
    const bool differing = compared(together, apart).find("output[0]")->alias_differs;
    CHECK(differing == compared(together, apart).find("output[1]")->alias_differs);
    CHECK(differing == compared(apart, together).find("output[0]")->alias_differs);
    return differing;
  };
  const Layout first_columns{{}, {4, 3}, {6, 1}, 0};
  CHECK_FALSE(differs(first_columns, {{}, {4, 3}, {6, 1}, 3}));            // split along the last dimension
  CHECK_FALSE(differs({{}, {4, 3}, {6, 2}, 0}, {{}, {4, 3}, {6, 2}, 1}));  // even and odd columns
  CHECK_FALSE(differs({{}, {12}, {1}, 0}, {{}, {12}, {1}, 12}));           // halves
  CHECK(differs(first_columns, {{}, {4, 4}, {6, 1}, 2}));                  // one column in common
  CHECK(differs(first_columns, {{}, {3}, {1}, 6}));                        // a row of it
  CHECK(differs({{}, {12}, {1}, 0}, {{}, {12}, {1}, 11}));                 // one element
  CHECK(differs({{}, {5, 4}, {0, 1}, 0}, {{}, {}, {}, 3}));                // an expanded one, and a scalar of it
  CHECK_FALSE(differs({{}, {2, 2}, {2, 2}, 0}, {{}, {2}, {2}, 1}));        // it overlaps itself, with holes
  CHECK_FALSE(differs({{}, {2, 2}, {1, 3}, 0}, {{}, {2}, {3}, 2}));        // 0, 1, 3, 4 and 2, 5
  CHECK(differs({{}, {2, 2}, {1, 3}, 0}, {{}, {2}, {2}, 2}));              // … and 2, 4
}

TEST_CASE("hundreds of columns of one buffer are distinguished from the one that two leaves share") {
  const std::int64_t columns = 600;
  Record together(Mode::eager), apart(Mode::inductor);
  const int storage = together.storage(std::vector<float>(static_cast<std::size_t>(64 * columns), 1));
  for (std::int64_t column = 0; column <= columns; ++column) {
    const std::string path = "output[" + std::to_string(column) + "]";
    together.view(path, Dtype::float32, storage, {64}, {columns}, column == columns ? 17 : column);
    apart.view(path, Dtype::float32, apart.storage(std::vector<float>(64, 1)), {64}, {1});
  }
  const auto measured = compared(together, apart);
  for (const LeafMeasurement& leaf : measured.leaves) {
    CHECK(leaf.alias_differs == (leaf.path == "output[17]" || leaf.path == "output[600]"));
  }
}

TEST_CASE("views of another element size share the bytes that they read") {
  Record together(Mode::eager);
  const int storage = together.storage(kSix);
  together.view("output[0]", Dtype::float32, storage, {3}, {2});
  together.view("output[1]", Dtype::float16, storage, {3}, {4}, 3);  // the second half of each float that is left out
  together.view("output[2]", Dtype::float16, storage, {3}, {4}, 1);  // the second half of each that is not
  Record apart(Mode::inductor);
  for (int leaf = 0; leaf < 3; ++leaf) {
    const bool whole = leaf == 0;
    apart.view("output[" + std::to_string(leaf) + "]", whole ? Dtype::float32 : Dtype::float16, apart.storage(kSix),
               {3}, {whole ? 2 : 4},
               leaf == 1   ? 3
               : leaf == 2 ? 1
                           : 0);
  }
  const auto measured = compared(together, apart);
  CHECK(measured.find("output[0]")->detail == "shares memory with output[2] vs nothing");
  CHECK_FALSE(measured.find("output[1]")->alias_differs);
}

TEST_CASE("aliasing of gradients, empty tensors and leaves that only one side has is ignored") {
  Record expected(Mode::eager);
  Record actual(Mode::inductor);
  const int shared = expected.storage(kSix);
  for (const char* const path : {"gradient.input[0]", "gradient.input[1]", "output[0]", "output[9]"})
    expected.view(path, Dtype::float32, shared, {6}, {1});
  expected.view("output[1]", Dtype::float32, shared, {0}, {1});
  for (const char* const path : {"gradient.input[0]", "gradient.input[1]", "output[0]"})
    actual.view(path, Dtype::float32, actual.storage(kSix), {6}, {1});
  actual.view("output[1]", Dtype::float32, actual.storage(kSix), {0}, {1});
  const Measurement measured = compared(expected, actual);
  for (const LeafMeasurement& leaf : measured.leaves) CHECK(!leaf.alias_differs);
  CHECK(measured.find("output[9]")->missing);
}

}  // namespace parityd::oracle::test
