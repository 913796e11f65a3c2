// Facts about a chapter for a prompt: texts, what eager promises, what was tried. Reads the store. One thread.
#pragma once

#include <string>
#include <vector>

#include "agent/reading/chapters.h"
#include "prompts/reading.h"
#include "store/store.h"

namespace parityd::agent {

/// The units of one torch and, to show changes, those of the torch before it.
struct SourceShelf {
  store::Id torch = 0;
  std::string version, version_before;
  std::vector<store::SourceUnitRow> units, units_before;
};

[[nodiscard]] prompts::ReadingFacts reading_facts(const store::Store& store, const SourceShelf& shelf,
                                                  const Chapter& chapter);

/// Known bugs of operators in the chapter, one line each in parityd's words, the most relevant first.
[[nodiscard]] std::vector<std::string> known_bugs(const std::vector<store::KnownIssue>& issues,
                                                  const SourceShelf& shelf, const Chapter& chapter);

/// The chapter's units as a reading stores them.
[[nodiscard]] std::vector<store::ReadUnit> units_read(const SourceShelf& shelf, const Chapter& chapter);

}  // namespace parityd::agent
