// The places of a draft that are filled in after it was made: what a person checked, what it may be known as, where its
// trace log is, what its script did, on which torches it was tried. The stored text keeps them empty. Internal to
// store/. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "store/findings/findings.h"
#include "store/findings/known_issues.h"
#include "store/findings/rechecks.h"
#include "store/findings/scripts.h"

namespace parityd::store {

struct LaterFacts {
  FindingRow finding;
  std::string checked;  // by a person; may be empty
  std::vector<KnownMatch> known;
  bool traced = false;                 // the `trace` tool's text is kept
  std::vector<std::string> sanitized;  // what compute-sanitizer said against its kernels, a tool each
  std::vector<RecheckRow> rechecks;
  std::vector<ScriptRun> scripts;
};

/// `body` with its places filled in; what nobody checked leaves that place as it is, and the first line stays where no
/// torch but the finding's own was tried.
[[nodiscard]] std::string filled_draft(std::string body, const LaterFacts& facts);

}  // namespace parityd::store
