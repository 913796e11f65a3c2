#include <ostream>

#include "agent/cli/commands.h"

namespace parityd::agent {

tl::expected<Config, ConfigErrors> read_context_config(const Context& context) {
  const bool named = !context.config_file.empty();
  const auto file = named ? context.config_file : default_config_file();
  return !named && !std::filesystem::exists(file) ? parse_config("", {}) : load_config(file);
}

std::optional<Config> load_context_config(Context& context) {
  auto config = read_context_config(context);
  if (config) return std::move(*config);
  context.err << "parityd: the configuration has mistakes:\n";
  for (const auto& error : config.error()) {
    context.err << "  " << error << "\n";
  }
  context.exit_code = 2;
  return std::nullopt;
}

}  // namespace parityd::agent
