#include "agent/reading/reading_facts.h"

#include <set>

namespace parityd::agent {
namespace {

constexpr int kTried = 24;

prompts::SourceText text_of(const store::Store& store, const store::SourceUnitRow& unit) {
  return {.file = unit.file,
          .name = unit.name,
          .first_line = unit.first_line,
          .registers = unit.registers,
          .text = store.source_text(unit.text_hash)};
}

/// Each operator once: overloads share a promise.
std::vector<std::string> promises_of(const store::Store& store, const SourceShelf& shelf, const Chapter& chapter) {
  std::set<std::string> told;
  std::vector<std::string> promises;
  for (const auto& each : chapter.units) {
    for (const std::string& name : shelf.units[each.unit].operators) {
      std::string promise = store.source_promise(shelf.torch, name);
      if (!promise.empty() && told.insert(promise).second) promises.push_back(std::move(promise));
    }
  }
  return promises;
}

}  // namespace

prompts::ReadingFacts reading_facts(const store::Store& store, const SourceShelf& shelf, const Chapter& chapter) {
  prompts::ReadingFacts facts{.torch = shelf.version,
                              .torch_before = shelf.version_before,
                              .area = chapter.area,
                              .promises = promises_of(store, shelf, chapter)};
  for (const auto& each : chapter.units) {
    auto& text = facts.units.emplace_back(text_of(store, shelf.units[each.unit]));
    if (each.before) text.before = store.source_text(shelf.units_before[*each.before].text_hash);
  }
  for (const std::size_t helper : chapter.helpers) facts.helpers.push_back(text_of(store, shelf.units[helper]));
  for (const auto& tried : store.hypotheses_about(units_read(shelf, chapter), kTried)) {
    facts.tried.push_back({.text = tried.text, .outcome = tried.outcome});
  }
  return facts;
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
