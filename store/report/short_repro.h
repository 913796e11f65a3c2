// The reproducer in an issue's body: the program, a few lines that run it eager and compiled, and their output, as far
// as the evidence contains it. `parityd repro` gives the complete script. Internal to store/. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "store/report/draft.h"

namespace parityd::store {

struct ShortRepro {
  std::string text;                  // Python
  std::vector<std::string> printed;  // on standard output, line by line; empty: not in the evidence
  std::string raised;                // the end of the traceback; empty: nothing is raised, or unknown
};

[[nodiscard]] ShortRepro short_repro(const DraftFacts& facts);

/// The number of lines that contain code.
[[nodiscard]] std::size_t code_lines(std::string_view text);

}  // namespace parityd::store
