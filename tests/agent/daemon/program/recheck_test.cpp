// What rounds under another torch say together.
#include "agent/daemon/program/recheck.h"

#include "tests/catch.h"

using namespace parityd;
using agent::Examined;
using agent::Recheck;
using oracle::Kind;
using oracle::Mode;
using oracle::VerdictKind;
using store::RecheckResult;

namespace {

oracle::Shown shown(Kind kind, const std::string& error_class = "") {
  oracle::Shown made;
  made.verdict = {.verdict = VerdictKind::inconsistent, .kind = kind, .rule = "a.rule", .explanation = "it differs"};
  made.evidence.compiled = Mode::inductor;
  if (!error_class.empty()) {
    oracle::Outcome outcome{.kind = oracle::OutcomeKind::raised};
    outcome.error.emplace().inner_class = error_class;
    made.evidence.outcomes[kind == Kind::missing_check ? Mode::eager : Mode::inductor] = outcome;
  }
  return made;
}

oracle::Shown values(oracle::Dtype dtype) {
  oracle::Shown made = shown(Kind::numerical);
  made.verdict.leaves = {"output"};
  oracle::LeafMeasurement leaf{.path = "output"};
  leaf.dtype = dtype;
  made.evidence.measurements = {{.expected = Mode::eager, .actual = Mode::inductor, .leaves = {leaf}}};
  return made;
}

oracle::Shown judged(VerdictKind verdict, const std::string& explanation) {
  oracle::Shown made;
  made.verdict = {.verdict = verdict, .rule = "a.rule", .explanation = explanation};
  return made;
}

Examined round(const oracle::Shown& saw) {
  Examined examined;
  examined.what = agent::Examination::recheck;
  examined.verdict = saw.verdict;
  examined.evidence = saw.evidence;
  return examined;
}

store::RecheckRow after(const oracle::Shown& known, const std::vector<oracle::Shown>& rounds) {
  Recheck recheck(known, static_cast<int>(rounds.size()));
  for (const auto& saw : rounds) {
    CHECK_FALSE(recheck.done());
    recheck.on_result(round(saw));
  }
  CHECK(recheck.done());
  return recheck.result();
}

}  // namespace

TEST_CASE("all rounds inconsistent means still, all consistent means gone, a mixture means different") {
  const auto known = shown(Kind::numerical);
  const auto fine = judged(VerdictKind::consistent, "");
  auto row = after(known, {known, known, known});
  CHECK(row.result == RecheckResult::still);
  CHECK(row.hits == 3);
  CHECK(row.reason == "3 of 3 rounds show it");
  row = after(known, {fine, fine, fine});
  CHECK(row.result == RecheckResult::gone);
  CHECK(row.hits == 0);
  CHECK(row.reason == "consistent in 3 of 3 rounds");
  row = after(known, {fine, known, fine});
  CHECK(row.result == RecheckResult::different);
  CHECK(row.hits == 1);
  CHECK(row.reason == "1 of 3 rounds show it");
}

TEST_CASE("another kind, another error and an invalid program are reported as different") {
  const auto kind = after(shown(Kind::numerical), {shown(Kind::behaviour, "ValueError")});
  CHECK(kind.result == RecheckResult::different);
  CHECK(kind.reason == "a different kind there, behaviour: it differs");
  const auto error = after(shown(Kind::behaviour, "AssertionError"), {shown(Kind::behaviour, "ValueError")});
  CHECK(error.result == RecheckResult::different);
  CHECK(error.reason == "a different error there, ValueError: it differs");
  const auto invalid = after(shown(Kind::numerical), {judged(VerdictKind::invalid, "eager raises TypeError")});
  CHECK(invalid.result == RecheckResult::different);
  CHECK(invalid.reason == "invalid there: eager raises TypeError");
  const auto excused = after(shown(Kind::numerical), {judged(VerdictKind::excused, "a tie")});
  CHECK(excused.result == RecheckResult::different);
}

TEST_CASE("rounds that are consistent or excused show no fault, any other round does") {
  const auto known = shown(Kind::numerical);
  const auto faultless = [&](const oracle::Shown& second) {
    Recheck recheck(known, 2);
    recheck.on_result(round(judged(VerdictKind::consistent, "")));
    recheck.on_result(round(second));
    return recheck.faultless();
  };
  CHECK(faultless(judged(VerdictKind::consistent, "")));
  CHECK(faultless(judged(VerdictKind::excused, "rounding")));
  CHECK_FALSE(faultless(known));
  CHECK_FALSE(faultless(judged(VerdictKind::invalid, "eager raises TypeError")));
}

TEST_CASE("messages and frames may differ between torch versions, classes may not") {
  auto known = shown(Kind::behaviour, "AssertionError"), there = known;
  known.evidence.outcomes[Mode::inductor].error->message = "one thing";
  there.evidence.outcomes[Mode::inductor].error->message = "said otherwise";
  there.evidence.outcomes[Mode::inductor].error->compiler_frame = "moved.py:elsewhere";
  CHECK(after(known, {there}).result == RecheckResult::still);
  CHECK(after(shown(Kind::missing_check, "IndexError"), {shown(Kind::missing_check, "IndexError")}).result ==
        RecheckResult::still);
  CHECK(after(shown(Kind::missing_check, "IndexError"), {shown(Kind::missing_check, "RuntimeError")}).result ==
        RecheckResult::different);
  CHECK(after(values(oracle::Dtype::float32), {values(oracle::Dtype::float64)}).result == RecheckResult::still);
  CHECK(after(values(oracle::Dtype::float32), {values(oracle::Dtype::int64)}).result == RecheckResult::different);
}

TEST_CASE("a harness failure ends a recheck without a result") {
  Recheck recheck(shown(Kind::numerical), 3);
  Examined failed = round(shown(Kind::numerical));
  failed.harness_failure = "no worker";
  recheck.on_result(failed);
  REQUIRE(recheck.done());
  CHECK(recheck.result().result == RecheckResult::cannot);
  CHECK(recheck.result().reason.find("no worker") != std::string::npos);
}

TEST_CASE("elsewhere is another kind of device, or another model on the same torch") {
  const store::FindingRow found{.device = "cuda", .torch = "2.13.0"};
  const auto row = [](const std::string& device, const std::string& model, const std::string& torch) {
    return store::RecheckRow{.torch = torch, .device = device, .device_name = model};
  };
  CHECK(agent::is_elsewhere(row("cpu", "Xeon", "2.13.0"), found, "H200"));
  CHECK(agent::is_elsewhere(row("cpu", "Xeon", "2.14.0"), found, "H200"));
  CHECK(agent::is_elsewhere(row("cuda", "H100", "2.13.0"), found, "H200"));
  CHECK_FALSE(agent::is_elsewhere(row("cuda", "H100", "2.14.0"), found, "H200"));  // what another torch does there
  CHECK_FALSE(agent::is_elsewhere(row("cuda", "H200", "2.13.0"), found, "H200"));
  CHECK_FALSE(agent::is_elsewhere(row("cuda", "", "2.13.0"), found, "H200"));
  CHECK_FALSE(agent::is_elsewhere(row("cuda", "H200", "2.13.0"), found, ""));
}

TEST_CASE("the newest torch is the configured one, else the newest known one") {
  CHECK(agent::is_newest("2.13.0", "2.13.0", {"2.15.0"}));
  CHECK_FALSE(agent::is_newest("2.15.0", "2.13.0", {}));
  CHECK(agent::is_newest("2.15.0", "", {"2.13.0", "2.15.0"}));
  CHECK_FALSE(agent::is_newest("2.13.0", "", {"2.13.0", "2.15.0.dev20260101"}));
}
