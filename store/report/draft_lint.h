// Whether a draft keeps PyTorch's rules for fuzzers' reports and its AI policy. Looks at the text alone, so it holds
// for drafts whose template somebody changed. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "store/store.h"

namespace parityd::store {

struct LintRemark {
  std::string
      rule;  // "tolerances", "indices", "reference", "same", "random", "length", "disclosure", "checked", "form"
  std::string text;  // what is wrong, for the person who files it
};

/// What a maintainer could object to; empty for a draft that keeps all rules.
[[nodiscard]] std::vector<LintRemark> lint_draft(const DraftRow& draft, oracle::Kind kind);

/// Issues of GitHub take no more characters.
inline constexpr std::size_t kLongestBody = 65'536;
/// The reproducer of a body, in lines of code.
inline constexpr std::size_t kLongestProgram = 25;

}  // namespace parityd::store
