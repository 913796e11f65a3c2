// Requests as rows: what is written comes back, what older versions wrote is read, what nobody wrote is refused.
#include "agent/requests/request.h"

#include "tests/catch.h"

namespace parityd {
namespace {

using namespace agent::requests;

Request read_back(const Request& request) {
  const auto row = row_of(request, "somebody", 5);
  CHECK(row.command == command_of(request));
  CHECK(row.who == "somebody");
  CHECK(row.created_at == 5);
  const auto back = read(row);
  REQUIRE(back);
  CHECK(row_of(*back, "somebody", 5).arguments == row.arguments);
  return *back;
}

Request read_row(const std::string& command, const std::string& arguments) {
  const auto back = read({.command = command, .arguments = arguments, .who = {}});
  REQUIRE(back);
  return *back;
}

}  // namespace

TEST_CASE("requests are restored from rows") {
  CHECK(std::holds_alternative<Stop>(read_back(Stop{})));
  const auto line = std::get<Import>(
      read_back(Import{.file = "a.jsonl:3", .text = "t\xFF", .line = true, .options_json = R"({"train": true})"}));
  CHECK(line.line);
  CHECK(line.options_json == R"({"train": true})");
  const auto decision = std::get<Triage>(
      read_back(Triage{{.finding = 7, .status = "wontfix", .issue = {}, .note = "no", .checked = "all", .who = {}}}));
  CHECK(decision.row.finding == 7);
  CHECK(decision.row.checked == "all");
  CHECK(std::get<Merge>(read_back(Merge{.finding = 2, .into = 1, .note = "n"})).into == 1);
  CHECK(std::get<Split>(read_back(Split{.finding = 2, .programs = {3, 4}, .note = "n"})).programs.size() == 2);
  CHECK_FALSE(std::get<Undo>(read_back(Undo{})).change);
  CHECK(std::get<Undo>(read_back(Undo{9})).change == 9);
  CHECK(std::get<NoteBackup>(read_back(NoteBackup{.done = {}, .failed = "no space"})).failed == "no space");
  const store::InspectionRow told{
      .finding = 1, .tool = "guards", .torch = "2.13.0", .device = "cpu", .text = "said", .hash = {}};
  CHECK(std::get<KeepInspection>(read_back(KeepInspection{told})).row.text == "said");
  const auto known = std::get<TakeKnown>(
      read_back(TakeKnown{.issues = {}, .source = store::KnownSource::guess, .as_of = 1'700'000'000'000}));
  CHECK(known.source == store::KnownSource::guess);
  CHECK(known.as_of == 1'700'000'000'000);
}

TEST_CASE("a recheck is restored from a request") {
  const store::RecheckRow row{.finding = 7,
                              .torch = "2.15.0",
                              .python = "3.12",
                              .device = "cuda",
                              .device_name = "a model",
                              .elsewhere = true,
                              .newest = true,
                              .result = store::RecheckResult::gone,
                              .hits = 0,
                              .rounds = 3,
                              .reason = "consistent in 3 of 3 rounds",
                              .who = "",
                              .at = 99};
  const auto back = std::get<KeepRecheck>(read_back(KeepRecheck{row})).row;
  CHECK(back.result == store::RecheckResult::gone);
  CHECK(back.elsewhere);
  CHECK(back.at == 99);
}

TEST_CASE("a change is restored from a request") {
  const store::FixTry row{.finding = 7,
                          .at = 99,
                          .result = store::FixResult::breaks,
                          .why = "2 of 40 samples",
                          .model = "m",
                          .nano_dollars = 5,
                          .reply = "said",
                          .functions = {"torch/_inductor/lowering.py:cat"},
                          .checks = {{.name = "samples", .result = store::FixResult::breaks, .failing = {"add/3"}}}};
  const auto back = std::get<KeepFix>(read_back(KeepFix{row})).row;
  CHECK(back.result == store::FixResult::breaks);
  CHECK(back.nano_dollars == 5);
  CHECK(back.checks.at(0).failing == std::vector<std::string>{"add/3"});
}

TEST_CASE("rows of older versions are read") {
  const auto program = std::get<Import>(read_row("import", R"({"file": "a.py", "text": "x = 1\n"})"));
  CHECK(program.text == "x = 1\n");
  CHECK_FALSE(program.line);
  CHECK_FALSE(program.options_json);
  CHECK(std::holds_alternative<Stop>(read_row("stop", "")));
  CHECK(std::get<Triage>(read_row("triage", R"({"finding": 3, "status": "fixed"})")).row.status == "fixed");
  const auto recheck = std::get<KeepRecheck>(
      read_row("recheck", R"({"finding": 7, "torch": "2.14.0", "python": "3.12", "device": "cpu", "newest": true,
                     "result": "still", "hits": 3, "rounds": 3, "reason": "all", "at": 4})"));
  CHECK(recheck.row.device_name.empty());
  CHECK_FALSE(recheck.row.elsewhere);
}

TEST_CASE("a row that is not a valid request is answered with the reason") {
  const auto result = [](const std::string& command, const std::string& arguments) {
    const auto back = read({.command = command, .arguments = arguments, .who = {}});
    return back ? "read" : back.error();
  };
  CHECK(result("dance", "{}") == "unknown command dance");
  for (const char* broken : {"", "[]", R"({"finding": 1, "result": "perhaps"})"}) {
    CHECK(result("recheck", broken) == "no recheck of a finding in it");
    CHECK(result("merge", broken).starts_with("refused: "));
    CHECK(result("known", broken) == "no known issues in it");
  }
  CHECK(result("known", R"({"lines": ["no issue"], "guess": false, "as_of": null})") == "no known issues in it");
  CHECK(result("triage", R"({"finding": "seven"})") == "no decision in it");
  CHECK(result("import", R"({"text": 7})") == "no program in it");
  CHECK(result("inspection", "null") == "no such tool or finding");
  CHECK(result("fix", R"({"finding": 7})") == "no change for a finding in it");
  CHECK(result("backup", "[]") == "no backup in it");
}

}  // namespace parityd
