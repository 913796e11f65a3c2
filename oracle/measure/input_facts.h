// What the inputs of a program hold that ordinary inputs do not: the "edge" row of docs/disposition.md.
// Pure; any thread.
#pragma once

#include "oracle/run_record.h"

namespace parityd::oracle {

struct InputFacts {
  bool non_finite = false;  // NaN or infinity in a floating or complex input
  bool extreme = false;     // a finite value beyond a million (half: 8190), an integer beyond half its type's range
  bool zero_size = false;   // a tensor without elements

  [[nodiscard]] bool edge() const { return non_finite || extreme || zero_size; }
};

/// Looks at the leaves of group `input`, Python numbers included; integers of one byte are never extreme. Leaves that
/// point outside their storage are passed over.
[[nodiscard]] InputFacts input_facts(const RunRecord& record);

}  // namespace parityd::oracle
