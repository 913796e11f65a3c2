#include <cstdlib>
#include <string>

#include "agent/cli/context.h"

namespace parityd::agent {
namespace fs = std::filesystem;

fs::path resolve_state_directory(const std::string& given) {
  if (!given.empty()) return fs::absolute(given);  // workers and the sandbox have other working directories
  // systemd may name several, separated by colons; the first is ours.
  if (const char* state = std::getenv("STATE_DIRECTORY"); state != nullptr && *state != '\0') {
    const std::string names(state);
    return names.substr(0, names.find(':'));
  }
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/') {
    return fs::path(state) / "parityd";
  }
  const char* home = std::getenv("HOME");
  return fs::path(home != nullptr ? home : ".") / ".local" / "state" / "parityd";
}

}  // namespace parityd::agent
