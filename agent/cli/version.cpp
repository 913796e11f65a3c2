#include "agent/cli/version.h"

#include <fmt/format.h>

namespace parityd::agent {

std::string version_text() {
  const std::string release = "parityd " PARITYD_VERSION;
  return *kCommit == '\0' ? release : fmt::format("{} (commit {} of {})", release, kCommit, kCommitDate);
}

}  // namespace parityd::agent
