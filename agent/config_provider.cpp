#include "agent/config_tables.h"

#include <fmt/format.h>

#include "agent/loopback_url.h"

namespace parityd::agent {
namespace {

/// Timeout for a cheap, slow service tier.
constexpr std::chrono::minutes kFlexPatience{15};

void read_tiers(const toml::table* table, const std::string& name, ConfigReport report,
                std::map<std::string, double>& tiers) {
  if (table == nullptr) return;
  TableReader reader(table, name, report);
  for (const auto& [key, node] : *table) {
    const std::string tier(key.str());
    reader.number(tier.c_str(), tiers[tier], 0, 1000);
  }
}

void read_price(const toml::table* table, const std::string& name, ConfigReport report, ProviderConfig& provider) {
  if (table == nullptr) return;
  ModelPrice price;
  TableReader reader(table, name, report);
  reader.number("input", price.input, 0, 1e6);
  price.cached_input = price.input;
  reader.number("cached_input", price.cached_input, 0, 1e6);
  price.cache_write = price.input;
  reader.number("cache_write", price.cache_write, 0, 1e6);
  reader.number("output", price.output, 0, 1e6);
  read_tiers(reader.table("tiers"), name + ".tiers", report, price.tiers);
  for (const char* key : {"input", "output"}) {
    if (!reader.has(key)) reader.mistake(key, "missing; expected dollars per million tokens");
  }
  provider.price = price;
}

void read_capabilities(const toml::table* table, const std::string& name, ConfigReport report,
                       ModelCapabilities& capabilities) {
  TableReader reader(table, name, report);
  reader.text("token_limit_field", capabilities.token_limit_field, {"max_completion_tokens", "max_tokens"});
  reader.flag("temperature", capabilities.temperature);
  reader.flag("seed", capabilities.seed);
  reader.text("reasoning_effort", capabilities.reasoning_effort);
  reader.text("service_tier", capabilities.service_tier);
}

void check_files(TableReader& reader, const ProviderConfig& provider) {
  reader.not_both("api_key_file", "api_key_env");
  const std::string& credential = provider.api_key_credential;
  if (!credential.empty() && !(provider.api_key_env.empty() && provider.api_key_file.empty())) {
    reader.mistake("api_key_credential", "api_key_env or api_key_file is also set; keep one");
  } else if (credential.find('/') != std::string::npos || credential.starts_with('.')) {
    reader.mistake("api_key_credential", "expected a name as in LoadCredential=, without a folder");
  }
  reader.not_both("replay", "record");
}

/// Checks that involve more than one key.
void check_api(TableReader& reader, const ProviderConfig& provider) {
  const bool loopback = is_loopback_url(provider.base_url);
  const bool plain = provider.base_url.starts_with("http://");
  if (provider.base_url.empty()) {
    reader.mistake("base_url", "missing; expected the API's base URL including its version, such as https://HOST/v1");
  } else if (!plain && !provider.base_url.starts_with("https://")) {
    reader.mistake("base_url", "expected an address that begins with https://");
  } else if (plain && !loopback && !provider.allow_http) {
    reader.mistake("base_url", "plain http to another machine; expected https://, or allow_http = true");
  } else if (provider.base_url.find('@') != std::string::npos) {
    reader.mistake("base_url", "contains a user name or password; put a key in api_key_env or api_key_file");
  }
  if (provider.model.empty()) reader.mistake("model", "missing; expected the model's name in the API");
  if (!loopback && !provider.price && !provider.base_url.empty() && provider.replay.empty()) {
    reader.mistake("price", "missing; the budget needs the price in dollars per million tokens (input, output)");
  }
}

void read_seconds(TableReader& reader, const char* key, std::chrono::milliseconds& value) {
  double seconds = static_cast<double>(value.count()) / 1000;
  reader.number(key, seconds, 1, 86'400);
  value = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

void read_timeouts(TableReader& reader, ProviderConfig& provider) {
  if (provider.capabilities.service_tier == "flex") provider.total_timeout = kFlexPatience;
  read_seconds(reader, "connect_timeout_seconds", provider.connect_timeout);
  read_seconds(reader, "total_timeout_seconds", provider.total_timeout);
  provider.first_byte_timeout = provider.total_timeout;
  read_seconds(reader, "first_byte_timeout_seconds", provider.first_byte_timeout);
}

void read_provider(const toml::table& table, const std::string& key, ConfigReport report, Config& config) {
  const std::string name = "provider." + key;
  ProviderConfig provider{.name = key, .kind = config.providers.contains(key) ? config.providers[key].kind : "chat"};
  TableReader reader(&table, name, report);
  reader.text("kind", provider.kind, {"chat", "anthropic", "builtin", "bred"});
  reader.text("base_url", provider.base_url);
  reader.flag("allow_http", provider.allow_http);
  reader.text("model", provider.model);
  reader.text("api_key_env", provider.api_key_env);
  reader.text("api_key_file", provider.api_key_file);
  reader.text("api_key_credential", provider.api_key_credential);
  provider.key_header = provider.kind == "anthropic" ? "x-api-key" : "authorization";
  reader.text("key_header", provider.key_header, {"authorization", "x-api-key", "api-key"});
  reader.text("api_version", provider.api_version);
  reader.number("max_in_flight", provider.max_in_flight, 1, 1024);
  reader.number("max_output_tokens", provider.max_output_tokens, 1, 1e6);
  double temperature = 1;
  reader.number("temperature", temperature, 0, 2);
  if (reader.has("temperature")) provider.temperature = temperature;
  reader.path("record", provider.record);
  reader.path("replay", provider.replay);
  read_price(reader.table("price"), name + ".price", report, provider);
  read_capabilities(reader.table("capabilities"), name + ".capabilities", report, provider.capabilities);
  read_timeouts(reader, provider);
  check_files(reader, provider);
  if (provider.asks_a_model()) check_api(reader, provider);
  config.providers[key] = std::move(provider);
}

/// A name, or { name = "…", weight = … }.
ProviderShare read_share(const toml::node& node, TableReader& run, ConfigReport report, const Config& config) {
  ProviderShare share;
  if (const auto* table = node.as_table()) {
    TableReader reader(table, "run.provider", report);
    reader.text("name", share.name);
    share.weight = usual_weight(config, share.name);
    reader.number("weight", share.weight, 0, 1e6);
  } else if (node.is_string()) {
    share.name = node.value<std::string>().value_or("");
    share.weight = usual_weight(config, share.name);
  } else {
    run.mistake(node, "provider", "expected a name or { name = \"…\", weight = … }");
    return share;
  }
  if (!config.providers.contains(share.name)) {
    run.mistake(node, "provider",
                fmt::format("there is no [provider.{}]; expected a configured one, builtin, bred or none", share.name));
  }
  return share;
}

}  // namespace

double usual_weight(const Config& config, const std::string& name) {
  const auto found = config.providers.find(name);
  return found != config.providers.end() && !found->second.asks_a_model() ? 0 : 1;
}

void read_providers(TableReader& root, ConfigReport report, Config& config) {
  const auto* providers = root.table("provider");
  if (providers == nullptr) return;
  for (const auto& [key, node] : *providers) {
    if (const auto* provider = node.as_table()) {
      read_provider(*provider, std::string(key.str()), report, config);
    } else {
      root.mistake(node, "provider." + std::string(key.str()), "expected a table [provider.NAME]");
    }
  }
}

void read_run_providers(const toml::node* node, ConfigReport report, Config& config) {
  if (node == nullptr) return;
  config.run_providers.clear();
  TableReader run(nullptr, "run", report);
  if (const auto* several = node->as_array()) {
    for (const auto& each : *several) config.run_providers.push_back(read_share(each, run, report, config));
    if (several->empty()) run.mistake(*node, "provider", "is empty; use \"none\" to run only queued programs");
  } else if (node->value<std::string>() != "none") {
    config.run_providers.push_back(read_share(*node, run, report, config));
  }
  if (config.run_providers.size() == 1) config.run_providers.front().weight = 1;
}

}  // namespace parityd::agent
