#include <sstream>

#include "oracle/rules/excuses.h"
#include "oracle/rules/explain.h"
#include "oracle/rules/verdict.h"
#include "tests/catch.h"
#include "tests/oracle/builders.h"
#include "tests/text.h"

namespace parityd::oracle::test {
namespace {

Evidence wrong(double in_double) {
  Evidence evidence = round_of();
  measure(evidence, Mode::eager, Mode::inductor, {off_leaf("output", 0.5)});
  measure(evidence, Mode::eager, Mode::inductor_precise, {off_leaf("output", 0.5)});
  measure(evidence, Mode::reference, Mode::inductor_fp64, {off_leaf("output", in_double, Dtype::float64)});
  return evidence;
}

using parityd::tests::contains;

}  // namespace

TEST_CASE("the reasoning names the deciding rule and the numbers it used") {
  for (const double in_double : {0.5, 1e-16}) {
    const Evidence evidence = wrong(in_double);
    const std::string text = reasoning(evidence);
    const Verdict verdict = judge(evidence);
    const bool reported = verdict.verdict == VerdictKind::inconsistent;
    CHECK(contains(text, std::string("output: ") + (reported ? "reported" : "excused") + " by " + verdict.rule));
    CHECK(contains(text, "under precision casts?  max 0.5, rms 0.5; differs"));
    CHECK(contains(text, in_double == 0.5 ? "rms 0.5; differs" : "1e-16; agrees"));
  }
}

TEST_CASE("a disabled excuse decides nothing") {
  const Evidence evidence = wrong(1e-16);
  const std::string rule = judge(evidence).rule;
  CHECK(contains(reasoning(evidence, {rule}), "reported by"));
}

TEST_CASE("reasoning fits 100 columns and is empty if nothing differs") {
  std::istringstream lines(reasoning(wrong(0.5)));
  for (std::string each; std::getline(lines, each);) CHECK(each.size() <= 110);
  Evidence equal = round_of();
  measure(equal, Mode::eager, Mode::inductor, {same_leaf("output")});
  CHECK(reasoning(equal).empty());
}

}  // namespace parityd::oracle::test
