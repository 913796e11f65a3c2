// parityd stats: worker time, what became of programs, what replies cost.
#include <re2/re2.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "agent/cli/reports/statistics.h"
#include "agent/duration.h"
#include "store/base/text.h"
#include "tests/agent/cli/command.h"
#include "tests/catch.h"
#include "tests/store/a_try.h"
#include "tests/store/fixture.h"

using namespace parityd;
using namespace parityd::tests;

namespace {

constexpr store::Millis kDay = 86'400'000;

store::Millis now() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

Ran stats(const std::filesystem::path& state, std::vector<std::string> words) {
  words.insert(words.begin(), "stats");
  return run_command(state, words);
}

/// A state folder of a daemon that worked today and, with another group, thirty days ago.
class Worked {
 public:
  Worked() : store_(folder_.database(), store::Access::write) {
    const store::Millis today = now();
    store_.workers.add_seconds(
        {{"gpu", "compile", 60}, {"gpu", "eager", 15}, {"gpu", "idle", 25}, {"cpu", "confirmation", 20}}, today);
    store_.workers.add_seconds({{"cpu", "idle", 5}}, today);
    store_.workers.add_seconds({{"old", "eager", 7}}, today - 30 * kDay);
    store::ReplyRow reply{
        .provider = "mine", .model = "m", .strategy = "views of views", .purpose = store::ReplyPurpose::generate};
    reply.reserved_at = today;
    reply.id = store_.replies.reserve(reply);
    added("a", oracle::VerdictKind::consistent, today, reply.id);
    added("b", oracle::VerdictKind::inconsistent, today + 30'000);
    added("c", oracle::VerdictKind::invalid, today + 60'000);
    added("d", oracle::VerdictKind::consistent, today - 30 * kDay);
    reply.state = store::ReplyState::answered;
    reply.prompt_tokens = 1'234'567'890'123;
    reply.cost_nano_dollars = 250'000'000;
    store_.replies.end(reply);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }
  [[nodiscard]] store::Store& store() { return store_; }

 private:
  void added(const std::string& identity, oracle::VerdictKind verdict, store::Millis at,
             std::optional<store::Id> reply = std::nullopt) {
    auto row = a_program(identity);
    row.reply = reply;
    row.created_at = at;
    row = tests::added(store_, row);
    row = finished(row, verdict);
    store_.programs.update(row);
  }

  Folder folder_;
  store::Store store_;
};

void check_screen(const std::string& text) {
  CAPTURE(text);
  CHECK(store::clean_text(text) == text);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) CHECK(store::characters(line) <= 100);
}

}  // namespace

TEST_CASE("stats --json has groups with shares, the funnel, rates and costs of the requested days") {
  const Worked worked;
  const auto json = nlohmann::json::parse(stats(worked.path(), {"--json"}).out);
  REQUIRE(json["groups"].size() == 2);
  const auto& cpu = json["groups"][0];
  CHECK(cpu["name"] == "cpu");
  CHECK(cpu["seconds"] == 25.0);
  CHECK(cpu["busy"] == 0.8);
  const auto& gpu = json["groups"][1];
  CHECK(gpu["seconds"] == 100.0);
  CHECK(gpu["busy"] == 0.75);
  CHECK(gpu["occupations"]["compile"] == nlohmann::json{{"seconds", 60.0}, {"share", 0.6}});
  CHECK(json["funnel"]["programs"] == 3);
  CHECK(json["funnel"]["valid"] == 2);
  CHECK(json["funnel"]["invalid"] == 1);
  CHECK(json["funnel"]["inconsistent"] == 1);
  CHECK(json["programs_per_minute"] == 3.0);
  CHECK(json["programs_per_worker_minute"].get<double>() > 1.43);
  CHECK(json["programs_per_worker_minute"].get<double>() < 1.45);
  REQUIRE(json["costs"].size() == 1);
  CHECK(json["costs"][0]["strategy"] == "views of views");
  CHECK(json["costs"][0]["dollars"] == 0.25);
  CHECK(json["costs"][0]["valid"] == 1);
  CHECK(json["costs"][0]["dollars_per_valid"] == 0.25);
  CHECK(json["costs"][0]["findings"] == 0);
  CHECK(json["costs"][0]["dollars_per_finding"].is_null());

  const auto all = nlohmann::json::parse(stats(worked.path(), {"--json", "--since", "60d"}).out);
  CHECK(all["groups"].size() == 3);
  CHECK(all["funnel"]["programs"] == 4);
}

TEST_CASE("stats prints at most 100 columns with the longest occupation first") {
  Worked worked;
  const Ran ran = stats(worked.path(), {});
  CHECK(ran.exit_code == 0);
  INFO(ran.out);
  check_screen(ran.out);
  CHECK(contains(ran.out,
                 "gpu    all             100.0  100.0 %  75.0 %\n"
                 "       compile          60.0   60.0 %\n"
                 "       idle             25.0   25.0 %\n"
                 "       eager            15.0   15.0 %\n"));
  CHECK(contains(ran.out, "valid              2   66.7 %  0 of them after a repair; 1 invalid\n"));
  CHECK(contains(ran.out, "3.0 a minute"));
  CHECK(contains(ran.out, "1234567890123"));
  CHECK(contains(ran.out, "0.2500"));
  CHECK(contains(ran.out, "mine      all             0.250000      1       0.250000         0            -\n"));
  worked.store().workers.add_seconds({{std::string(300, 'g') + "\x1b[2J", std::string(300, 'o'), 1e12}}, now());
  check_screen(stats(worked.path(), {}).out);
}

TEST_CASE("stats counts programs by mode and device") {
  const Folder folder;
  {
    store::Store store(folder.database(), store::Access::write);
    const auto cpu = store.environments.id_of({.torch = "2.13.0", .python = "3.11", .device = "cpu"});
    const auto screened = [&](const char* identity, oracle::Mode mode, oracle::VerdictKind verdict, int screens) {
      auto row = added(store, a_program(identity));
      if (verdict == oracle::VerdictKind::inconsistent) {
        row.state = store::ProgramState::confirming;
        store.programs.update(row);
      }
      row = finished(row, verdict);
      store.programs.update(row);
      for (int screen = 0; screen < screens; ++screen) {
        store.examinations.add({.program = row.id,
                                .purpose = store::Examination::screen,
                                .environment = cpu,
                                .evidence = {.compiled = mode},
                                .worker_seconds = 1.5,
                                .at = now()});
      }
      return row.id;
    };
    screened("a", oracle::Mode::exported, oracle::VerdictKind::consistent, 1);
    screened("b", oracle::Mode::exported, oracle::VerdictKind::excused, 1);
    const auto shows = screened("c", oracle::Mode::exported, oracle::VerdictKind::inconsistent, 2);
    screened("d", oracle::Mode::inductor, oracle::VerdictKind::consistent, 1);
    store.groups.add_occurrence(store.findings.add(a_finding(shows, "h")), shows, "the first", now());
  }
  CHECK(nlohmann::json::parse(stats(folder.path(), {"--json"}).out)["modes"] ==
        nlohmann::json::parse(R"([{"mode": "exported", "device": "cpu", "programs": 3, "excused": 1, "suspects": 1,
                                   "inconsistent": 1, "findings": 1, "screen_seconds": 1.5},
                                  {"mode": "inductor", "device": "cpu", "programs": 1, "excused": 0, "suspects": 0,
                                   "inconsistent": 0, "findings": 0, "screen_seconds": 1.5}])"));
  const Ran ran = stats(folder.path(), {});
  INFO(ran.out);
  check_screen(ran.out);
  CHECK(RE2::PartialMatch(ran.out, R"((?m)^exported +cpu +3 +1 +1 +1 +1 +1\.5$)"));
}

TEST_CASE("stats --strategies shows what was learnt about strategies and ignores rows of older versions") {
  Worked worked;
  const auto none = stats(worked.path(), {"--strategies"});
  CHECK(contains(none.out, "nothing has been chosen yet"));
  for (const auto& [name, reward] : std::map<std::string, double>{{"strategy/views", 9},
                                                                  {"strategy/dtypes", 1},
                                                                  {"program/new", 5},
                                                                  {"repair/dtype", 90},
                                                                  {"repair/shape", 0},
                                                                  {"parent/mutant, something new", 2}}) {
    worked.store().arms.set({.name = name, .reward = reward, .cost = 0.05, .pulls = 90}, now());
  }
  const Ran ran = stats(worked.path(), {"--strategies"});
  INFO(ran.out);
  check_screen(ran.out);
  CHECK(contains(ran.out, "Which strategy is asked"));
  CHECK_FALSE(contains(ran.out, "repair/dtype"));
  const auto json = nlohmann::json::parse(stats(worked.path(), {"--strategies", "--json"}).out)["arms"];
  REQUIRE(json.size() == 2);
  CHECK(json[0]["choice"] == "strategy");
  CHECK(json[0]["arm"] == "strategy/views");
  CHECK(json[0]["next_choice"].get<double>() > 0.9);
  CHECK(json[1]["arm"] == "strategy/dtypes");
  CHECK(json[1]["next_choice"].get<double>() < 0.1);
}

TEST_CASE("imported programs do not count towards the rate") {
  agent::Statistics imported;
  imported.counts.programs = 105;
  imported.active = 395;
  CHECK(imported.programs_per_minute() == 0);
  imported.active = 60'000;
  CHECK(imported.programs_per_minute() == 105);
}

TEST_CASE("stats of a folder without a database and stats of invalid spans fail") {
  const Folder empty;
  const Ran ran = stats(empty.path(), {});
  CHECK(ran.exit_code == 0);
  CHECK(contains(ran.out, "nothing has been run here yet"));
  const auto json = nlohmann::json::parse(stats(empty.path(), {"--json"}).out);
  CHECK(json["groups"].empty());
  CHECK(json["programs_per_minute"] == 0.0);
  CHECK(json["funnel"]["programs"] == 0);
  CHECK_FALSE(std::filesystem::exists(empty.database()));
  const Ran wrong = stats(empty.path(), {"--since", "yesterday"});
  CHECK(wrong.exit_code == 2);
  CHECK(contains(wrong.err, "7d"));
}

TEST_CASE("stats --coverage shows how much of each area was read") {
  const Folder folder;
  {
    store::Store store(folder.database(), store::Access::write);
    const auto program = added(store, a_program("one"));
    store.coverage.note(program.id, {"lowering:aten.sin.default"}, 1'000);
    const auto torch = store.sources.torch_id("2.13.0", 1'000);
    store.sources.put_file(torch, "a.py",
                           {{.file = "a.py", .name = "f", .area = "lowerings", .code = "1", .text = "def f(): 1\n"},
                            {.file = "a.py", .name = "g", .area = "lowerings", .code = "2", .text = "def g(): 2\n"}});
    store.sources.end_reading(torch, "all", {"a.py"}, 1'000);
    const auto reply = store.replies.reserve(
        {.provider = "p", .model = "m", .strategy = "source", .purpose = store::ReplyPurpose::generate});
    store.readings.add(
        {.reply = reply, .kind = "chapter", .chapter = "k", .torch = "2.13.0", .units = {{"a.py", "f", "1"}}});
  }
  CHECK(contains(stats(folder.path(), {"--coverage"}).out, "sources of torch 2.13.0"));
  const auto json = nlohmann::json::parse(stats(folder.path(), {"--coverage", "--json"}).out)["readings"];
  CHECK(json["torch"] == "2.13.0");
  REQUIRE(json["areas"].size() == 1);
  CHECK(json["areas"][0]["units"] == 2);
  CHECK(json["areas"][0]["read"] == 1);
}

TEST_CASE("stats --fixes shows what became of changes of torch by area, kind and model") {
  const Folder folder;
  CHECK(contains(stats(folder.path(), {"--fixes"}).out, "nothing has been run here yet"));
  CHECK(stats(folder.path(), {"--fixes", "--json"}).out == "{}\n");
  store::Store store(folder.database(), store::Access::write);
  CHECK(contains(stats(folder.path(), {"--fixes"}).out, "no model has been asked for a change of torch yet"));
  const auto program = added(store, finished(a_program("a"), oracle::VerdictKind::inconsistent));
  for (const char* const hash : {"one", "two", "three"}) store.findings.add(a_finding(program.id, hash));
  store.fixes.keep(a_failed_try(1, 1'000));
  store.fixes.keep(a_try(1, 2'000));
  store.fixes.keep(a_failed_try(2));
  store.fixes.keep({.finding = 3, .at = 1, .result = store::FixResult::not_python});
  const Ran ran = stats(folder.path(), {"--fixes"});
  CHECK(ran.exit_code == 0);
  INFO(ran.out);
  check_screen(ran.out);
  for (const char* const part : {"a model", "50 %", "0.1200", "1 breaks", "not python"}) {
    CAPTURE(part);
    CHECK(contains(ran.out, part));
  }
  const auto rows = nlohmann::json::parse(stats(folder.path(), {"--fixes", "--json"}).out)["fixes"];
  REQUIRE(rows.size() == 2);
  CHECK(rows[0] == nlohmann::json{{"area", "inductor"},
                                  {"kind", "numerical"},
                                  {"model", "a model"},
                                  {"findings", 2},
                                  {"accepted", 1},
                                  {"failed", {{"breaks", 1}}},
                                  {"tries", 3},
                                  {"dollars", 0.12},
                                  {"seconds", 286.5}});
  CHECK(rows[1]["failed"] == nlohmann::json{{"not_python", 1}});
  CHECK(stats(folder.path(), {"--fixes", "--coverage"}).exit_code == 2);
  CHECK(stats(folder.path(), {"--fixes", "--strategies"}).exit_code == 2);
}

TEST_CASE("days begin at midnight UTC") {
  CHECK(agent::start_of_day(0) == 0);
  CHECK(agent::start_of_day(kDay - 1) == 0);
  CHECK(agent::start_of_day(3 * kDay) == 3 * kDay);
}

TEST_CASE("spans of time are parsed") {
  using std::chrono::milliseconds;
  CHECK(agent::parse_duration("90s") == milliseconds(90'000));
  CHECK(agent::parse_duration("1.5m") == milliseconds(90'000));
  CHECK(agent::parse_duration("2h") == milliseconds(7'200'000));
  CHECK(agent::parse_duration("7d") == milliseconds(7 * kDay));
  CHECK(agent::parse_duration("4") == milliseconds(4'000));
  for (const char* text : {"", "d", "0d", "-1d", "nan", "inf", "1e300d", "1w", "1 d", "7d7", "0x10"}) {
    CAPTURE(text);
    CHECK_FALSE(agent::parse_duration(text));
  }
}
