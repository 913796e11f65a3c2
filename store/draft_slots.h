// The places of a draft that are filled in after it was made: what a person checked, what it may be known as, on which
// torches it was tried. The stored text keeps them empty. Internal to store/. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "store/known_issues.h"
#include "store/store.h"

namespace parityd::store {

/// `body` with both places filled in; an empty text leaves its place as it is.
[[nodiscard]] std::string filled_draft(std::string body, const std::string& checked,
                                       const std::vector<KnownMatch>& known);

/// `body` with a first line that says which torches were tried; as it is where none was but the finding's own.
[[nodiscard]] std::string with_torches(std::string body, const FindingRow& finding,
                                       const std::vector<RecheckRow>& rechecks);

}  // namespace parityd::store
