// Groups made by hand: merges and splits with undo, their record, and the alarm of a finding that swallows too much.
#include "tests/catch.h"
#include "tests/store/fixture.h"

using namespace parityd;
using namespace parityd::tests;

namespace {

/// Findings of two programs each; a program more shows the first two of them.
class Groups {
 public:
  Groups() : store_(folder_.database(), store::Access::write) {
    for (const char* const name : {"a", "b", "c"}) {
      const auto program = new_program();
      const auto finding = store_.findings.add(a_finding(program, name));
      store_.groups.add_occurrence(finding, program, "the first", 1);
      store_.groups.add_occurrence(finding, new_program(), std::string("same signature as ") + name, 2);
    }
    const auto both = new_program();
    store_.groups.add_occurrence(1, both, "leaf 0", 3);
    store_.groups.add_occurrence(2, both, "leaf 1", 3);
  }
  store::Id new_program() {
    return added(store_, finished(a_program("p" + std::to_string(next_++)), oracle::VerdictKind::inconsistent)).id;
  }
  store::Groups::Changed merge(store::Id finding, store::Id into) {
    return store_.groups.merge({.at = 7, .who = "me", .note = "look alike", .finding = finding, .other = into});
  }
  [[nodiscard]] std::vector<store::Id> listed() const {
    std::vector<store::Id> ids;
    for (const auto& row : store_.findings.list({})) ids.push_back(row.id);
    return ids;
  }
  [[nodiscard]] store::Id seen(store::Id finding) const { return store_.findings.find(finding)->occurrences; }
  [[nodiscard]] std::vector<std::string> whys(store::Id finding) const {
    std::vector<std::string> all;
    for (const auto& row : store_.groups.occurrences_of(finding)) all.push_back(row.why);
    return all;
  }
  [[nodiscard]] int alarms() const {
    int count = 0;
    for (const auto& event : store_.events.recent(1000)) count += event.what == "over_merge" ? 1 : 0;
    return count;
  }
  store::Store& store() { return store_; }

 private:
  Folder folder_;
  store::Store store_;
  int next_ = 0;
};

using Ids = std::vector<store::Id>;

}  // namespace

TEST_CASE("a merged finding is counted and listed with the other, keeps its reasons, and undo restores it") {
  Groups groups;
  const auto before = groups.whys(2);
  REQUIRE(groups.seen(1) == 3);
  const auto change = groups.merge(2, 1);
  REQUIRE(change);
  CHECK(groups.listed() == Ids{1, 3});
  CHECK(groups.seen(1) == 5);  // the program that shows both counts once
  const auto merged = groups.whys(1);
  for (const auto& why : before) CHECK((why == "leaf 1" || std::count(merged.begin(), merged.end(), why) > 0));
  CHECK(groups.store().findings.find(2)->merged_into == 1);
  CHECK(groups.store().tally.all().findings == 2);
  CHECK(groups.store().tally.all().occurrences == 7);

  // What its signature brings in later counts with the other, and goes back with it.
  CHECK(groups.store().findings.by_signature("b")->id == 2);
  groups.store().groups.add_occurrence(2, groups.new_program(), "same signature as b", 8);
  CHECK(groups.seen(1) == 6);
  const auto undone = groups.store().groups.undo(std::nullopt, "you", 9);
  REQUIRE(undone);
  CHECK(*undone == *change);
  CHECK(groups.listed() == Ids{1, 2, 3});
  CHECK(groups.seen(1) == 3);
  CHECK(groups.seen(2) == 4);
  const auto changes = groups.store().groups.changes_of(2);
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].who == "me");
  CHECK(changes[0].note == "look alike");
  CHECK(changes[0].undone_by == "you");
  CHECK(changes[0].undone_at == 9);
}

TEST_CASE("chained merges count for the last finding") {
  Groups groups;
  REQUIRE(groups.merge(1, 2));
  const auto second = groups.merge(2, 3);
  REQUIRE(second);
  CHECK(groups.listed() == Ids{3});
  CHECK(groups.seen(3) == 7);
  CHECK(groups.whys(3).size() == 7);
  groups.store().groups.add_occurrence(1, groups.new_program(), "same signature as a", 8);
  CHECK(groups.seen(3) == 8);
  REQUIRE(groups.store().groups.undo(*second, "me", 9));
  CHECK(groups.listed() == Ids{2, 3});
  CHECK(groups.seen(2) == 6);
  CHECK(groups.seen(3) == 2);
}

TEST_CASE("an invalid merge is refused and changes nothing") {
  Groups groups;
  CHECK(groups.merge(1, 1).error() == "a finding cannot be merged into itself");
  CHECK(groups.merge(1, 9).error() == "there is no finding 9");
  REQUIRE(groups.merge(1, 2));
  CHECK(groups.merge(3, 1).error().find("merged into finding 2") != std::string::npos);
  CHECK(groups.merge(1, 3).error().find("merged into finding 2") != std::string::npos);
  CHECK(groups.store().groups.undo(5, "me", 9).error() == "there is no change 5");
  REQUIRE(groups.store().groups.undo(1, "me", 9));
  CHECK(groups.store().groups.undo(1, "me", 9).error() == "change 1 is already undone");
  CHECK(groups.store().groups.undo(std::nullopt, "me", 9).error() == "there is no change to undo");
  CHECK(groups.listed() == Ids{1, 2, 3});
}

TEST_CASE("a split moves programs to a finding of their own, and undo moves them back") {
  Groups groups;
  const store::Id program = groups.store().groups.occurrences_of(1)[1].program.id;
  const auto before = groups.whys(1);
  const auto made = groups.store().findings.add(a_finding(program, "made by the split"));
  const auto change = groups.store().groups.split(
      {.at = 7, .who = "me", .note = "another pass", .finding = 1, .other = made}, {program});
  REQUIRE(change);
  CHECK(groups.seen(1) == 2);
  CHECK(groups.seen(made) == 1);
  CHECK(groups.whys(made) ==
        std::vector<std::string>{"split from finding 1 by hand; reason there: same signature as a"});
  REQUIRE(groups.merge(made, 3));
  CHECK(groups.store().groups.undo(*change, "me", 8).error().find("undo that one first") != std::string::npos);
  REQUIRE(groups.store().groups.undo(std::nullopt, "me", 9));
  REQUIRE(groups.store().groups.undo(std::nullopt, "me", 10));
  CHECK(groups.seen(1) == 3);
  CHECK(groups.whys(1) == before);
  CHECK(groups.listed() == Ids{1, 2, 3});
  CHECK(groups.store().findings.find(made)->merged_into == 1);
}

TEST_CASE("an invalid split is refused") {
  Groups groups;
  const store::Id own = groups.store().findings.find(1)->program;
  CHECK(groups.store().groups.cannot_split(1, {own})->find("finding 1 was made from program") != std::string::npos);
  CHECK(groups.store().groups.cannot_split(1, {})->find("no program") != std::string::npos);
  CHECK(groups.store().groups.cannot_split(1, {groups.new_program()})->find("not an occurrence") != std::string::npos);
  CHECK(groups.store().groups.cannot_split(9, {own})->find("no finding 9") != std::string::npos);
}

TEST_CASE("a finding with more than 25 programs raises its alarm once") {
  Groups groups;
  while (groups.seen(3) < store::kMostProgramsOfOneCause) {
    groups.store().groups.add_occurrence(3, groups.new_program(), "same", 4);
  }
  CHECK(groups.store().findings.find(3)->alarm.empty());
  CHECK(groups.alarms() == 0);
  groups.store().groups.add_occurrence(3, groups.new_program(), "same", 4);
  CHECK(groups.store().findings.find(3)->alarm == "more than 25 programs");
  groups.store().groups.add_occurrence(3, groups.new_program(), "same", 4);
  CHECK(groups.alarms() == 1);
}

TEST_CASE("merged findings that blame more than two passes raise the alarm until they are split") {
  Groups groups;
  const auto blame = [&](store::Id finding, const char* pass) {
    groups.store().groups.set_blamed_pass(finding, groups.store().findings.find(finding)->program, pass, 5);
  };
  blame(1, "post_grad");
  blame(2, "lowering");
  blame(3, "joint_graph");
  CHECK(groups.alarms() == 0);
  REQUIRE(groups.merge(1, 3));
  CHECK(groups.store().findings.find(3)->alarm.empty());
  REQUIRE(groups.merge(2, 3));
  CHECK(groups.store().findings.find(3)->alarm == "more than 2 blamed passes");
  CHECK(groups.alarms() == 1);
  REQUIRE(groups.store().groups.undo(std::nullopt, "me", 9));
  CHECK(groups.store().findings.find(3)->alarm.empty());
}
