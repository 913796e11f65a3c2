// What a model needs of an issue's draft that is to change torch. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace parityd::agent {

/// The draft's body without what only a person who files it needs (what to fill in, possible duplicates, the complete
/// script, versions), without an earlier change and its heading, and without the extent, which the question says
/// itself. The changes of settings that were tried stay. A text with other headings is returned as it is.
[[nodiscard]] std::string bug_report(std::string_view draft);

}  // namespace parityd::agent
