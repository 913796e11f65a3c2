// Which chapter is read next.
#include "agent/reading/chapter_choice.h"

#include <set>

#include "tests/agent/reading/units.h"
#include "tests/catch.h"

namespace parityd::agent {
namespace {

using testing::a_unit;
using testing::changed;
using Units = std::vector<store::SourceUnitRow>;

store::UnitReadingsRow read(const store::SourceUnitRow& unit, std::int64_t readings, std::int64_t ready = 0,
                            store::Millis last_at = 1'000) {
  return {.unit = {unit.file, unit.name, unit.code}, .readings = readings, .ready = ready, .last_at = last_at};
}

ReadingRank rank(const Units& units, const std::vector<store::UnitReadingsRow>& rows, bool change = false) {
  const auto all = chapters(units, 1000);
  REQUIRE(all.size() == 1);
  return standing(all[0], change, units, ReadingHistory(rows)).rank;
}

}  // namespace

TEST_CASE("chapter choice: the order is changed, never read, productive, read long ago, resting") {
  const Units units{a_unit("a.py", "f", 10), a_unit("a.py", "g", 10), a_unit("a.py", "h", 10, true)};
  CHECK(rank(units, {}) == ReadingRank::never_read);
  CHECK(rank(units, {}, true) == ReadingRank::changed);
  INFO("half of it was read; what is trivial does not count");
  CHECK(rank(units, {read(units[0], 1)}) == ReadingRank::long_ago);
  CHECK(rank(units, {read(units[0], 1), read(units[1], 1)}, true) == ReadingRank::long_ago);
  CHECK(rank(units, {read(units[0], 1, 1), read(units[1], 1)}) == ReadingRank::fruitful);
  const auto barren = read(units[0], kBarrenReadings);
  CHECK(rank(units, {barren, read(units[1], kBarrenReadings)}) == ReadingRank::rests);
  CHECK(rank({changed(units[0]), changed(units[1])}, {barren, read(units[1], kBarrenReadings)}) ==
        ReadingRank::never_read);
}

TEST_CASE("chapter choice: a finding in a neighbouring file raises the rank of a file") {
  const Units units{a_unit("a.py", "f", 10)};
  const auto neighbour = a_unit("a.py", "neighbour", 10);
  CHECK(rank(units, {read(units[0], 1), read(neighbour, 1, 2)}) == ReadingRank::fruitful);
  const auto all = chapters(units, 1000);
  const double beside = standing(all[0], false, units, ReadingHistory({read(neighbour, 1, 2)})).weight;
  CHECK(beside > standing(all[0], false, units, ReadingHistory({read(neighbour, 1, 0)})).weight);
}

TEST_CASE("chapter choice: the first non-empty rank is used, within it by weight or the oldest") {
  using Rank = ReadingRank;
  CHECK_FALSE(choose_chapter({}, 1));
  CHECK_FALSE(choose_chapter({{.rank = Rank::rests, .weight = 0}}, 1));
  std::set<std::size_t> chosen;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    chosen.insert(*choose_chapter(
        {{.rank = Rank::never_read}, {.rank = Rank::changed}, {.rank = Rank::rests}, {.rank = Rank::changed}}, seed));
  }
  CHECK(chosen == std::set<std::size_t>{1, 3});
  CHECK(choose_chapter({{.rank = Rank::long_ago, .weight = 0.1}, {.rank = Rank::long_ago, .weight = 0.5}}, 1) == 1);
}

}  // namespace parityd::agent
