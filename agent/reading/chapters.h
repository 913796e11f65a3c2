// Chapters: what of torch's sources a model is given to read at once. Neighbours make sense of each other, so a chapter
// is as many neighbouring units of one file as a budget of tokens holds, and then helpers that they call. Pure; any
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

/// A unit by its number, and what it was before.
struct ChapterUnit {
  std::size_t unit = 0;
  std::optional<std::size_t> before;
};

struct Chapter {
  std::string key;  // "_inductor/lowering.py: promoted … fourth"
  std::string file, area;
  std::vector<ChapterUnit> units;    // in the order of the file; `before` of a change
  std::vector<std::size_t> helpers;  // units that stand elsewhere
  std::int64_t tokens = 0;           // about
};

/// What a unit takes in a prompt, with its lines' numbers.
[[nodiscard]] std::int64_t tokens_of(const store::SourceUnitRow& unit);

/// `units` are those of one torch, in the order of their files. What is trivial comes along, but makes no chapter.
[[nodiscard]] std::vector<Chapter> chapters(const std::vector<store::SourceUnitRow>& units,
                                            std::int64_t budget = kChapterTokens);

/// What of torch's sources is another one in the next version, units by their numbers in the two lists. What only
/// moved, or got other comments, is none of these.
struct Differences {
  std::vector<ChapterUnit> changed;   // or new: those have no `before`; in the order of the files
  std::vector<std::size_t> vanished;  // of the older ones
};
[[nodiscard]] Differences differences(const std::vector<store::SourceUnitRow>& before,
                                      const std::vector<store::SourceUnitRow>& now);

/// Chapters of what changed and appeared since `before`.
[[nodiscard]] std::vector<Chapter> change_chapters(const std::vector<store::SourceUnitRow>& before,
                                                   const std::vector<store::SourceUnitRow>& now,
                                                   const Differences& differences,
                                                   std::int64_t budget = kChapterTokens);

}  // namespace parityd::agent
