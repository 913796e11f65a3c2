#include "agent/cli/providers.h"

#include <fmt/format.h>

#include "agent/llm/builtin/builtin.h"
#include "agent/llm/chat_provider.h"

namespace parityd::agent {

tl::expected<std::unique_ptr<Provider>, std::string> make_provider(const Config& config, HttpClient& http,
                                                                   executor::SyntaxClient& syntax,
                                                                   const std::filesystem::path& corpus) {
  if (config.provider == "none") {
    return nullptr;
  }
  const auto found = config.providers.find(config.provider);
  if (found == config.providers.end()) {
    std::string names = "none";
    for (const auto& [name, provider] : config.providers) {
      names += ", " + name;
    }
    return tl::unexpected(fmt::format(
        "there is no provider \"{}\"; there are {} (a table [provider.NAME] in {} adds one)", config.provider, names,
        config.file.empty() ? default_config_file().string() : config.file.string()));
  }
  if (found->second.kind == "builtin") {
    return std::make_unique<BuiltinProvider>(corpus, syntax, config.seed);
  }
  return make_chat_provider(found->second, http, config.seed);
}

tl::expected<std::unique_ptr<Provider>, std::string> make_draft_writer(const Config& config, HttpClient& http) {
  if (config.draft_writer.empty()) return nullptr;
  const auto found = config.providers.find(config.draft_writer);
  if (found == config.providers.end() || found->second.kind == "builtin") {
    return tl::unexpected(
        fmt::format("draft.writer: there is no provider \"{}\" that can write; a table [provider.{}] of kind \"chat\" "
                    "adds one",
                    config.draft_writer, config.draft_writer));
  }
  return make_chat_provider(found->second, http, config.seed);
}

}  // namespace parityd::agent
