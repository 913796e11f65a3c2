// The part of a draft about a change of torch's Python files that makes the finding vanish. Internal to store/. Pure;
// any thread.
#pragma once

#include <string>
#include <string_view>

#include "store/findings/fixes.h"

namespace parityd::store {

/// Its heading. No other line of a draft outside of fenced blocks is this one.
inline constexpr std::string_view kChangeHeading = "#### A change that makes it vanish";
/// What it says about its author.
inline constexpr std::string_view kChangeAuthor = "Written by a language model, not reviewed";

/// Inserts the part before the form's "Error logs", or appends it if that heading is missing. The diff and the test are
/// left out, the test first, if the text would have more than `limit` characters. REQUIRES: an accepted try.
[[nodiscard]] std::string with_change_section(std::string body, const FixTry& change, std::size_t limit);

}  // namespace parityd::store
