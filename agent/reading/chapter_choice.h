// Which chapter is read next: what changed before what was never read, then what stands beside something fruitful, then
// what was read longest ago. One that brought nothing in a few readings rests until it changes. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/reading/chapters.h"
#include "store/reading/readings.h"
#include "store/reading/sources.h"

namespace parityd::agent {

inline constexpr int kBarrenReadings = 3;  // then a chapter rests

/// What is known about readings, by file and name of units.
class ReadingHistory {
 public:
  explicit ReadingHistory(const std::vector<store::UnitReadingsRow>& rows);

  struct Unit {
    std::map<std::string, std::int64_t> readings;  // by the code that was read
    std::int64_t ready = 0;
    store::Millis last_at = 0;
  };
  [[nodiscard]] const Unit* find(const store::SourceUnitRow& unit) const;
  /// Of a file's units: readings that found something, as a share of all.
  [[nodiscard]] double fruitfulness(const std::string& file) const;

 private:
  struct Sums {
    double readings = 0, ready = 0;
  };
  std::map<std::pair<std::string, std::string>, Unit> units_;
  std::map<std::string, Sums> files_;
};

enum class ReadingRank { changed, never_read, fruitful, long_ago, rests };

struct ChapterStanding {
  ReadingRank rank = ReadingRank::never_read;
  double weight = 1;  // among those of the same rank
};

/// `change`: the chapter is one of what changed.
[[nodiscard]] ChapterStanding standing(const Chapter& chapter, bool change,
                                       const std::vector<store::SourceUnitRow>& units, const ReadingHistory& history);

/// One of those of the first rank that there is, by their weights; nothing where all rest.
[[nodiscard]] std::optional<std::size_t> choose_chapter(const std::vector<ChapterStanding>& standings,
                                                        std::uint64_t seed);

}  // namespace parityd::agent
