// The part of a long function that matters for a program.
#include "agent/fixing/excerpt.h"

#include <fmt/format.h>

#include "tests/catch.h"
#include "tests/text.h"

using namespace parityd::agent;
using parityd::tests::contains;

namespace {

std::string function(int lines) {
  std::string text;
  for (int line = 0; line < lines; ++line) text += fmt::format("    line {}\n", 1000 + line);
  return text;
}

}  // namespace

TEST_CASE("excerpt: a long function is shown around the lines that only this program runs") {
  const std::string shown = excerpt_of(function(600), 1000, "1300-1302, 1310, 1599");
  CHECK(shown.starts_with("    line 1000\n"));
  CHECK(contains(shown, "    line 1014\n# … lines 1015 to 1279 are not shown\n    line 1280\n"));
  CHECK(contains(shown, "    line 1330\n# … lines 1331 to 1578 are not shown\n    line 1579\n"));
  CHECK(shown.ends_with("    line 1599\n"));
}

TEST_CASE("excerpt: a short function, and one of which no lines are known, are shown whole") {
  CHECK(excerpt_of(function(kLongFunction), 1000, "1001") == function(kLongFunction));
  CHECK(excerpt_of(function(600), 1000, "") == function(600));
}

TEST_CASE("excerpt: numbers that are none of the function's lines change nothing") {
  const std::string shown = excerpt_of(function(600), 1000, "7, x, 99999999999999999999, 2000-2010, 1500-1400");
  CHECK(shown == function(15) + "# … lines 1015 to 1599 are not shown\n");
}
