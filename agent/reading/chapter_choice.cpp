#include "agent/reading/chapter_choice.h"

#include <algorithm>
#include <array>
#include <random>
#include <string_view>

namespace parityd::agent {
namespace {

using store::SourceUnitRow;

/// How often an area is read relative to the others while nothing is known: most of the bugs found by reading were in
/// operators.
constexpr std::array<std::pair<std::string_view, double>, 12> kAreas{{{"lowerings", 4},
                                                                      {"decompositions", 4},
                                                                      {"graph passes", 3},
                                                                      {"refs", 2},
                                                                      {"meta functions", 2},
                                                                      {"functionalisation", 2},
                                                                      {"AOTAutograd", 2},
                                                                      {"Dynamo variables", 1.5},
                                                                      {"code generation", 1.5},
                                                                      {store::kGpuCode, 1.5},
                                                                      {"IR", 1.5},
                                                                      {"helpers", 0.5}}};

constexpr double kLongChapter = 6'000;  // tokens

double weight_of_area(const std::string& area) {
  const auto found = std::ranges::find(kAreas, area, [](const auto& each) { return each.first; });
  return found == kAreas.end() ? 1 : found->second;
}

}  // namespace

ReadingHistory::ReadingHistory(const std::vector<store::UnitReadingsRow>& rows) {
  for (const auto& row : rows) {
    Unit& unit = units_[{row.unit.file, row.unit.name}];
    unit.readings[row.unit.code] += row.readings;
    unit.ready += row.ready;
    unit.last_at = std::max(unit.last_at, row.last_at);
    files_[row.unit.file].readings += static_cast<double>(row.readings);
    files_[row.unit.file].ready += static_cast<double>(row.ready);
  }
}

const ReadingHistory::Unit* ReadingHistory::find(const SourceUnitRow& unit) const {
  const auto found = units_.find({unit.file, unit.name});
  return found == units_.end() ? nullptr : &found->second;
}

double ReadingHistory::fruitfulness(const std::string& file) const {
  const auto found = files_.find(file);
  return found == files_.end() ? 0 : found->second.ready / std::max(1.0, found->second.readings);
}

ChapterStanding standing(const Chapter& chapter, bool change, const std::vector<SourceUnitRow>& units,
                         const ReadingHistory& history) {
  int worth = 0;   // units that are not trivial
  int unread = 0;  // of these, not read in their present form
  std::int64_t readings = 0;
  std::int64_t ready = 0;
  store::Millis last_at = 0;
  for (const auto& each : chapter.units) {
    const SourceUnitRow& unit = units[each.unit];
    if (unit.trivial) continue;
    ++worth;
    const auto* known = history.find(unit);
    const auto as_it_is = known == nullptr                      ? 0
                          : known->readings.contains(unit.code) ? known->readings.at(unit.code)
                                                                : 0;
    unread += as_it_is == 0 ? 1 : 0;
    readings = std::max(readings, as_it_is);
    if (known == nullptr) continue;
    ready = std::max(ready, known->ready);
    last_at = std::max(last_at, known->last_at);
  }
  // A short chapter must yield as many hypotheses as a long one, from less material.
  const double length = std::clamp(static_cast<double>(chapter.tokens) / kLongChapter, 0.05, 1.0);
  const double area = length * weight_of_area(chapter.area) * (1 + 4 * history.fruitfulness(chapter.file));
  if (2 * unread > worth) return {.rank = change ? ReadingRank::changed : ReadingRank::never_read, .weight = area};
  if (ready == 0 && readings >= kBarrenReadings) return {.rank = ReadingRank::rests, .weight = 0};
  if (history.fruitfulness(chapter.file) > 0) {
    return {.rank = ReadingRank::fruitful, .weight = area / static_cast<double>(1 + readings)};
  }
  return {.rank = ReadingRank::long_ago, .weight = 1 / static_cast<double>(1 + std::max<store::Millis>(0, last_at))};
}

std::optional<std::size_t> choose_chapter(const std::vector<ChapterStanding>& standings, std::uint64_t seed) {
  ReadingRank first = ReadingRank::rests;
  for (const auto& each : standings) first = std::min(first, each.rank);
  if (first == ReadingRank::rests) return std::nullopt;
  if (first == ReadingRank::long_ago) {  // the one read longest ago
    const auto found = std::ranges::max_element(
        standings, {}, [](const auto& each) { return each.rank == ReadingRank::long_ago ? each.weight : -1; });
    return static_cast<std::size_t>(found - standings.begin());
  }
  std::vector<double> weights(standings.size());
  std::ranges::transform(standings, weights.begin(),
                         [&](const auto& each) { return each.rank == first ? each.weight : 0; });
  std::mt19937_64 random(seed);
  return std::discrete_distribution<std::size_t>(weights.begin(), weights.end())(random);
}

}  // namespace parityd::agent
