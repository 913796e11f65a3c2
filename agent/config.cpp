#include "agent/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "agent/config_executor.h"
#include "agent/config_reader.h"
#include "agent/duration.h"
#include "agent/llm/http.h"
#include "oracle/disposition.h"
#include "oracle/excuses.h"

namespace parityd::agent {
namespace {

void read_price(const toml::table* table, const std::string& name, ConfigReport report, ProviderConfig& provider) {
  if (table == nullptr) {
    return;
  }
  ModelPrice price;
  TableReader reader(table, name, report);
  reader.number("input", price.input, 0, 1e6);
  price.cached_input = price.input;
  reader.number("cached_input", price.cached_input, 0, 1e6);
  reader.number("output", price.output, 0, 1e6);
  for (const char* key : {"input", "output"}) {
    if (!reader.has(key)) {
      reader.mistake(key, "missing: dollars per million tokens");
    }
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

/// What one key alone cannot tell.
void check_provider(TableReader& reader, const ProviderConfig& provider) {
  if (provider.kind == "chat") {
    const bool loopback = is_loopback_url(provider.base_url);
    const bool plain = provider.base_url.starts_with("http://");
    if (provider.base_url.empty()) {
      reader.mistake("base_url", "missing: the API's address up to and with its version, such as https://HOST/v1");
    } else if (!plain && !provider.base_url.starts_with("https://")) {
      reader.mistake("base_url", "expected an address that begins with https://");
    } else if (plain && !loopback && !provider.allow_http) {
      reader.mistake("base_url", "plain http to another machine: expected https://, or allow_http = true");
    } else if (provider.base_url.find('@') != std::string::npos) {
      reader.mistake("base_url", "holds a user name or password: a key belongs into api_key_env or api_key_file");
    }
    if (provider.model.empty()) {
      reader.mistake("model", "missing: the model's name as the API knows it");
    }
    if (!loopback && !provider.price && !provider.base_url.empty()) {
      reader.mistake("price", "missing: without dollars per million tokens (input, output) the budget cannot hold");
    }
  }
  if (!provider.api_key_env.empty() && !provider.api_key_file.empty()) {
    reader.mistake("api_key_file", "api_key_env is given too; keep one");
  }
}

void read_provider(const toml::table& table, const std::string& key, ConfigReport report, Config& config) {
  const std::string name = "provider." + key;
  ProviderConfig provider{.name = key, .kind = key == "builtin" ? "builtin" : "chat"};
  TableReader reader(&table, name, report);
  reader.text("kind", provider.kind, {"chat", "builtin"});
  reader.text("base_url", provider.base_url);
  reader.flag("allow_http", provider.allow_http);
  reader.text("model", provider.model);
  reader.text("api_key_env", provider.api_key_env);
  reader.text("api_key_file", provider.api_key_file);
  reader.number("max_in_flight", provider.max_in_flight, 1, 1024);
  reader.number("max_output_tokens", provider.max_output_tokens, 1, 1e6);
  if (reader.has("temperature")) {
    reader.number("temperature", provider.temperature.emplace(1.0), 0, 2);
  } else {
    double unused = 0;
    reader.number("temperature", unused, 0, 2);
  }
  double seconds = 600;
  reader.number("total_timeout_seconds", seconds, 1, 86'400);
  provider.total_timeout = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
  read_price(reader.table("price"), name + ".price", report, provider);
  read_capabilities(reader.table("capabilities"), name + ".capabilities", report, provider.capabilities);
  check_provider(reader, provider);
  config.providers[key] = std::move(provider);
}

void read_modes(const toml::table* table, ConfigReport report, Config& config) {
  TableReader reader(table, "modes", report);
  double sum = 0;
  for (auto& [name, weight] : config.modes) {
    reader.number(name.c_str(), weight, 0, 1e6);
    sum += weight;
  }
  if (table != nullptr && sum <= 0) {
    reader.mistake("inductor", "all weights are zero: expected one above zero");
  }
}

void read_dispositions(const toml::table* table, ConfigReport report, Config& config) {
  TableReader reader(table, "disposition", report);
  const std::string_view last = oracle::disposition_rows().back().name;
  for (const auto& row : oracle::disposition_rows()) {
    const std::string name(row.name);
    std::string chosen(row.disposition);
    reader.text(name.c_str(), chosen);
    if (chosen == row.disposition) {
      continue;
    }
    const auto disposition = oracle::disposition_from_text(chosen);
    if (disposition || (chosen == "pass" && row.name != last)) {
      config.dispositions[name] = disposition;
    } else if (chosen == "pass") {
      reader.mistake(name.c_str(), "the last row cannot be passed over: no other would apply");
    } else {
      reader.mistake(name.c_str(),
                     fmt::format("\"{}\" is no disposition; expected ready(1), ready(2), umbrella(ISSUE), "
                                 "held(REASON) or pass",
                                 chosen));
    }
  }
}

/// A span of time as people write it; a mistake says what is expected.
void read_span(TableReader& reader, const char* key, std::chrono::seconds& value) {
  std::string text;
  reader.text(key, text);
  if (text.empty()) {
    return;
  }
  if (const auto span = parse_duration(text)) {
    value = std::chrono::duration_cast<std::chrono::seconds>(*span);
  } else {
    reader.mistake(key, fmt::format("\"{}\" is no span of time; expected one such as 12h or 7d", text));
  }
}

void read_known(const toml::table* table, ConfigReport report, Config& config) {
  TableReader reader(table, "known", report);
  read_span(reader, "max_age", config.known_max_age);
  reader.text("url", config.known_url);
  reader.text("token_env", config.known_token_env);
  reader.text("token_file", config.known_token_file);
  if (!config.known_url.starts_with("https://") && !is_loopback_url(config.known_url)) {
    reader.mistake("url", "expected an address that begins with https://");
  } else if (config.known_url.find('@') != std::string::npos) {
    reader.mistake("url", "holds a user name or password: a token belongs into token_env or token_file");
  }
  if (!config.known_token_env.empty() && !config.known_token_file.empty()) {
    reader.mistake("token_file", "token_env is given too; keep one");
  }
}

void read_versions(const toml::table* table, ConfigReport report, Config& config) {
  TableReader reader(table, "versions", report);
  std::string newest;
  std::vector<std::string> pythons;
  reader.text("newest", newest);
  reader.texts("pythons", pythons);
  reader.number("sentinel_sample", config.sentinel_sample, 0, 100'000);
  if (std::find(pythons.begin(), pythons.end(), "") != pythons.end()) {
    reader.mistake("pythons", "holds an empty path");
  }
  config.newest_python = newest;
  config.version_pythons.assign(pythons.begin(), pythons.end());
}

/// [run] provider must name one of the tables.
void check_choice(const toml::table& root, TableReader& reader, const Config& config) {
  const auto* node = root.at_path("run.provider").node();
  if (node != nullptr && node->is_string() && config.provider != "none" &&
      !config.providers.contains(config.provider)) {
    reader.mistake(*node, "run.provider",
                   fmt::format("there is no [provider.{}]; expected one that is, builtin or none", config.provider));
  }
}

}  // namespace

tl::expected<Config, ConfigErrors> parse_config(std::string_view text, const std::filesystem::path& file) {
  Config config;
  config.file = file;
  config.modes = {{"inductor", 55}, {"backward", 15},    {"dynamic", 15},
                  {"fullgraph", 5}, {"max_autotune", 5}, {"reduce_overhead", 5}};
  config.providers["builtin"] = ProviderConfig{.name = "builtin", .kind = "builtin"};
  toml::table root;
  try {
    root = toml::parse(text, file.string());
  } catch (const toml::parse_error& error) {
    return tl::unexpected(
        ConfigErrors{fmt::format("{}:{}: {}", file.string(), error.source().begin.line, error.description())});
  }
  ConfigErrors errors;
  const ConfigReport report{.file = file, .errors = errors};
  {
    TableReader reader(&root, "", report);
    {
      TableReader run(reader.table("run"), "run", report);
      run.text("provider", config.provider);
      run.number("seed", config.seed, 0, 9e18);
      run.number("repair_rounds", config.repair_rounds, 0, 3);
    }
    read_executor(reader.table("executor"), report, config);
    read_modes(reader.table("modes"), report, config);
    {
      TableReader table(reader.table("oracle"), "oracle", report);
      table.number("gate_rounds", config.gate_rounds, 1, 20);
      table.number("confirm_share", config.confirm_share, 0.01, 1);
      table.number("reduction_seconds", config.reduction_seconds, 0, 86'400);
      table.texts("excuses_off", config.excuses_off);
      for (const std::string& excuse : config.excuses_off) {
        if (!oracle::is_excuse(excuse)) {
          table.mistake("excuses_off", "no excuse is named " + excuse + "; see parityd check --list-excuses");
        }
      }
    }
    read_dispositions(reader.table("disposition"), report, config);
    read_known(reader.table("known"), report, config);
    read_versions(reader.table("versions"), report, config);
    {
      TableReader queue(reader.table("queue"), "queue", report);
      queue.number("drafts_per_day", config.drafts_per_day, 0, 1000);
    }
    {
      TableReader draft(reader.table("draft"), "draft", report);
      draft.text("writer", config.draft_writer);
    }
    {
      TableReader budget(reader.table("budget"), "budget", report);
      budget.number("dollars_per_hour", config.dollars_per_hour, 0, 1e6);
      budget.number("dollars_per_day", config.dollars_per_day, 0, 1e6);
      budget.number("dollars_total", config.dollars_total, 0, 1e9);
      config.dollars_per_day_given = budget.has("dollars_per_day");
    }
    {
      TableReader prompts(reader.table("prompts"), "prompts", report);
      std::vector<std::string> folders;
      prompts.texts("folders", folders);
      config.prompt_folders.assign(folders.begin(), folders.end());
    }
    if (const auto* providers = reader.table("provider")) {
      for (const auto& [key, node] : *providers) {
        if (const auto* provider = node.as_table()) {
          read_provider(*provider, std::string(key.str()), report, config);
        } else {
          reader.mistake(node, "provider." + std::string(key.str()), "expected a table [provider.NAME]");
        }
      }
    }
    check_choice(root, reader, config);
  }
  if (!errors.empty()) {
    return tl::unexpected(std::move(errors));
  }
  return config;
}

tl::expected<Config, ConfigErrors> load_config(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  if (!stream) {
    return tl::unexpected(ConfigErrors{fmt::format("{}: cannot be read", file.string())});
  }
  return parse_config(text.str(), file);
}

std::filesystem::path default_config_file() {
  if (const char* folder = std::getenv("XDG_CONFIG_HOME"); folder != nullptr && *folder == '/') {
    return std::filesystem::path(folder) / "parityd" / "parityd.toml";
  }
  const char* home = std::getenv("HOME");
  return std::filesystem::path(home != nullptr ? home : "/") / ".config" / "parityd" / "parityd.toml";
}

}  // namespace parityd::agent
