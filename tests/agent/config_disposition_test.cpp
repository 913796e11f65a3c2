#include "agent/config.h"
#include "tests/catch.h"
#include "tests/text.h"

using namespace parityd::agent;

namespace {

std::string only_error(const std::string& text) {
  const auto config = parse_config(text, "c.toml");
  REQUIRE_FALSE(config);
  REQUIRE(config.error().size() == 1);
  return config.error().front();
}

using parityd::tests::contains;

}  // namespace

TEST_CASE("[disposition] overrides rows of the table by name") {
  const auto config =
      parse_config("[disposition]\nstrides = \"ready(2)\"\nedge = \"pass\"\nlost_check = \"held(mine)\"\n", "c.toml");
  REQUIRE(config);
  REQUIRE(config->dispositions.size() == 3);
  CHECK(config->dispositions.at("strides")->severity == 2);
  CHECK(config->dispositions.at("lost_check")->text() == "held(mine)");
  CHECK_FALSE(config->dispositions.at("edge").has_value());
  CHECK(parse_config("", "c.toml")->dispositions.empty());
}

TEST_CASE("an invalid value in [disposition] is reported with its line") {
  const auto unknown = only_error("[disposition]\nstride = \"ready(1)\"\n");
  CHECK(contains(unknown, "c.toml:2: disposition.stride: no such key; did you mean strides?"));
  const auto word = only_error("[disposition]\nedge = \"later\"\n");
  CHECK(contains(word,
                 "c.toml:2: disposition.edge: \"later\" is not a disposition; expected ready(1) to ready(5), "
                 "umbrella(ISSUE), known(ISSUE), held(REASON) or pass"));
  CHECK(contains(only_error("[disposition]\nedge = \"\"\n"), "is not a disposition"));
  CHECK(contains(only_error("[disposition]\nwrong = \"pass\"\n"), "cannot be \"pass\""));
  CHECK(contains(only_error("[disposition]\nedge = 1\n"), "expected a string"));
}
