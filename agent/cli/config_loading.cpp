#include <ostream>

#include "agent/cli/commands.h"

namespace parityd::agent {

std::optional<Config> load_context_config(Context& context) {
  const bool named = !context.config_file.empty();
  const auto file = named ? context.config_file : default_config_file();
  if (!named && !std::filesystem::exists(file)) {
    auto defaults = parse_config("", {});
    return std::move(*defaults);
  }
  auto config = load_config(file);
  if (config) {
    return std::move(*config);
  }
  context.err << "parityd: the configuration has mistakes:\n";
  for (const auto& error : config.error()) {
    context.err << "  " << error << "\n";
  }
  context.exit_code = 2;
  return std::nullopt;
}

}  // namespace parityd::agent
