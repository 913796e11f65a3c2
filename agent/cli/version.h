// Which parityd this is. Any thread.
#pragma once

#include <string>

namespace parityd::agent {

extern const char* const kCommit;      // abbreviated; empty in a build that is not made in a checkout
extern const char* const kCommitDate;  // YYYY-MM-DD; empty where kCommit is

/// For `--version`: "parityd 0.1.0 (commit 1a2b3c4 of 2026-01-31)", without a known commit "parityd 0.1.0".
[[nodiscard]] std::string version_text();

}  // namespace parityd::agent
