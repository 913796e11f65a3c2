#include "oracle/finding/extent.h"

#include <vector>

#include "tests/catch.h"

using namespace parityd::oracle;

namespace {

TriedVariant of(Aspect aspect, const char* value, std::optional<bool> shows) { return {aspect, value, shows}; }
TriedVariant columns(const char* value, bool shows) { return {Aspect::sizes, value, shows, "columns"}; }

}  // namespace

TEST_CASE("extent: one sentence covers all aspects") {
  const std::vector<TriedVariant> tried{of(Aspect::operators, "amin", true),
                                        of(Aspect::operators, "amax", true),
                                        of(Aspect::operators, "sum", false),
                                        of(Aspect::dtypes, "uint8", true),
                                        of(Aspect::dtypes, "int8", true),
                                        of(Aspect::dtypes, "float32", false),
                                        of(Aspect::dtypes, "bool", {}),
                                        of(Aspect::devices, "cpu", true),
                                        of(Aspect::devices, "cuda", false),
                                        columns("64", true),
                                        columns("33", true),
                                        columns("32", false),
                                        columns("8", false),
                                        of(Aspect::modes, "inductor", true),
                                        of(Aspect::modes, "inductor_freezing", false)};
  CHECK(extent(tried) ==
        "amin and amax (not sum); uint8 and int8 (not float32); CPU only; ≥ 33 columns (32 do not); inductor "
        "(not inductor_freezing)");
}

TEST_CASE("extent: what shows with every value tried does not depend on it") {
  CHECK(extent({of(Aspect::operators, "mul", true), of(Aspect::operators, "add", true)}) == "mul and add alike");
  CHECK(extent({of(Aspect::dtypes, "int8", true), of(Aspect::dtypes, "bool", {})}).empty());
}

TEST_CASE("extent: devices are listed") {
  CHECK(extent({of(Aspect::devices, "cpu", true), of(Aspect::devices, "cuda", true)}) == "CPU and CUDA");
  CHECK(extent({of(Aspect::devices, "cpu", true)}) == "CPU");
  CHECK(extent({of(Aspect::devices, "cuda", true), of(Aspect::devices, "cpu", false)}) == "CUDA only");
}

TEST_CASE("extent: sizes are claimed only as far as tried") {
  CHECK(extent({columns("9", true), columns("100", false)}) == "≤ 9 columns (100 do not)");
  CHECK(extent({columns("8", true), columns("16", false), columns("32", true)}) == "8 and 32 columns (not 16)");
  CHECK(extent({columns("8", true), columns("16", true)}).empty());
  INFO("the program's own size alone says nothing");
  CHECK(extent({columns("8", true)}).empty());
  CHECK(extent({columns("3", true),
                columns("2", false),
                {Aspect::sizes, "7", true, "rows"},
                {Aspect::sizes, "9", false, "rows"}}) == "≥ 3 columns (2 do not); ≤ 7 rows (9 do not)");
}

TEST_CASE("extent: numbers of threads are listed") {
  CHECK(extent({of(Aspect::threads, "2", true), of(Aspect::threads, "1", false), of(Aspect::threads, "8", true)}) ==
        "≥ 2 threads (not with 1)");
  CHECK(extent({of(Aspect::threads, "8", true), of(Aspect::threads, "1", false), of(Aspect::threads, "2", false)}) ==
        "≥ 8 threads (not with 1 or 2)");
  CHECK(extent({of(Aspect::threads, "2", true), of(Aspect::threads, "1", false), of(Aspect::threads, "8", false)}) ==
        "2 threads (not with 1 or 8)");
  CHECK(extent({of(Aspect::threads, "1", true), of(Aspect::threads, "8", false)}) == "one thread only");
  CHECK(extent({of(Aspect::threads, "1", true), of(Aspect::threads, "8", true)}).empty());
}

TEST_CASE("extent: an undecided trial is not an answer") {
  CHECK(extent({of(Aspect::operators, "amin", true), of(Aspect::operators, "amax", {})}).empty());
  CHECK(extent({of(Aspect::operators, "amin", false)}).empty());
  CHECK(extent({}).empty());
  CHECK(extent({of(Aspect::operators, "sum", false), of(Aspect::devices, "cuda", false), columns("3", true),
                columns("2", false)}) == "≥ 3 columns (2 do not)");
  INFO("tried twice, once in vain");
  CHECK(extent({of(Aspect::dtypes, "int8", false), of(Aspect::dtypes, "int8", true),
                of(Aspect::dtypes, "bool", false)}) == "int8 (not bool)");
  INFO("the program's own, with nothing against it");
  CHECK(extent({of(Aspect::dtypes, "int8", true)}).empty());
}
