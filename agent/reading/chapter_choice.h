// Chooses the chapter to read next: changed ones first, then unread ones, then those of files in which readings found
// something, then those read longest ago. A chapter that yielded nothing in kBarrenReadings readings rests until it
// changes. Pure; any thread.
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

inline constexpr int kBarrenReadings = 3;  // fruitless readings after which a chapter rests

/// Readings so far, by file and name of units.
class ReadingHistory {
 public:
  explicit ReadingHistory(const std::vector<store::UnitReadingsRow>& rows);

  struct Unit {
    std::map<std::string, std::int64_t> readings;  // count, by the code that was read
    std::int64_t ready = 0;
    store::Millis last_at = 0;
  };
  [[nodiscard]] const Unit* find(const store::SourceUnitRow& unit) const;
  /// The share of readings of a file's units that found something.
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
  double weight = 1;  // relative to others of the same rank
};

/// `change`: the chapter was made from changes.
[[nodiscard]] ChapterStanding standing(const Chapter& chapter, bool change,
                                       const std::vector<store::SourceUnitRow>& units, const ReadingHistory& history);

/// The index of a chapter of the best rank present, drawn by weight; nullopt if all rest.
[[nodiscard]] std::optional<std::size_t> choose_chapter(const std::vector<ChapterStanding>& standings,
                                                        std::uint64_t seed);

}  // namespace parityd::agent
