// parityd rejudge over a database with stored rounds.
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "agent/daemon/loop/wall_clock.h"
#include "oracle/rules/verdict.h"
#include "tests/agent/cli/command.h"
#include "tests/catch.h"
#include "tests/oracle/builders.h"
#include "tests/store/fixture.h"

using namespace parityd;
using namespace parityd::tests;
using oracle::Mode;

namespace {

Ran rejudge(const Folder& folder, std::vector<std::string> words = {}, const std::string& settings = "") {
  const auto config = folder.path() / "parityd.toml";
  std::ofstream(config) << settings;
  words.insert(words.begin(), "rejudge");
  return run_command(folder.path(), words, config);
}

/// A round whose leaf agrees under precision casts: an excuse that a program keeps its evidence for.
store::EvidenceRow excused_round(store::Id program) {
  store::EvidenceRow row{.program = program, .purpose = store::Examination::confirmation, .round = 1};
  row.evidence = oracle::test::round_of();
  oracle::test::measure(row.evidence, Mode::eager, Mode::inductor, {oracle::test::off_leaf("output", 1)});
  oracle::test::measure(row.evidence, Mode::eager, Mode::inductor_precise, {oracle::test::same_leaf("output")});
  row.verdict = oracle::judge(row.evidence);
  return row;
}

/// A ready finding's script has shown it on its torch.
void show_by_script(store::Store& store, store::Id finding) {
  const std::string script = "raise SystemExit(0)\n";
  store.drafts.set({.finding = finding, .title = "t", .body = "b", .repro = script, .created_at = 1});
  store.scripts.add_run({.finding = finding, .torch = "2.13.0", .device = "cpu", .text = "shown\n"}, script);
}

}  // namespace

TEST_CASE("rejudge prints nothing for unchanged verdicts and shows what another excuse would change") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  const auto program = added(store, a_program("a"));
  const auto row = excused_round(program.id);
  REQUIRE(row.verdict.verdict == oracle::VerdictKind::excused);
  store.examinations.add(row);
  store::EvidenceRow screen{.program = program.id, .purpose = store::Examination::screen};
  screen.evidence = oracle::test::round_of();
  oracle::test::measure(screen.evidence, Mode::eager, Mode::inductor, {oracle::test::same_leaf("output")});
  screen.evidence.graphs = {.seen = 5, .interpreted = 1};
  screen.verdict = oracle::without_compiling(oracle::screen(screen.evidence), screen.evidence.graphs);
  REQUIRE(screen.verdict.rule == oracle::kInterpreted);
  store.examinations.add(screen);
  const Ran unchanged = rejudge(folder);
  CHECK(unchanged.exit_code == 0);
  CHECK(unchanged.out ==
        "2 stored examinations judged again: 0 verdicts and 0 dispositions of findings would change; nothing was "
        "changed\n");
  const Ran changed =
      rejudge(folder, {"--without", row.verdict.rule, "--without", "numbers.rounding_mostly", "--json"});
  CHECK(changed.exit_code == 1);
  const auto json = nlohmann::json::parse(changed.out);
  REQUIRE(json.at("changes").size() == 1);
  CHECK(json["changes"][0]["program"] == program.id);
  CHECK(json["changes"][0]["before"] == "excused " + row.verdict.rule);
  CHECK(json["changes"][0]["after"].get<std::string>().starts_with("inconsistent (numerical) "));
  CHECK(json["changes"][0]["finding"].is_null());
}

TEST_CASE("rejudge shows findings whose disposition would change") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  const auto program = added(store, a_program("a"));
  auto row = excused_round(program.id);
  row.evidence.measurements.pop_back();
  row.evidence.inputs.non_finite = true;
  row.verdict = oracle::judge(row.evidence);
  REQUIRE(row.verdict.verdict == oracle::VerdictKind::inconsistent);
  store.examinations.add(row);
  CHECK(store.examinations.of(program.id).front().evidence.inputs.non_finite);
  auto finding = a_finding(program.id, "one");
  finding.trigger = oracle::Trigger::edge;
  finding.side = oracle::Side::compiled;
  const auto id = store.findings.add(finding);
  CHECK(store.findings.find(id)->trigger == oracle::Trigger::edge);
  CHECK(store.findings.find(id)->side == oracle::Side::compiled);
  const Ran ran = rejudge(folder);
  CHECK(ran.exit_code == 1);
  CHECK(ran.out.find("finding 1: ready -> held(edge)\n  row edge of the disposition table") != std::string::npos);
}

TEST_CASE("rejudge uses what the daemon uses: rounds, other torches, age of the known issues, a person's decision") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  const auto held = [&](const std::string& disposition, int hits = 3) {
    const auto program = added(store, a_program(disposition));
    auto row = excused_round(program.id);
    row.evidence.measurements.pop_back();
    row.verdict = oracle::judge(row.evidence);
    store.examinations.add(row);
    auto finding = a_finding(program.id, disposition);
    finding.disposition = oracle::disposition_from_text(disposition).value();
    finding.hits = hits;
    return store.findings.add(finding);
  };
  const auto say = [&](store::Id finding, store::RecheckResult result) {
    store.rechecks.add({.finding = finding, .torch = "9.9", .device = "cpu", .newest = true, .result = result});
  };
  (void)held("held(flaky)", 2);
  (void)held("held(split)");
  (void)held("held(tampered)");
  (void)held("held(stale)");
  CHECK(rejudge(folder).exit_code == 0);

  store.known.put({}, store::KnownSource::facts, agent::wall_clock());
  const std::string newest = "[versions]\nnewest = \"/a/python\"\n";
  say(held("held(fixed)"), store::RecheckResult::gone);
  say(held("held(different)"), store::RecheckResult::different);
  const auto ready = held("ready");
  say(ready, store::RecheckResult::still);
  show_by_script(store, ready);
  const Ran ran = rejudge(folder, {}, newest);
  CAPTURE(ran.out);
  CHECK(ran.out.starts_with("finding 4: held(stale) -> held(untried)\n"));
  CHECK(ran.out.find("1 dispositions of findings would change") != std::string::npos);
}

TEST_CASE("rejudge judges the reduced program if that was confirmed") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  store.known.put({}, store::KnownSource::facts, agent::wall_clock());
  const auto program = added(store, a_program("a"));
  auto row = excused_round(program.id);
  row.evidence.measurements.pop_back();
  row.evidence.inputs.non_finite = true;  // the whole program's alone
  row.verdict = oracle::judge(row.evidence);
  store.examinations.add(row);
  row.purpose = store::Examination::final_confirmation;
  row.evidence.inputs.non_finite = false;
  store.examinations.add(row);
  show_by_script(store, store.findings.add(a_finding(program.id, "one")));
  const Ran ran = rejudge(folder);
  CAPTURE(ran.out);
  CHECK(ran.exit_code == 0);
}
