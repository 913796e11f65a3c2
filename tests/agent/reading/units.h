// Units of sources that tests make up.
#pragma once

#include <string>
#include <vector>

#include "store/reading/sources.h"

namespace parityd::agent::testing {

inline store::SourceUnitRow a_unit(const std::string& file, const std::string& name, std::int64_t tokens,
                                   bool trivial = false) {
  return {.file = file,
          .name = name,
          .area = "lowerings",
          .code = name,
          .trivial = trivial,
          .characters = 4 * (tokens - 1),
          .lines = 0};
}

/// Its code is another one.
inline store::SourceUnitRow changed(store::SourceUnitRow unit) {
  unit.code += " changed";
  return unit;
}

}  // namespace parityd::agent::testing
