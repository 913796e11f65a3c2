// The elements of one leaf as numbers, for rules that look at them one by one. Any thread.
#pragma once

#include <optional>
#include <vector>

#include "oracle/run_record.h"

namespace parityd::oracle {

/// All elements in the order of their indices, complex ones as two; an int or a bool of Python's as one. Doubles are
/// enough: a difference that they cannot hold is a wide one. nullopt: other values of Python's, memory that is not
/// there to be read.
[[nodiscard]] std::optional<std::vector<double>> values_of(const RunRecord& record, const Leaf& leaf);

}  // namespace parityd::oracle
