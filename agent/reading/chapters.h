// Chapters: parts of torch's sources that a model is given to read at once. Neighbours explain each other, so a chapter
// is as many neighbouring units of one file as fit a token budget, followed by helpers that they call. Pure; any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/reading/sources.h"

namespace parityd::agent {

inline constexpr std::int64_t kChapterTokens = 12'000;

/// Index of a unit, and of its older version if it changed.
struct ChapterUnit {
  std::size_t unit = 0;
  std::optional<std::size_t> before;
};

struct Chapter {
  std::string key;  // "_inductor/lowering.py: promoted … fourth"
  std::string file, area;
  std::vector<ChapterUnit> units;    // in file order; `before` is set for a change
  std::vector<std::size_t> helpers;  // units from elsewhere
  std::int64_t tokens = 0;           // approximate
};

/// Approximate tokens of a unit in a prompt, line numbers included.
[[nodiscard]] std::int64_t tokens_of(const store::SourceUnitRow& unit);

/// `units`: those of one torch, in the order of their files. Trivial units are included but do not make a chapter on
/// their own.
[[nodiscard]] std::vector<Chapter> chapters(const std::vector<store::SourceUnitRow>& units,
                                            std::int64_t budget = kChapterTokens);

/// What differs between two versions of torch's sources; units are given by their index in the two lists. Units that
/// only moved or whose comments changed are not listed.
struct Differences {
  std::vector<ChapterUnit> changed;   // changed or new units (new: no `before`), in the order of the files
  std::vector<std::size_t> vanished;  // indexes into the older list
};
[[nodiscard]] Differences differences(const std::vector<store::SourceUnitRow>& before,
                                      const std::vector<store::SourceUnitRow>& now);

/// Chapters made of the units that changed or appeared since `before`.
[[nodiscard]] std::vector<Chapter> change_chapters(const std::vector<store::SourceUnitRow>& before,
                                                   const std::vector<store::SourceUnitRow>& now,
                                                   const Differences& differences,
                                                   std::int64_t budget = kChapterTokens);

}  // namespace parityd::agent
