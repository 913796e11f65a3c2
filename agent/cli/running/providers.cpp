#include "agent/cli/running/providers.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/llm/builtin/builtin.h"
#include "agent/llm/cassette.h"
#include "agent/llm/chat_provider.h"
#include "agent/llm/providers.h"

namespace parityd::agent {
namespace {

/// The transport of a provider's requests; `http` if it uses no cassette.
tl::expected<std::reference_wrapper<Transport>, std::string> open_transport(const ProviderConfig& config,
                                                                            HttpClient& http, OpenedProvider& opened) {
  tl::expected<std::unique_ptr<Transport>, std::string> cassette;
  if (!config.replay.empty()) {
    cassette = CassetteReplayer::open(config.replay);
  } else if (!config.record.empty()) {
    cassette = CassetteRecorder::open(config.record, http);
  }
  if (!cassette) return tl::unexpected(fmt::format("provider {}: {}", config.name, cassette.error()));
  if (!*cassette) return std::ref<Transport>(http);
  opened.transports.push_back(std::move(*cassette));
  return std::ref(*opened.transports.back());
}

tl::expected<std::unique_ptr<Provider>, std::string> open_api(const Config& config, const ProviderConfig& provider,
                                                              HttpClient& http, KeyRing& ring, OpenedProvider& opened) {
  auto key = key_of(provider, ring);
  if (!key) return tl::unexpected(key.error());
  const auto transport = open_transport(provider, http, opened);
  if (!transport) return tl::unexpected(transport.error());
  return std::make_unique<ChatProvider>(provider, std::move(*key), transport->get(), config.seed);
}

std::string no_such_provider(const Config& config, const std::string& name) {
  std::string names = "none";
  for (const auto& [each, provider] : config.providers) names += ", " + each;
  return fmt::format("there is no provider \"{}\"; there are {} (add one with a table [provider.NAME] in {})", name,
                     names, config.file.empty() ? default_config_file().string() : config.file.string());
}

}  // namespace

tl::expected<Secret, std::string> token_of(const std::string& variable, const std::string& file) {
  if (!variable.empty()) return secret_from_environment(variable);
  if (!file.empty()) return secret_from_file(file);
  return Secret();
}

tl::expected<OpenedProvider, std::string> open_providers(const Config& config, HttpClient& http, KeyRing& ring,
                                                         const std::filesystem::path& corpus) {
  OpenedProvider opened;
  std::vector<Providers::Member> members;
  for (const auto& share : config.run_providers) {
    const auto found = config.providers.find(share.name);
    if (found == config.providers.end()) return tl::unexpected(no_such_provider(config, share.name));
    if (!found->second.asks_a_model()) {
      auto replayed = found->second.kind == "builtin" ? std::make_unique<BuiltinProvider>(corpus, config.seed)
                                                      : std::make_unique<BuiltinProvider>();
      members.push_back({.provider = std::move(replayed), .weight = share.weight});
      continue;
    }
    auto api = open_api(config, found->second, http, ring, opened);
    if (!api) return tl::unexpected(api.error());
    members.push_back({.provider = std::move(*api), .weight = share.weight});
  }
  if (config.mutant_share == 0 && !config.run_providers.empty() &&
      std::ranges::all_of(config.run_providers,
                          [&](const auto& share) { return config.providers.at(share.name).kind == "bred"; })) {
    return tl::unexpected(std::string(
        "provider bred makes no programs while run.mutant_share is 0; raise it, or choose another provider"));
  }
  if (members.size() == 1) {
    opened.provider = std::move(members.front().provider);
  } else if (!members.empty()) {
    opened.provider = std::make_unique<Providers>(std::move(members));
  }
  return opened;
}

void choose_providers(Config& config, const std::vector<std::string>& names) {
  if (names.empty()) return;
  std::vector<ProviderShare> chosen;
  for (const auto& name : names) {
    const auto configured = std::find_if(config.run_providers.begin(), config.run_providers.end(),
                                         [&](const ProviderShare& share) { return share.name == name; });
    if (names.size() > 1 && configured != config.run_providers.end()) {
      chosen.push_back(*configured);
    } else if (name != "none") {
      chosen.push_back({.name = name, .weight = usual_weight(config, name)});
    }
  }
  config.run_providers = std::move(chosen);
}

}  // namespace parityd::agent
