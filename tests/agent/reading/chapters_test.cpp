// Units become chapters; what changed between two torches becomes chapters of its own.
#include "agent/reading/chapters.h"

#include "tests/agent/reading/units.h"
#include "tests/catch.h"

namespace parityd::agent {
namespace {

using testing::a_unit;
using testing::changed;
using Units = std::vector<store::SourceUnitRow>;

std::vector<std::string> keys(const std::vector<Chapter>& chapters) {
  std::vector<std::string> all;
  all.reserve(chapters.size());
  for (const auto& chapter : chapters) all.push_back(chapter.key);
  return all;
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("chapters: neighbouring units of one file are packed evenly up to the budget") {
  Units units;
  units.reserve(13);
  for (int number = 0; number < 12; ++number) units.push_back(a_unit("a.py", "f" + std::to_string(number), 10));
  units.push_back(a_unit("b.py", "g", 10));
  const auto found = chapters(units, 50);
  CHECK(keys(found) == Words{"a.py: f0 … f3", "a.py: f4 … f7", "a.py: f8 … f11", "b.py: g"});
  for (const auto& chapter : found) CHECK(chapter.tokens <= 50);
}

TEST_CASE("chapters: a unit over the budget is a chapter alone and counts as cut") {
  const auto found = chapters({a_unit("a.py", "f", 10), a_unit("a.py", "huge", 1000), a_unit("a.py", "g", 10)}, 50);
  CHECK(keys(found) == Words{"a.py: f", "a.py: huge", "a.py: g"});
  CHECK(found[1].tokens == 50);
}

TEST_CASE("chapters: trivial units are included but do not make a chapter") {
  CHECK(chapters({a_unit("a.py", "f", 10, true), a_unit("a.py", "g", 10, true)}, 50).empty());
  CHECK(keys(chapters({a_unit("a.py", "f", 10, true), a_unit("a.py", "g", 10)}, 50)) == Words{"a.py: f … g"});
  CHECK(chapters({}, 50).empty());
}

TEST_CASE("chapters: helpers are added where there is room, most called first") {
  Units units{a_unit("a.py", "f", 20),    a_unit("a.py", "g", 20),    a_unit("b.py", "often", 30),
              a_unit("b.py", "once", 10), a_unit("b.py", "huge", 90), a_unit("c.py", "nobody", 10)};
  units[0].calls = {{"b.py", "once"}, {"b.py", "huge"}, {"b.py", "often"}, {"z.py", "unknown"}, {"a.py", "g"}};
  units[1].calls = {{"b.py", "often"}};
  const auto found = chapters(units, 90);
  CHECK(found[0].key == "a.py: f … g");
  CHECK(found[0].helpers == std::vector<std::size_t>{2, 3});
  CHECK(found[0].tokens == 80);
  INFO("never more of them than of the chapter");
  CHECK(chapters({units[0], units[2], units[4]}, 1000)[0].helpers.empty());
}

TEST_CASE("differences: units are changed, new or removed, and a moved unit is none of these") {
  const Units before{a_unit("a.py", "same", 10), a_unit("a.py", "other", 10), a_unit("a.py", "gone", 10),
                     a_unit("a.py", "Old.moved", 10)};
  Units now{a_unit("a.py", "fresh", 10), changed(a_unit("a.py", "other", 10)), a_unit("a.py", "same", 10),
            a_unit("b.py", "New.moved", 10)};
  now[3].code = before[3].code;
  const auto found = differences(before, now);
  REQUIRE(found.changed.size() == 2);
  CHECK(found.changed[0].unit == 0);
  CHECK_FALSE(found.changed[0].before);
  CHECK(found.changed[1].unit == 1);
  CHECK(found.changed[1].before == 1);
  CHECK(found.vanished == std::vector<std::size_t>{2});
  CHECK(differences(now, now).changed.empty());
}

TEST_CASE("differences: chapters contain only what changed") {
  const Units before{a_unit("a.py", "f", 40), a_unit("a.py", "g", 40), a_unit("b.py", "h", 40)};
  const Units now{changed(before[0]), before[1], changed(before[2]), a_unit("b.py", "fresh", 40)};
  const auto found = change_chapters(before, now, differences(before, now), 200);
  CHECK(keys(found) == Words{"a.py: f", "b.py: h … fresh"});
  CHECK(found[0].units[0].before == 0);
  CHECK(found[0].tokens == 50);
  CHECK_FALSE(found[1].units[1].before);
}

}  // namespace parityd::agent
