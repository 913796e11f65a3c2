// What counts as a program, as valid and as repaired.
#include <fmt/format.h>

#include <map>

#include "tests/catch.h"
#include "tests/store/fixture.h"

using namespace parityd;
using namespace parityd::tests;
using oracle::VerdictKind;
using store::ProgramState;

namespace {

/// A first program that is invalid and repaired `rounds` times; only the last repair ends with `last`.
void add_chain(store::Store& store, const std::string& name, int rounds, VerdictKind last) {
  auto program = added(store, a_program(name));
  for (int round = 1; round <= rounds; ++round) {
    program.state = ProgramState::repairing;
    store.programs.update(program);
    auto repair = a_program(name + "-" + std::to_string(round));
    repair.origin = store::Origin::repair;
    repair.parent = program.id;
    repair.root = program.root;
    repair.round = round;
    const auto next = added(store, repair);
    store.programs.update(finished(program, VerdictKind::invalid));
    program = next;
  }
  store.programs.update(finished(program, last));
}

}  // namespace

TEST_CASE("a repair chain counts as one program with its last verdict") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  add_chain(store, "consistent at once", 0, VerdictKind::consistent);
  add_chain(store, "excused at once", 0, VerdictKind::excused);
  add_chain(store, "unstable at once", 0, VerdictKind::unstable);
  add_chain(store, "missing check", 0, VerdictKind::inconsistent);
  add_chain(store, "valid after two repairs", 2, VerdictKind::consistent);
  add_chain(store, "given up after three", 3, VerdictKind::invalid);
  const auto check = [](const store::Counts& counts) {
    CHECK(counts.programs == 6);
    CHECK(counts.valid == 5);
    CHECK(counts.repaired == 1);
    CHECK(counts.invalid == 1);
    CHECK(counts.consistent == 2);
    CHECK(counts.excused == 1);
    CHECK(counts.unstable == 1);
    CHECK(counts.inconsistent == 1);
    CHECK(counts.queued + counts.repairing + counts.confirming == 0);
  };
  check(store.tally.all());
  check(store.tally.since(1'000));
  CHECK(store.tally.since(1'001).programs == 0);
}

TEST_CASE("a waiting program is neither valid nor invalid but a suspect is valid") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  auto queued = added(store, a_program("queued"));
  auto repairing = added(store, a_program("repairing"));
  repairing = finished(repairing, VerdictKind::invalid);
  repairing.state = ProgramState::repairing;
  store.programs.update(repairing);
  auto confirming = added(store, a_program("confirming"));
  confirming.state = ProgramState::confirming;
  confirming.next_step = "pending: confirmation round 1 of 3";
  store.programs.update(confirming);

  const auto counts = store.tally.all();
  CHECK(counts.programs == 3);
  CHECK(counts.valid == 1);
  CHECK(counts.invalid == 0);
  CHECK(counts.queued == 1);
  CHECK(counts.repairing == 1);
  CHECK(counts.confirming == 1);
  CHECK(counts.pending == 1);
  CHECK(counts.confirmed == 0);
  CHECK(counts.suspects == 1);

  SECTION("one that fresh processes have shown is confirmed") {
    confirming.confirmation_rounds = confirming.confirmation_hits = 1;
    confirming.next_step = "reduce it";
    store.programs.update(confirming);
    CHECK(store.tally.all().confirmed == 1);
    CHECK(store.tally.all().pending == 0);
  }
  SECTION("a suspect stays one after it is cleared") {
    store.programs.update(finished(confirming, VerdictKind::consistent));
    CHECK(store.tally.all().suspects == 1);
    CHECK(store.tally.all().valid == 1);
  }
  SECTION("the tally matches the chains when a program moves back and forth") {
    confirming.state = ProgramState::queued;
    store.programs.update(confirming);
    store.programs.update(finished(confirming, VerdictKind::excused));
    store.programs.update(finished(queued, VerdictKind::invalid));
    CHECK(store.tally.all().programs == 3);
    CHECK(store.tally.all().excused == 1);
    CHECK(store.tally.all().invalid == 1);
  }
}

TEST_CASE("replies and money are counted once, however a request ends") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  store::ReplyRow row;
  row.provider = "chat";
  row.purpose = store::ReplyPurpose::generate;
  row.reserved_nano_dollars = 100;
  row.reserved_at = 3'600'000;
  row.id = store.replies.reserve(row);
  CHECK(store.replies.spent_since(0) == 100);
  CHECK(store.replies.spent_since(3'600'000) == 100);
  CHECK(store.replies.spent_since(3'600'001) == 0);

  SECTION("answered: at its cost") {
    row.state = store::ReplyState::answered;
    row.cost_nano_dollars = 30;
    row.prompt_tokens = 7;
    row.completion_tokens = 5;
    store.replies.end(row);
    CHECK(store.replies.spent_since(0) == 30);
    CHECK(store.tally.all().spent_nano_dollars == 30);
    CHECK(store.tally.all().prompt_tokens == 7);
    CHECK(store.tally.since(0).completion_tokens == 5);
    CHECK(store.tally.all().failed_replies == 0);
    CHECK(store.replies.unprocessed().size() == 1);
    store.replies.mark_processed(row.id, "program");
    CHECK(store.replies.unprocessed().empty());
    CHECK(store.replies.find(row.id)->klass == "program");
    CHECK(store.replies.abandon_reserved(5'000'000).empty());
  }
  SECTION("in flight at a restart: at its reservation") {
    const auto abandoned = store.replies.abandon_reserved(5'000'000);
    REQUIRE(abandoned.size() == 1);
    CHECK(abandoned.front().id == row.id);
    CHECK(store.replies.find(row.id)->state == store::ReplyState::unknown);
    CHECK(store.replies.find(row.id)->ended_at == 5'000'000);
    CHECK(store.replies.spent_since(0) == 100);
    CHECK(store.tally.all().failed_replies == 1);
  }
  SECTION("failed: nothing") {
    row.state = store::ReplyState::failed;
    store.replies.end(row);
    CHECK(store.replies.spent_since(0) == 0);
    CHECK(store.tally.all().replies == 1);
  }
}

TEST_CASE("spending since a time within a minute counts only what came after it") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  for (const store::Millis at : {59'000, 61'000, 62'000, 119'999, 120'000, 500'000}) {
    store::ReplyRow row;
    row.reserved_nano_dollars = 1;
    row.reserved_at = at;
    (void)store.replies.reserve(row);
  }
  CHECK(store.replies.spent_since(0) == 6);
  CHECK(store.replies.spent_since(60'000) == 5);
  CHECK(store.replies.spent_since(61'500) == 4);
  CHECK(store.replies.spent_since(120'000) == 2);
  CHECK(store.replies.spent_since(120'001) == 1);
  CHECK(store.replies.spent_since(500'001) == 0);
}

TEST_CASE("findings, occurrences and separate counts are right") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  const auto first = added(store, a_program("first"));
  const auto second = added(store, a_program("second"));
  const auto finding = store.findings.add(a_finding(first.id, "a"));
  store.groups.add_occurrence(finding, first.id, "the first", 10);
  store.groups.add_occurrence(finding, second.id, "same signature", 20);
  store.groups.add_occurrence(finding, second.id, "again", 30);
  auto flaky = a_finding(second.id, "b");
  flaky.disposition = oracle::held("flaky");
  (void)store.findings.add(flaky);
  store.examinations.add_oddity(first.id, "state_dependent", "warm only", 40);
  store.examinations.add_harness_failure(std::nullopt, "worker lost", 50);

  const auto counts = store.tally.all();
  CHECK(counts.findings == 2);
  CHECK(counts.occurrences == 2);
  CHECK(counts.held_flaky == 1);
  CHECK(counts.state_dependent == 1);
  CHECK(counts.harness_failures == 1);
  CHECK(store.findings.find(finding)->occurrences == 2);
  CHECK(store.tally.since(15).occurrences == 1);
  CHECK(store.tally.since(45).state_dependent == 0);
  CHECK(store.tally.since(45).harness_failures == 1);
}

TEST_CASE("findings are counted by disposition and status, merged ones with their target") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  CHECK(store.tally.findings().empty());
  const auto program = added(store, a_program("shown")).id;
  std::vector<store::Id> ids;
  for (const char* disposition : {"ready", "held(edge)", "held(stride)", "umbrella(197554)", "ready"}) {
    auto row = a_finding(program, std::to_string(ids.size()));
    row.disposition = oracle::disposition_from_text(disposition).value();
    ids.push_back(store.findings.add(row));
  }
  CHECK_FALSE(store.triage.decide({.finding = ids[1], .status = "wontfix", .who = "me", .at = 5}));
  REQUIRE(store.groups.merge({.finding = ids[4], .other = ids[0]}));
  std::map<std::string, std::int64_t> counted;
  for (const auto& row : store.tally.findings())
    counted[fmt::format("{} {}", name(row.disposition), name(row.status))] = row.findings;
  CHECK(counted == std::map<std::string, std::int64_t>{
                       {"held new", 1}, {"held wontfix", 1}, {"ready new", 1}, {"umbrella new", 1}});
}

TEST_CASE("charges are listed by day without days that have none") {
  constexpr store::Millis kDay = 86'400'000;
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  for (const store::Millis at : {kDay - 1, kDay, 2 * kDay - 1, 4 * kDay + 5}) {
    store.replies.reserve({.provider = "p", .reserved_nano_dollars = 10, .reserved_at = at});
  }
  const auto days = store.spending.by_day(kDay + 1'000);  // a whole day, from its start on
  REQUIRE(days.size() == 2);
  CHECK(days[0].day == kDay);
  CHECK(days[0].nano_dollars == 20);
  CHECK(days[1].day == 4 * kDay);
  CHECK(days[1].nano_dollars == 10);
}
