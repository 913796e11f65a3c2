// Changes of torch that a language model proposed: kept with their finding, counted by what became of them.
#include <SQLiteCpp/SQLiteCpp.h>

#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/store/a_try.h"
#include "tests/store/fixture.h"

using namespace parityd;
using namespace parityd::tests;
using store::FixResult;

namespace {

/// A store with two ready findings, the second more severe.
struct Scene {
  Scene() : store(folder.database(), store::Access::write) {
    program = added(store, finished(a_program("a"), oracle::VerdictKind::inconsistent)).id;
    auto row = a_finding(program, "minor");
    row.disposition.severity = 2;
    minor = store.findings.add(row);
    major = store.findings.add(a_finding(program, "major"));
  }
  [[nodiscard]] std::int64_t blobs() const {
    SQLite::Database database(folder.database().string(), SQLite::OPEN_READONLY);
    return database.execAndGet("SELECT count(*) FROM blobs").getInt64();
  }
  void edit(const std::string& sql) const {
    SQLite::Database(folder.database().string(), SQLite::OPEN_READWRITE).exec(sql);
  }

  Folder folder;
  store::Store store;
  store::Id program = 0, minor = 0, major = 0;
};

}  // namespace

TEST_CASE("a try of a change is read as it was kept, the oldest first, and the newest accepted one is found") {
  Scene scene;
  auto& fixes = scene.store.fixes;
  CHECK(fixes.of(scene.minor).empty());
  CHECK_FALSE(fixes.accepted(scene.minor));
  fixes.keep(a_try(scene.minor, 2'000));
  fixes.keep(a_failed_try(scene.minor, 1'000));
  const auto tries = fixes.of(scene.minor);
  REQUIRE(tries.size() == 2);
  CHECK(tries[0].result == FixResult::breaks);
  auto expected = a_try(scene.minor, 2'000);
  expected.id = tries[1].id;
  CHECK(tries[1].id != 0);
  CHECK(store::fix_json(tries[1]) == store::fix_json(expected));
  CHECK(fixes.accepted(scene.minor)->id == expected.id);
  fixes.keep(a_try(scene.minor, 3'000));
  CHECK(fixes.accepted(scene.minor)->at == 3'000);
  CHECK(fixes.of(scene.major).empty());
  CHECK(scene.blobs() == 3);  // the same texts
}

TEST_CASE("a try that was asked at the same time replaces the one before") {
  Scene scene;
  auto& fixes = scene.store.fixes;
  store::FixTry asked{.finding = scene.minor, .at = 1'000, .nano_dollars = 9, .torch = "2.13.0", .device = "cpu"};
  fixes.keep(asked);
  CHECK(fixes.of(scene.minor).at(0).result == FixResult::asked);
  CHECK(scene.blobs() == 0);
  const auto id = fixes.of(scene.minor).at(0).id;
  fixes.keep(a_try(scene.minor, 1'000));
  REQUIRE(fixes.of(scene.minor).size() == 1);
  CHECK(fixes.of(scene.minor)[0].id == id);
  CHECK(fixes.of(scene.minor)[0].checks.size() == 3);
  CHECK_THROWS_AS(fixes.keep(a_try(99)), store::StoreError);
}

TEST_CASE("what changes cost is added up since a time") {
  Scene scene;
  auto& fixes = scene.store.fixes;
  CHECK(fixes.nano_dollars_since(0) == 0);
  fixes.keep(a_try(scene.minor, 1'000));
  fixes.keep(a_try(scene.major, 2'000));
  CHECK(fixes.nano_dollars_since(0) == 80'000'000);
  CHECK(fixes.nano_dollars_since(2'000) == 40'000'000);
  CHECK(fixes.nano_dollars_since(2'001) == 0);
}

TEST_CASE("the next finding to change is the first of the queue that has no try on this torch and device") {
  Scene scene;
  auto& fixes = scene.store.fixes;
  const auto next = [&] { return fixes.next("2.13.0", "cpu"); };
  auto held = a_finding(scene.program, "held");
  held.disposition = oracle::held("stride");
  (void)scene.store.findings.add(held);
  CHECK(next() == scene.major);
  CHECK_FALSE(fixes.next("2.13.0", "cuda"));
  CHECK_FALSE(fixes.next("2.14.0", "cpu"));
  fixes.keep(a_failed_try(scene.major));
  CHECK(next() == scene.minor);
  auto elsewhere = a_try(scene.minor);
  elsewhere.torch = "2.12.0";
  fixes.keep(elsewhere);
  CHECK(next() == scene.minor);
  fixes.keep(a_try(scene.minor, 7'000));
  CHECK_FALSE(next());
}

TEST_CASE("a finding counts once in the tally, by its last try") {
  Scene scene;
  auto& fixes = scene.store.fixes;
  CHECK(fixes.tally().empty());
  fixes.keep(a_failed_try(scene.minor, 1'000));
  fixes.keep(a_try(scene.minor, 2'000));
  fixes.keep(a_failed_try(scene.major));
  auto other = a_finding(scene.program, "other");
  other.kind = oracle::Kind::gradient;
  other.stage = oracle::Stage::aot_eager;
  store::FixTry left{.finding = scene.store.findings.add(other), .at = 5, .result = FixResult::not_python};
  fixes.keep(left);
  const auto tally = fixes.tally();
  REQUIRE(tally.size() == 2);
  CHECK(tally[0].area == "inductor");
  CHECK(tally[0].kind == "numerical");
  CHECK(tally[0].model == "a model");
  CHECK(tally[0].findings == 2);
  CHECK(tally[0].accepted == 1);
  CHECK(tally[0].failed == std::map<FixResult, std::int64_t>{{FixResult::breaks, 1}});
  CHECK(tally[0].tries == 3);
  CHECK(tally[0].nano_dollars == 120'000'000);
  CHECK(tally[0].seconds == 286.5);
  CHECK(tally[1].area == "aot_eager");
  CHECK(tally[1].kind == "gradient");
  CHECK(tally[1].model.empty());
  CHECK(tally[1].accepted == 0);
  CHECK(tally[1].failed == std::map<FixResult, std::int64_t>{{FixResult::not_python, 1}});
}

TEST_CASE("a try goes through JSON whole, and anything else is refused") {
  const auto json = store::fix_json(a_failed_try(3));
  CHECK(store::fix_json(store::fix_from(json)) == json);
  CHECK(json["result"] == "breaks");
  CHECK(json["checks"][1]["failing"] == nlohmann::json{"amax/int8/3", "amax/int8/4"});
  for (const auto& [key, value] : json.items()) {
    CAPTURE(key);
    auto without = json;
    without.erase(key);
    CHECK_THROWS_AS(store::fix_from(without), nlohmann::json::exception);
    auto other = json;
    other[key] = nlohmann::json::object();
    CHECK_THROWS_AS(store::fix_from(other), nlohmann::json::exception);
  }
  auto wrong = json;
  wrong["result"] = "fixed";
  CHECK_THROWS_AS(store::fix_from(wrong), nlohmann::json::exception);
  wrong = json;
  wrong["checks"][0]["ran"] = 1.5;
  CHECK_THROWS_AS(store::fix_from(wrong), nlohmann::json::exception);
  wrong = json;
  wrong["also_gone"] = {"7"};
  CHECK_THROWS_AS(store::fix_from(wrong), nlohmann::json::exception);
  CHECK_THROWS_AS(store::fix_from(nlohmann::json::array()), nlohmann::json::exception);
}

TEST_CASE("columns of a try that are not what was written read as empty") {
  Scene scene;
  scene.store.fixes.keep(a_try(scene.minor));
  scene.edit("UPDATE fixes SET checks = '[{\"name\": 3}]', files = 'no JSON', also_gone = '{}', functions = ''");
  const auto row = scene.store.fixes.of(scene.minor).at(0);
  CHECK(row.checks.empty());
  CHECK(row.files.empty());
  CHECK(row.also_gone.empty());
  CHECK(row.functions.empty());
  CHECK(row.changed_lines == 2);
}
