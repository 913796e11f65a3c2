// The answer of the tool `fired`, and what is switched off between two of them.
#include "agent/fixing/fired.h"

#include "tests/catch.h"

using namespace parityd;
using namespace parityd::agent;

namespace {

constexpr const char* kAnswer =
    R"({"functions": [{"file": "torch/_inductor/lowering.py", "name": "cat", "first_line": 7, "last_line": 9, "calls": 2,
        "common": false, "operators": ["aten.cat"], "kind": "lowering"}], "counts": {"lowering:aten.cat": 2, "kernels": 1}})";

/// The answer on one line, as the tool writes it, after what the program printed.
std::string told(std::string answer = kAnswer) {
  std::erase(answer, '\n');
  return "printed by the program\n" + answer + "\n";
}

Fired counting(std::map<std::string, std::int64_t> counts) { return {.functions = {}, .counts = std::move(counts)}; }

}  // namespace

TEST_CASE("fired: the last line of the tool's text is read") {
  const auto fired = read_fired(told());
  REQUIRE(fired);
  REQUIRE(fired->functions.size() == 1);
  CHECK(fired->functions.front().place() == "torch/_inductor/lowering.py:cat");
  CHECK(fired->functions.front().operators == std::vector<std::string>{"aten.cat"});
  CHECK(fired->counts.at("kernels") == 1);
}

TEST_CASE("fired: a text without an answer is an error") {
  for (const std::string text :
       {"", "killed\n", "{", "[]", "{\"functions\": []}", R"({"functions": [{}], "counts": {}})"}) {
    CAPTURE(text);
    CHECK_FALSE(read_fired(text));
  }
}

TEST_CASE("fired: a rewrite that no longer matches is switched off, one that matches less often is not") {
  const auto before = counting({{"rewrite:mm_plus_mm", 1}, {"lowering:aten.add", 4}, {"kernels", 2}});
  CHECK(switched_off(before, before).empty());
  CHECK(switched_off(before, counting({{"rewrite:mm_plus_mm", 1}, {"lowering:aten.add", 1}, {"kernels", 3}})).empty());
  const auto off = switched_off(before, counting({{"lowering:aten.add", 5}, {"kernels", 3}}));
  REQUIRE(off.size() == 1);
  CHECK(off.front().told == "rewrite:mm_plus_mm: 1 before, none with the change");
}

TEST_CASE("fired: a new fallback or graph break is the compiler giving up") {
  const auto off = switched_off(counting({{"fallback:aten.topk", 1}}),
                                counting({{"fallback:aten.topk", 1}, {"fallback:aten.cat", 2}, {"graph_breaks", 1}}));
  REQUIRE(off.size() == 2);
  CHECK(off[0].told == "fallback:aten.cat: 0 before, 2 with the change");
  CHECK(switched_off(counting({{"fallback:aten.cat", 1}}), counting({})).empty());  // now it is compiled
}

TEST_CASE("fired: what was switched off for one program still fires for another one that is as before") {
  const auto off = switched_off(counting({{"rewrite:mm_plus_mm", 1}}), counting({{"fallback:aten.mm", 1}}));
  REQUIRE(off.size() == 2);
  const auto both = counting({{"rewrite:mm_plus_mm", 1}});
  CHECK(still_fires(off[0], both, both));
  CHECK_FALSE(still_fires(off[0], both, counting({})));
  INFO("a program for which it never fired says nothing");
  CHECK_FALSE(still_fires(off[0], counting({}), counting({})));
  CHECK(still_fires(off[1], both, both));
  CHECK_FALSE(still_fires(off[1], both, counting({{"fallback:aten.mm", 1}})));
}
