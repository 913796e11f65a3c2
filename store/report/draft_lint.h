// Checks whether a draft follows PyTorch's rules for reports by fuzzers and its AI policy. Reads only the text, so it
// also covers drafts from a changed template. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "store/store.h"

namespace parityd::store {

struct LintRemark {
  /// "tolerances", "indices", "reference", "same", "random", "length", "disclosure", "checked", "form", "change"
  std::string rule;
  std::string text;  // what is wrong, for the person who files it
};

/// What a maintainer could object to; empty if the draft follows all rules.
[[nodiscard]] std::vector<LintRemark> lint_draft(const DraftRow& draft, oracle::Kind kind);

/// The limit for the reproducer in a body, in lines of code.
inline constexpr std::size_t kLongestProgram = 25;

}  // namespace parityd::store
