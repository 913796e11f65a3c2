// What is forgotten and what never is; texts that changed behind our back.
#include <SQLiteCpp/SQLiteCpp.h>

#include "tests/catch.h"
#include "tests/store/a_try.h"
#include "tests/store/busy_minute.h"

using namespace parityd;
using namespace parityd::tests;

namespace {

constexpr store::Millis kHour = 3'600'000;

/// `count` consistent programs that ended at 1, 2, 3 …, from id 1 on.
void add_consistent(store::Store& store, int count) {
  store.transaction([&] {
    for (int number = 1; number <= count; ++number) {
      auto row = finished(added(store, a_program("p" + std::to_string(number))), oracle::VerdictKind::consistent);
      row.finished_at = number;
      store.examinations.add({.program = row.id, .purpose = store::Examination::screen});
      store.programs.update(row);
    }
  });
}

void edit(const Folder& folder, const std::string& sql) {
  SQLite::Database(folder.database().string(), SQLite::OPEN_READWRITE).exec(sql);
}

std::int64_t forgotten(const store::Store& store, int count) {
  std::int64_t without = 0;
  for (store::Id id = 1; id <= count; ++id) without += store.examinations.of(id).empty() ? 1 : 0;
  return without;
}

}  // namespace

TEST_CASE("retention: old consistent programs lose their measurements in small steps, one in fifty keeps them") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  add_consistent(store, 200);
  int steps = 0;
  while (store.retention.forget_consistent(0, 101, 7) > 0) ++steps;  // those that ended before 101
  CHECK(steps >= 100 / 7);
  CHECK(forgotten(store, 200) == 98);  // of 100 but 50 and 100
  CHECK_FALSE(store.examinations.of(50).empty());
  CHECK_FALSE(store.examinations.of(101).empty());
  CHECK(store.programs.find(3)->text == "class Model: pass\n");  // the program stays: it must not run again
  CHECK(store.tally.all().consistent == 200);
  CHECK(store.retention.forget_consistent(0, 101, 7) == 0);
}

TEST_CASE("retention: deciding whether a program is evidence does not read all findings") {
  const Folder folder;
  const store::Store store(folder.database(), store::Access::write);
  const SQLite::Database database(folder.database().string());
  for (const char* table : {"findings", "occurrences", "oddities"}) {
    SQLite::Statement plan(database,
                           std::string("EXPLAIN QUERY PLAN SELECT 1 FROM ") + table + " WHERE program = 1 LIMIT 1");
    REQUIRE(plan.executeStep());
    INFO(plan.getColumn("detail").getString());
    CHECK(plan.getColumn("detail").getString().find("USING COVERING INDEX") != std::string::npos);
  }
}

TEST_CASE("retention: if there are too many consistent programs the newest keep their measurements") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  add_consistent(store, 120);
  CHECK(store.retention.newest_consistent_but(200) == 0);
  const store::Id before = store.retention.newest_consistent_but(20);
  CHECK(before == 100);
  while (store.retention.forget_consistent(before, 0, 10) > 0) {
  }
  CHECK(forgotten(store, 120) == 98);
  CHECK_FALSE(store.examinations.of(100).empty());
}

TEST_CASE("retention: the evidence of a finding is never deleted") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  add_consistent(store, 10);
  const auto finding = store.findings.add(a_finding(3, "a"));
  store.groups.add_occurrence(finding, 4, "same", 1);
  store.examinations.add_oddity(5, "flaky", "once", 1);
  store.inspections.add({.finding = finding, .tool = "trace", .text = "a trace", .at = 0});
  while (store.retention.forget_consistent(1'000'000, 1'000'000, 10) > 0) {
  }
  CHECK(forgotten(store, 10) == 7);
  for (const store::Id id : {3, 4, 5}) CHECK_FALSE(store.examinations.of(id).empty());
  CHECK(store.retention.collect_blobs(1000 * kHour, 100) == 0);
  CHECK(store.inspections.find(finding, "trace")->text == "a trace");
  store.fixes.keep(a_try(finding));
  CHECK(store.retention.collect_blobs(1000 * kHour, 100) == 0);
  CHECK(store.fixes.accepted(finding)->diff == a_try(finding).diff);
}

TEST_CASE("fault 12: one of our reads that takes too long is ended and reported") {
  const Folder folder;
  {
    store::Store store(folder.database(), store::Access::write);
    add_consistent(store, 3000);
    (void)store.spending.since(0);  // a writer is not ended
  }
  const store::Store reader(folder.database(), store::Access::read, std::chrono::milliseconds(-1));
  try {
    (void)reader.programs.recent_valid(1'000'000);
    FAIL("the read was not ended");
  } catch (const store::StoreError& error) {
    CHECK(error.fault() == store::StoreFault::slow);
    CHECK(std::string(error.what()).find("the query takes too long") != std::string::npos);
  }
  const store::Store patient(folder.database(), store::Access::read);
  CHECK(patient.programs.recent_valid(1'000'000).size() == 3000);
}

TEST_CASE("retention: unreferenced texts are deleted after an hour") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  edit(folder, "INSERT INTO blobs (hash, text, made_at) VALUES ('x', 'loose', 1000)");
  CHECK(store.retention.collect_blobs(1000 + kHour - 1, 100) == 0);
  CHECK(store.retention.collect_blobs(1000 + kHour, 100) == 1);
  CHECK(store.retention.collect_blobs(1000 + kHour, 100) == 0);
}

TEST_CASE("fault 47: a changed text flags its finding, which is no longer ready") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  std::vector<int> acknowledged;
  BusyMinute(store).run(acknowledged);
  store::Id last = 0;
  CHECK(store.findings.flag_tampered(0, 100, last).empty());
  const auto all = store.findings.list({});
  REQUIRE(all.size() == 2);
  CHECK(last == all.back().id);
  std::string tampering, words;
  SECTION("a tool's text") {
    tampering = "UPDATE blobs SET text = text || ' ' WHERE hash = (SELECT blob FROM inspections WHERE finding = 2)";
    words = "the output of trace";
  }
  SECTION("a change") {
    store.fixes.keep(a_try(2));
    CHECK(store.findings.tampered(2).empty());
    tampering = "UPDATE blobs SET text = text || ' ' WHERE hash = (SELECT diff FROM fixes)";
    words = "a language model's change";
  }
  SECTION("the draft") {
    tampering = "UPDATE drafts SET body = replace(body, 'x', 'y') WHERE finding = 2";
    words = "the draft or its program";
  }
  SECTION("the reduced program") {
    tampering = "UPDATE findings SET reduced = 'import os' WHERE id = 2";
    words = "the draft or its program";
  }
  edit(folder, tampering);
  CHECK(store.findings.tampered(2) == std::vector{words});
  CHECK(store.findings.tampered(1).empty());
  CHECK(store.findings.flag_tampered(0, 100, last) == std::vector<store::Id>{2});
  CHECK(store.findings.flag_tampered(0, 100, last).empty());  // once
  CHECK(store.findings.find(2)->disposition.is_held("tampered"));
  CHECK(store.findings.find(1)->disposition.is_ready());
}
