// The places of a draft that are filled in after it was made: what a person checked, what it may be known as, where its
// trace log is. The stored text keeps them empty. Internal to store/. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "store/known_issues.h"
#include "store/store.h"

namespace parityd::store {

struct LaterFacts {
  Id finding = 0;
  std::string checked;  // by a person; may be empty
  std::vector<KnownMatch> known;
  bool traced = false;  // the `trace` tool's text is kept
};

/// `body` with its places filled in; what nobody checked leaves that place as it is.
[[nodiscard]] std::string filled_draft(std::string body, const LaterFacts& facts);

}  // namespace parityd::store
