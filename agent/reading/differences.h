// What of torch's sources is another one in the next version. Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "store/reading/sources.h"

namespace parityd::agent {

/// A unit by its number, and what it was before.
struct ChapterUnit {
  std::size_t unit = 0;
  std::optional<std::size_t> before;
};

/// Units by their numbers in the two lists. What only moved, or got other comments, is none of these.
struct Differences {
  std::vector<ChapterUnit> changed;   // or new: those have no `before`; in the order of the files
  std::vector<std::size_t> vanished;  // of the older ones
};

[[nodiscard]] Differences differences(const std::vector<store::SourceUnitRow>& before,
                                      const std::vector<store::SourceUnitRow>& now);

}  // namespace parityd::agent
