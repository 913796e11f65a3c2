// What PyTorch's debugging tools told: kept by content, the newest of a tool shown.
#include <SQLiteCpp/SQLiteCpp.h>

#include "tests/catch.h"
#include "tests/store/fixture.h"

using namespace parityd;
using namespace parityd::tests;

namespace {

store::InspectionRow told(store::Id finding, const std::string& tool, const std::string& text, store::Millis at = 1) {
  return {.finding = finding, .tool = tool, .torch = "2.13.0", .device = "cpu", .text = text, .at = at};
}

int blobs(const Folder& folder) {
  SQLite::Database database(folder.database().string(), SQLite::OPEN_READONLY);
  return database.execAndGet("SELECT count(*) FROM blobs").getInt();
}

}  // namespace

TEST_CASE("the newest text of a tool is shown and the same text is stored once") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  const auto program = added(store, finished(a_program("a"), oracle::VerdictKind::inconsistent));
  const auto one = store.findings.add(a_finding(program.id, "one"));
  const auto two = store.findings.add(a_finding(program.id, "two"));
  CHECK_FALSE(store.inspections.find(one, "guards"));
  store.inspections.add(told(one, "guards", "same"));
  store.inspections.add(told(two, "guards", "same"));
  CHECK(blobs(folder) == 1);
  store.inspections.add(told(one, "guards", "newer", 2));
  store.inspections.add(told(one, "trace", "other"));
  CHECK(blobs(folder) == 3);
  const auto newest = store.inspections.find(one, "guards");
  REQUIRE(newest);
  CHECK(newest->text == "newer");
  CHECK(newest->at == 2);
  CHECK(newest->torch == "2.13.0");
  CHECK(newest->hash.size() == 32);
  CHECK(store.inspections.find(two, "guards")->text == "same");
  CHECK(store.inspections.tools_run(one) == std::vector<std::string>{"guards", "trace"});
  CHECK_THROWS_AS(store.inspections.add(told(99, "guards", "x")), store::StoreError);
  CHECK(blobs(folder) == 3);
}

TEST_CASE("a draft has the variables that torch's bisector found if they reproduce the finding") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  const auto program = added(store, finished(a_program("a"), oracle::VerdictKind::inconsistent));
  const auto finding = store.findings.add(a_finding(program.id, "one"));
  store.drafts.set({.finding = finding, .title = "t", .body = "**Trace log**: _…_\n\nprogram\n", .repro = "r"});
  const auto body = [&] { return store.drafts.find(finding).value().body; };
  CHECK(body().find("bisector") == std::string::npos);
  CHECK(body().starts_with("**Trace log** (for the person who files this): not recorded yet;"));
  store.inspections.add(told(finding, "bisect", "found: backend inductor, in no single subsystem\n"));
  CHECK(body().find("bisector") == std::string::npos);
  const std::string line = "TORCH_BISECT_BACKEND=inductor TORCH_BISECT_SUBSYSTEM=lowerings TORCH_BISECT_MAX=0";
  const std::string heading = "== bisect of finding_7.py, torch 2.13.0 on cpu\n" + line + ": still wrong\n";
  const std::string found = "found: backend inductor, subsystem lowerings, number 0, counted from 0: relu\n";
  store.inspections.add(told(finding, "bisect", heading + found + "reproduce: " + line + "\n", 2));
  CHECK(body().find("backend inductor, subsystem lowerings, number 0, counted from 0: relu. To reproduce, in a process "
                    "that compiles only this program: `" +
                    line + "`.\n\nprogram") != std::string::npos);
  store.inspections.add(told(finding, "bisect", heading + found + "does not show it: " + line + "\n", 3));
  CHECK(body().find("bisector") == std::string::npos);
}

TEST_CASE("ready findings that lack a tool are inspected, the most severe first") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  const auto program = added(store, finished(a_program("a"), oracle::VerdictKind::inconsistent));
  auto row = a_finding(program.id, "minor");
  row.disposition.severity = 2;
  const auto minor = store.findings.add(row);
  row.signature.hash = "major";
  row.disposition.severity = 1;
  const auto major = store.findings.add(row);
  row.signature.hash = "held";
  row.disposition = oracle::held("stride");
  (void)store.findings.add(row);
  CHECK(store.inspections.to_inspect(2, 10) == std::vector<store::Id>{major, minor});
  CHECK(store.inspections.to_inspect(2, 1) == std::vector<store::Id>{major});
  store.inspections.add(told(major, "guards", "a"));
  store.inspections.add(told(major, "guards", "b"));
  CHECK(store.inspections.to_inspect(2, 10) == std::vector<store::Id>{major, minor});
  store.inspections.add(told(major, "trace", "c"));
  CHECK(store.inspections.to_inspect(2, 10) == std::vector<store::Id>{minor});
}

TEST_CASE("script runs belong to the current script, the latest for each torch") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  const auto program = added(store, finished(a_program("a"), oracle::VerdictKind::inconsistent));
  auto row = a_finding(program.id, "one");
  row.disposition = oracle::held("script");
  row.torch = "2.12.0";
  const auto finding = store.findings.add(row);
  CHECK(store.scripts.to_run() == std::vector<store::Id>{finding});
  const auto ran = [&](const std::string& torch, const std::string& text, const std::string& script) {
    auto told_by_script = told(finding, "", text);
    told_by_script.torch = torch;
    store.scripts.add_run(told_by_script, script);
  };
  const auto says = [&](std::size_t index) { return store.scripts.runs(finding).at(index).report.says; };
  CHECK(store.scripts.runs(finding).empty());
  store.drafts.set({.finding = finding, .title = "t", .body = "b", .repro = "print(1)"});
  ran("2.12.0", "cannot tell: a signal\n", "print(1)");
  ran("2.13.0", "shown\n", "print(1)");
  ran("2.12.0", "not shown\n", "print(1)");
  CHECK(store.scripts.runs(finding).size() == 2);
  CHECK(says(0) == oracle::ScriptSays::not_shown);
  CHECK(says(1) == oracle::ScriptSays::shown);
  store.drafts.set({.finding = finding, .title = "t", .body = "b", .repro = "print(2)"});
  CHECK(store.scripts.runs(finding).empty());
  CHECK(store.inspections.to_inspect(1, 10).empty());

  CHECK(store.scripts.torches_claimed(finding) == std::vector<std::string>{"2.12.0"});
  const auto rechecked = [&](store::RecheckResult result, bool elsewhere) {
    store.rechecks.add({.finding = finding, .torch = "2.13.0", .elsewhere = elsewhere, .result = result});
  };
  rechecked(store::RecheckResult::still, true);
  CHECK(store.scripts.torches_claimed(finding).size() == 1);
  rechecked(store::RecheckResult::still, false);
  rechecked(store::RecheckResult::cannot, false);
  CHECK(store.scripts.torches_claimed(finding) == std::vector<std::string>{"2.12.0", "2.13.0"});
  rechecked(store::RecheckResult::gone, false);
  CHECK(store.scripts.torches_claimed(finding).size() == 1);
}
