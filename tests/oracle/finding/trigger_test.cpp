#include "oracle/finding/extent.h"

#include "tests/catch.h"
#include "tests/oracle/builders.h"

namespace parityd::oracle::test {
namespace {

Verdict inconsistent(Kind kind) { return {VerdictKind::inconsistent, kind, "numbers.double_run", "", {"output"}}; }

}  // namespace

TEST_CASE("each trigger has a name") {
  for (const Trigger trigger : {Trigger::unknown, Trigger::ordinary, Trigger::config, Trigger::edge})
    CHECK(from_name<Trigger>(name(trigger)) == trigger);
  CHECK(!from_name<Trigger>("far").has_value());
}

TEST_CASE("three seeds run under default settings, then three under the program's own if it has any") {
  CHECK(trigger_trials(false).size() == 3);
  const auto trials = trigger_trials(true);
  REQUIRE(trials.size() == 6);
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(trials[i].default_settings == (i < 3));
    CHECK(trials[i].seed == i % 3 + 1);
  }
}

TEST_CASE("trials end with the first that shows the finding, else with the last") {
  struct Case {
    std::vector<bool> shown;
    bool has_settings;
    std::optional<Trigger> trigger;
  };
  const std::vector<Case> cases{
      {{}, false, std::nullopt},
      {{false, false}, false, std::nullopt},
      {{true}, true, Trigger::ordinary},
      {{false, false, true}, false, Trigger::ordinary},
      {{false, false, false}, false, Trigger::edge},
      {{false, false, false}, true, std::nullopt},
      {{false, false, false, true}, true, Trigger::config},
      {{false, false, false, false, false, true}, true, Trigger::config},
      {{false, false, false, false, false, false}, true, Trigger::edge},
  };
  for (const Case& each : cases) {
    CAPTURE(each.shown.size());
    CHECK(trigger_after(each.shown, each.has_settings) == each.trigger);
  }
}

TEST_CASE("a trial shows a finding by the same kind with inputs that are really ordinary") {
  const Verdict finding = inconsistent(Kind::numerical);
  Evidence evidence = round_of();
  CHECK(shows(finding, inconsistent(Kind::numerical), evidence));
  CHECK(!shows(finding, inconsistent(Kind::behaviour), evidence));
  CHECK(!shows(finding, {VerdictKind::excused, std::nullopt, "numbers.noise", "", {}}, evidence));
  evidence.inputs.zero_size = true;
  CHECK(!shows(finding, inconsistent(Kind::numerical), evidence));
}

}  // namespace parityd::oracle::test
