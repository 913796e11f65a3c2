#include "agent/reading/chapters.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace parityd::agent {
namespace {

using store::SourceUnitRow;

constexpr std::int64_t kCharactersAToken = 4;
constexpr std::int64_t kLineNumber = 7;  // characters

/// "stride" of "Layout.stride".
std::string last_name(const std::string& name) { return name.substr(name.rfind('.') + 1); }

/// A unit to pack.
struct Item {
  ChapterUnit unit;
  std::int64_t tokens = 0;
};

std::string key_of(const Chapter& chapter, const std::vector<SourceUnitRow>& units) {
  const std::string& first = units[chapter.units.front().unit].name;
  const std::string& last = units[chapter.units.back().unit].name;
  return first == last ? fmt::format("{}: {}", chapter.file, first)
                       : fmt::format("{}: {} … {}", chapter.file, first, last);
}

/// Fills the chapters of one file one after the other, about equally full.
class Packing {
 public:
  Packing(const std::vector<SourceUnitRow>& units, std::int64_t budget) : units_(units), budget_(budget) {}

  void pack(const std::vector<Item>& items) {
    std::int64_t all = 0;
    for (const Item& item : items) all += std::min(item.tokens, budget_);
    const std::int64_t parts = std::max<std::int64_t>(1, (all + budget_ - 1) / budget_);
    for (const Item& item : items) {
      if (chapter_.tokens + item.tokens > budget_ || chapter_.tokens >= all / parts) close();
      chapter_.units.push_back(item.unit);
      chapter_.tokens += std::min(item.tokens, budget_);  // longer text is cut off
    }
    close();
  }

  [[nodiscard]] std::vector<Chapter> release() { return std::move(packed_); }

 private:
  void close() {
    const bool trivial =
        std::ranges::all_of(chapter_.units, [&](const auto& each) { return units_[each.unit].trivial; });
    if (!trivial) {
      const SourceUnitRow& first = units_[chapter_.units.front().unit];
      chapter_.file = first.file;
      chapter_.area = first.area;
      chapter_.key = key_of(chapter_, units_);
      packed_.push_back(std::move(chapter_));
    }
    chapter_ = {};
  }

  const std::vector<SourceUnitRow>& units_;
  std::int64_t budget_;
  Chapter chapter_;
  std::vector<Chapter> packed_;
};

using Places = std::map<std::pair<std::string, std::string>, std::size_t>;

Places places_of(const std::vector<SourceUnitRow>& units) {
  Places places;
  for (std::size_t at = 0; at < units.size(); ++at) places[{units[at].file, units[at].name}] = at;
  return places;
}

/// Adds the units that most of the chapter's units call; their text is never longer than the chapter's own.
void add_helpers(Chapter& chapter, const std::vector<SourceUnitRow>& units, const Places& places, std::int64_t budget) {
  std::set<std::size_t> own;
  for (const auto& each : chapter.units) own.insert(each.unit);
  std::map<std::size_t, int> callers;
  for (const auto& each : chapter.units) {
    for (const auto& call : units[each.unit].calls) {
      const auto found = places.find(call);
      if (found != places.end() && !own.contains(found->second)) ++callers[found->second];
    }
  }
  std::vector<std::pair<std::size_t, int>> wanted(callers.begin(), callers.end());
  std::ranges::stable_sort(wanted, [](const auto& a, const auto& b) { return a.second > b.second; });
  std::int64_t room = std::min(budget - chapter.tokens, chapter.tokens);
  for (const auto& [helper, count] : wanted) {
    if (tokens_of(units[helper]) > room) continue;
    room -= tokens_of(units[helper]);
    chapter.tokens += tokens_of(units[helper]);
    chapter.helpers.push_back(helper);
  }
  std::ranges::sort(chapter.helpers);  // by file, since each file name is shown once
}

std::vector<Chapter> packed(const std::vector<SourceUnitRow>& units, const std::vector<Item>& items,
                            std::int64_t budget) {
  Packing packing(units, budget);
  for (std::size_t at = 0; at < items.size();) {
    const auto begin = at;
    const std::string& file = units[items[at].unit.unit].file;
    while (at < items.size() && units[items[at].unit.unit].file == file) ++at;
    packing.pack({items.begin() + static_cast<std::ptrdiff_t>(begin), items.begin() + static_cast<std::ptrdiff_t>(at)});
  }
  auto found = packing.release();
  const Places places = places_of(units);
  for (Chapter& chapter : found) add_helpers(chapter, units, places, budget);
  return found;
}

}  // namespace

std::int64_t tokens_of(const SourceUnitRow& unit) {
  return (unit.characters + kLineNumber * unit.lines) / kCharactersAToken + 1;
}

std::vector<Chapter> chapters(const std::vector<SourceUnitRow>& units, std::int64_t budget) {
  std::vector<Item> items;
  items.reserve(units.size());
  for (std::size_t at = 0; at < units.size(); ++at) {
    items.push_back({.unit = {.unit = at, .before = std::nullopt}, .tokens = tokens_of(units[at])});
  }
  return packed(units, items, budget);
}

Differences differences(const std::vector<SourceUnitRow>& before, const std::vector<SourceUnitRow>& now) {
  std::map<std::pair<std::string, std::string>, std::size_t> by_place;
  for (std::size_t at = 0; at < before.size(); ++at) by_place[{before[at].file, before[at].name}] = at;
  Differences found;
  std::vector<std::size_t> appeared;
  for (std::size_t at = 0; at < now.size(); ++at) {
    const auto old = by_place.extract(std::pair{now[at].file, now[at].name});
    if (old.empty()) {
      appeared.push_back(at);
    } else if (before[old.mapped()].code != now[at].code) {
      found.changed.push_back({.unit = at, .before = old.mapped()});
    }
  }
  // The remaining old units moved elsewhere or are gone.
  std::multimap<std::pair<std::string, std::string>, std::size_t> by_code;
  for (const auto& [place, at] : by_place) by_code.emplace(std::pair{last_name(place.second), before[at].code}, at);
  for (const std::size_t at : appeared) {
    if (by_code.extract(std::pair{last_name(now[at].name), now[at].code}).empty()) {
      found.changed.push_back({.unit = at, .before = std::nullopt});
    }
  }
  for (const auto& [code, at] : by_code) found.vanished.push_back(at);
  std::ranges::sort(found.changed, {}, &ChapterUnit::unit);
  std::ranges::sort(found.vanished);
  return found;
}

std::vector<Chapter> change_chapters(const std::vector<SourceUnitRow>& before, const std::vector<SourceUnitRow>& now,
                                     const Differences& differences, std::int64_t budget) {
  std::vector<Item> items;
  items.reserve(differences.changed.size());
  for (const auto& change : differences.changed) {
    // Most lines are the same in both versions: of the old text only removed lines are shown.
    const std::int64_t old_tokens = change.before ? tokens_of(before[*change.before]) / 4 : 0;
    items.push_back({.unit = change, .tokens = tokens_of(now[change.unit]) + old_tokens});
  }
  return packed(now, items, budget);
}

}  // namespace parityd::agent
