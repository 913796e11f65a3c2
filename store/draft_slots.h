// The places of a draft that are filled in after it was made: what a person checked, and what it may be known as. The
// stored text keeps them empty. Internal to store/. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "store/known_issues.h"

namespace parityd::store {

/// `body` with both places filled in; an empty text leaves its place as it is.
[[nodiscard]] std::string filled_draft(std::string body, const std::string& checked,
                                       const std::vector<KnownMatch>& known);

}  // namespace parityd::store
