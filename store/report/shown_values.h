// Single values in a finding's evidence: the places where eager and compiled disagree, as Python reaches and prints
// them. Internal to store/. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "store/report/draft.h"

namespace parityd::store {

struct ShownValue {
  std::string label;            // "output[0][1, 3]", "output.dtype"
  std::string dtype;            // of the leaf
  std::string expression;       // Python over `output`, `inputs` and `model`; empty: none is known
  std::string eager, compiled;  // the printed result of the expression; empty: not stored
  std::string reference;        // the same for eager in fp64; empty: not stored
  std::string detail;           // what differs, in words
};

/// Python over `output`, `inputs` and `model` that reaches the leaf after a run; empty if no safe expression is known.
[[nodiscard]] std::string reached(const std::string& path);

/// One for each reported leaf of the round that showed the finding, in the verdict's order, at most `limit`.
[[nodiscard]] std::vector<ShownValue> shown_values(const DraftFacts& facts, std::size_t limit);

/// "InductorError: AssertionError: lowering failed": the class and the first line of the error, as in the last lines of
/// Python's traceback; for a backend's error, its own class and line; for a kernel that Triton rejects, oracle's
/// words_of_triton(), or the name of what the kernel calls there. "AssertionError in scheduler.py:fuse" if the message
/// is empty.
[[nodiscard]] std::string error_line(const oracle::ErrorReport& error);

}  // namespace parityd::store
