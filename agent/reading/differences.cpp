#include "agent/reading/differences.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace parityd::agent {
namespace {

using store::SourceUnitRow;

/// "stride" of "Layout.stride".
std::string last_name(const std::string& name) { return name.substr(name.rfind('.') + 1); }

}  // namespace

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
  // What is left of the old ones stands elsewhere now, or is gone.
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

}  // namespace parityd::agent
