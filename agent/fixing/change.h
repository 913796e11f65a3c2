// A change of torch's Python files as a model proposes it, read from the text of its reply. Pure; any thread.
//
// The form of a reply. A module is named with dots, never by a path. Markers begin in the first column.
//
//   Some sentences that say why.
//
//   torch._inductor.lowering
//   <<<<<<< SEARCH
//   whole lines of the installed file
//   =======
//   the lines in their place; none: the lines are deleted
//   >>>>>>> REPLACE
//
//   ```python
//   the regression test
//   ```
//
// Any number of edits, and one test. An edit without a module follows another one directly and is in the same module.
// Fences around edits are ignored. Instead of edits, a line `NO PATCH: the reason`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace parityd::agent {

/// Whole lines, each with "\n" at its end; no control characters, valid UTF-8.
struct Edit {
  std::string module;   // "torch._inductor.lowering"
  std::string search;   // not empty
  std::string replace;  // differs from `search`; empty: the lines are deleted
};

struct ProposedChange {
  std::vector<Edit> edits;  // empty: the model proposes no patch
  std::string test;         // empty only without edits
  std::string why;          // the sentences around edits and test; not empty without edits
};

/// The longest reply that is read, in bytes: several times what models write, and nothing behind it takes long.
inline constexpr std::size_t kLongestReply = std::size_t{1} << 20;
/// A fix for one finding needs a few; more is a rewrite, which nobody reviews.
inline constexpr std::size_t kMostEdits = 32;

/// A test whose fence is not closed ends with the reply: models leave out the last line of all. REQUIRES: the provider
/// did not report a refusal. The error is written for the model: what is wrong in its reply, and the form that is
/// expected.
[[nodiscard]] tl::expected<ProposedChange, std::string> parse_change(std::string_view reply);

}  // namespace parityd::agent
