#include "agent/reading/reading_facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

namespace parityd::agent {
namespace {

constexpr int kTried = 24;
constexpr std::size_t kMostKnown = 14;

prompts::SourceText text_of(const store::Store& store, const store::SourceUnitRow& unit) {
  return {.file = unit.file,
          .name = unit.name,
          .first_line = unit.first_line,
          .registers = unit.registers,
          .text = store.sources.text(unit.text_hash)};
}

/// One promise per operator: overloads share it.
std::vector<std::string> promises_of(const store::Store& store, const SourceShelf& shelf, const Chapter& chapter) {
  std::set<std::string> told;
  std::vector<std::string> promises;
  for (const auto& each : chapter.units) {
    for (const std::string& name : shelf.units[each.unit].operators) {
      std::string promise = store.sources.promise(shelf.torch, name);
      if (!promise.empty() && told.insert(promise).second) promises.push_back(std::move(promise));
    }
  }
  return promises;
}

/// Names of operators in the chapter: those that its functions are registered for, and the functions' own names.
std::set<std::string> names_in(const SourceShelf& shelf, const Chapter& chapter) {
  std::set<std::string> names;
  for (const auto& each : chapter.units) {
    const auto& unit = shelf.units[each.unit];
    names.insert(unit.name.substr(unit.name.rfind('.') + 1));
    for (const std::string& called : unit.operators) {
      const auto begin = called.find('.') + 1;
      names.insert(called.substr(begin, called.find('.', begin) - begin));
    }
  }
  return names;
}

}  // namespace

prompts::ReadingFacts reading_facts(const store::Store& store, const SourceShelf& shelf, const Chapter& chapter) {
  prompts::ReadingFacts facts{.torch = shelf.version,
                              .torch_before = shelf.version_before,
                              .area = chapter.area,
                              .promises = promises_of(store, shelf, chapter)};
  for (const auto& each : chapter.units) {
    auto& text = facts.units.emplace_back(text_of(store, shelf.units[each.unit]));
    if (each.before) text.before = store.sources.text(shelf.units_before[*each.before].text_hash);
  }
  for (const std::size_t helper : chapter.helpers) facts.helpers.push_back(text_of(store, shelf.units[helper]));
  for (const auto& tried : store.hypotheses.about(units_read(shelf, chapter), kTried)) {
    facts.tried.push_back({.text = tried.text, .outcome = tried.outcome});
  }
  return facts;
}

std::vector<std::string> known_bugs(const std::vector<store::KnownIssue>& issues, const SourceShelf& shelf,
                                    const Chapter& chapter) {
  const std::set<std::string> names = names_in(shelf, chapter);
  std::vector<std::pair<double, std::string>> found;
  for (const auto& issue : issues) {
    const auto here = std::ranges::count_if(issue.operators, [&](const auto& each) { return names.contains(each); });
    if (here == 0 || issue.trait == store::kUmbrellaTrait) continue;
    found.emplace_back(static_cast<double>(here) / static_cast<double>(issue.operators.size()),
                       fmt::format("{}: {}, {}, from stage {} on", fmt::join(issue.operators, ", "), issue.trait,
                                   name(issue.kind), name(issue.stage)));
  }
  std::ranges::stable_sort(found, std::greater(), [](const auto& each) { return each.first; });
  std::vector<std::string> bugs;
  for (auto& [share, bug] : found) {
    if (bugs.size() < kMostKnown) bugs.push_back(std::move(bug));
  }
  return bugs;
}

std::vector<store::ReadUnit> units_read(const SourceShelf& shelf, const Chapter& chapter) {
  std::vector<store::ReadUnit> units;
  for (const auto& each : chapter.units) {
    const auto& unit = shelf.units[each.unit];
    units.push_back({.file = unit.file, .name = unit.name, .code = unit.code});
  }
  return units;
}

}  // namespace parityd::agent
