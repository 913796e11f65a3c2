// Rules 4 and 5: what eager_watched saw removes the leaves it reached, and nothing else.
#include "oracle/rules/allowances.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "oracle/finding/json.h"
#include "oracle/rules/excuses.h"
#include "oracle/rules/explain.h"
#include "tests/catch.h"
#include "tests/oracle/builders.h"

namespace parityd::oracle::test {
namespace {

/// A round in which `output[0]` and `output[1]` are wrong and one observation was made.
Evidence watched(const std::string& rule, const std::vector<std::string>& reached) {
  Evidence evidence = round_of();
  evidence.outcomes[Mode::eager_watched] = ran(0);
  evidence.outcomes[Mode::eager_watched].observations = {{rule, "aten.some_operator", 3, reached}};
  const std::vector<LeafMeasurement> wrong{off_leaf("output[0]", 1, Dtype::int64), off_leaf("output[1]", 1)};
  measure(evidence, Mode::eager, Mode::inductor, wrong);
  return evidence;
}

bool has_program(const std::string& name) {
  return std::filesystem::exists(std::filesystem::path(PARITYD_SOURCE_DIR) / "tests" / "programs" / (name + ".py"));
}

}  // namespace

TEST_CASE("each allowance excuses the leaves that it covers under its own name") {
  for (const Allowance& allowance : allowances()) {
    CAPTURE(allowance.name);
    const Evidence all = watched(std::string(allowance.name), {"output[0]", "output[1]"});
    CHECK(judge(all).verdict == VerdictKind::excused);
    CHECK(judge(all).rule == allowance.excuse);
    CHECK(judge(all).explanation.find(allowance.source) != std::string::npos);
    const Evidence one = watched(std::string(allowance.name), {"output[0]"});
    CHECK(judge(one).kind == Kind::numerical);
    CHECK(judge(one).leaves == std::vector<std::string>{"output[1]"});
    CHECK(judge(all, {std::string(allowance.excuse)}).leaves.size() == 2);
  }
}

TEST_CASE("each allowance has a source and two test programs") {
  for (const Allowance& allowance : allowances()) {
    CAPTURE(allowance.name);
    CHECK(allowance.source.starts_with("https://"));
    std::string name(allowance.excuse);
    name.replace(name.find('.'), 1, "_");
    CHECK(has_program("excused_" + name));
    CHECK(has_program("counted_" + name));
  }
}

TEST_CASE("an observation by an unknown rule excuses nothing") {
  CHECK(judge(watched("anything_goes", {"output[0]", "output[1]"})).kind == Kind::numerical);
}

TEST_CASE("observations before an exception do not count") {
  Evidence evidence = watched("cast_out_of_range", {"output[0]", "output[1]"});
  evidence.outcomes[Mode::eager_watched].kind = OutcomeKind::raised;
  CHECK(judge(evidence).kind == Kind::numerical);
}

TEST_CASE("undefined values remove leaves, never outcomes") {
  Evidence evidence = watched("cast_out_of_range", {"output[0]", "output[1]"});
  evidence.outcomes[Mode::inductor] = raised(Step::compile, "InductorError", "x");
  CHECK(judge(evidence).kind == Kind::behaviour);
  evidence.outcomes[Mode::inductor] = died(Step::forward, 11);
  CHECK(judge(evidence).kind == Kind::crash);
}

TEST_CASE("undefined memory that never repeats itself leaves the other leaves to be judged") {
  Evidence evidence = watched("uninitialised_memory", {"output[0]"});
  measure(evidence, Mode::eager, Mode::eager_repeat, {off_leaf("output[0]", 5), same_leaf("output[1]")});
  CHECK(judge(evidence).leaves == std::vector<std::string>{"output[1]"});
  evidence.measurements.back().leaves[1] = off_leaf("output[1]", 1e-9);
  CHECK(judge(evidence).verdict == VerdictKind::unstable);
}

TEST_CASE("a shape that depends on undefined values is excused, a dtype is not") {
  Evidence evidence = watched("cast_out_of_range", {"output[0]", "output[1]"});
  LeafMeasurement leaf = same_leaf("output[0]");
  leaf.shape_differs = true;
  evidence.measurements[0].leaves = {leaf};
  CHECK(judge(evidence).rule == "undefined.cast_out_of_range");
  evidence.measurements[0].leaves[0].dtype_differs = true;
  CHECK(judge(evidence).kind == Kind::metadata);
}

TEST_CASE("operators excuse whole programs only without observations") {
  Evidence evidence = watched("cast_out_of_range", {});
  evidence.outcomes[Mode::inductor].operators = {"aten.empty.memory_format"};
  CHECK(judge(evidence).kind == Kind::numerical);
  evidence.outcomes.erase(Mode::eager_watched);
  CHECK(judge(evidence).rule == "numbers.uninitialised");
  CHECK(judge(evidence, {"numbers.uninitialised"}).kind == Kind::numerical);
}

TEST_CASE("observations survive JSON and are explained") {
  const Evidence evidence = watched("tie_sort", {"output[0]"});
  const auto again = nlohmann::json(evidence).get<Evidence>();
  CHECK(judge(again).leaves == judge(evidence).leaves);
  REQUIRE(again.outcomes.at(Mode::eager_watched).observations.size() == 1);
  CHECK(again.outcomes.at(Mode::eager_watched).observations[0].elements == 3);
  CHECK(explain(again).find("tie_sort: 3 elements of aten.some_operator, which affect output[0]") != std::string::npos);
}

TEST_CASE("each excuse has one name") {
  std::set<std::string> names;
  for (const Excuse& excuse : excuses()) {
    CAPTURE(excuse.name);
    CHECK(names.insert(excuse.name).second);
    CHECK(!excuse.about.empty());
    CHECK(is_excuse(excuse.name));
  }
  CHECK(!is_excuse("numbers.double_run"));
}

}  // namespace parityd::oracle::test
