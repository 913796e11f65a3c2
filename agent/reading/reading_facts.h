// What a prompt is told of a chapter: texts, what eager promises, what was tried. Reads the store.
#pragma once

#include <string>
#include <vector>

#include "agent/reading/chapters.h"
#include "prompts/reading.h"
#include "store/store.h"

namespace parityd::agent {

/// The units of one torch, and of a change those of the one before it.
struct SourceShelf {
  store::Id torch = 0;
  std::string version, version_before;
  std::vector<store::SourceUnitRow> units, units_before;
};

[[nodiscard]] prompts::ReadingFacts reading_facts(const store::Store& store, const SourceShelf& shelf,
                                                  const Chapter& chapter);

/// Known bugs of operators that stand in the chapter, a line each in our words, those most about them first.
[[nodiscard]] std::vector<std::string> known_bugs(const std::vector<store::KnownIssue>& issues,
                                                  const SourceShelf& shelf, const Chapter& chapter);

/// As a reading notes them.
[[nodiscard]] std::vector<store::ReadUnit> units_read(const SourceShelf& shelf, const Chapter& chapter);

}  // namespace parityd::agent
