#include "agent/cli/context.h"

#include <cstdlib>

#include "agent/cli/table.h"

namespace parityd::agent {
namespace fs = std::filesystem;

void Context::heading(std::string_view text) const {
  out << "\n" << coloured(text, Colour::bold, screen.colour) << "\n";
}

fs::path resolve_state_directory(const std::string& given) {
  if (!given.empty()) return fs::absolute(given);  // workers and the sandbox use other working directories
  // systemd may name several, separated by colons; ours is the first.
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

tl::expected<Config, ConfigErrors> read_context_config(const Context& context) {
  const bool named = !context.config_file.empty();
  const auto file = named ? context.config_file : default_config_file();
  return !named && !fs::exists(file) ? parse_config("", {}) : load_config(file);
}

std::optional<Config> load_context_config(Context& context) {
  auto config = read_context_config(context);
  if (config) return std::move(*config);
  context.fail(2, "parityd: the configuration has mistakes:\n  {}", fmt::join(config.error(), "\n  "));
  return std::nullopt;
}

}  // namespace parityd::agent
