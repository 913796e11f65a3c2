// What PyTorch's documentation leaves undefined or open: the rules by which eager_watched observes operators, each with
// its source (docs/excuses.md). Data and a look-up; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "oracle/measure/evidence.h"

namespace parityd::oracle {

struct Freedom {
  enum class Kind {
    undefined,  // the result may be anything
    open,       // one of several right results: which of equal elements an index names
  };
  Kind kind = Kind::undefined;
  std::string_view name;    // what an observation calls it: "right_shift_amount"
  std::string_view excuse;  // the excuse's name: "undefined.right_shift_amount"
  std::string_view about;   // what it says, in words
  std::string_view source;  // documentation or maintainers' word
};

[[nodiscard]] const std::vector<Freedom>& freedoms();

struct Reached {
  const Freedom* freedom = nullptr;
  const Observation* observation = nullptr;
};

/// Each freedom that reaches the leaf, by what eager_watched saw. Observations by unknown rules do not count.
[[nodiscard]] std::vector<Reached> freedoms_reaching(const Evidence& evidence, const std::string& path);

/// Whether there was a run to observe.
[[nodiscard]] bool was_watched(const Evidence& evidence);

}  // namespace parityd::oracle
