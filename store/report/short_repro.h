// The reproducer in an issue's body: the program, a few lines that run it eager and compiled, and what they print, as
// far as evidence holds it. `parityd repro` is the complete script. Internal to store/. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "store/report/draft.h"

namespace parityd::store {

struct ShortRepro {
  std::string text;                  // Python
  std::vector<std::string> printed;  // on standard output, line for line; empty: evidence does not say
  std::string raised;  // how the traceback it ends with ends; empty: nothing is raised, or it is not known
};

[[nodiscard]] ShortRepro short_repro(const DraftFacts& facts);

/// Lines that hold code.
[[nodiscard]] std::size_t code_lines(std::string_view text);

}  // namespace parityd::store
