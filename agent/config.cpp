#include "agent/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "agent/config_tables.h"
#include "agent/loopback_url.h"
#include "oracle/finding/disposition.h"
#include "oracle/mode.h"
#include "oracle/rules/excuses.h"

namespace parityd::agent {
namespace {

void read_modes(const toml::table* table, ConfigReport report, Config& config) {
  TableReader reader(table, "modes", report);
  double sum = 0;
  for (auto& [name, weight] : config.modes) {
    reader.number(name.c_str(), weight, 0, 1e6);
    sum += weight;
  }
  if (table != nullptr && sum <= 0)
    reader.mistake("inductor", "all weights are zero; expected at least one above zero");
}

void read_oracle(const toml::table* table, ConfigReport report, Config& config) {
  TableReader reader(table, "oracle", report);
  reader.number("confirmation_rounds", config.confirmation_rounds, 1, 20);
  reader.number("confirm_share", config.confirm_share, 0.01, 1);
  reader.number("compile_share", config.compile_share, 0, 1);
  reader.number("compile_sample", config.compile_sample, 0, 1);
  reader.number("step_over_share", config.step_over_share, 0, 1);
  reader.number("reduction_seconds", config.reduction_seconds, 0, 86'400);
  reader.texts("excuses_off", config.excuses_off);
  for (const std::string& excuse : config.excuses_off) {
    if (oracle::is_excuse(excuse)) continue;
    reader.mistake("excuses_off", "there is no excuse " + excuse + "; `parityd check --list-excuses` lists them");
  }
}

void read_dispositions(const toml::table* table, ConfigReport report, Config& config) {
  TableReader reader(table, "disposition", report);
  for (const auto& row : oracle::disposition_rows()) {
    const std::string name(row.name);
    std::string chosen(row.disposition);
    reader.text(name.c_str(), chosen);
    if (chosen == row.disposition) continue;
    const auto disposition = oracle::disposition_from_text(chosen);
    if (disposition || (chosen == "pass" && row.name != oracle::kLastRow)) {
      config.dispositions[name] = disposition;
    } else if (chosen == "pass") {
      reader.mistake(name.c_str(), "the last row cannot be \"pass\": no other row would apply");
    } else {
      reader.mistake(name.c_str(),
                     fmt::format("\"{}\" is not a disposition; expected ready(1) to ready(5), umbrella(ISSUE), "
                                 "known(ISSUE), held(REASON) or pass",
                                 chosen));
    }
  }
}

void read_known(const toml::table* table, ConfigReport report, Config& config) {
  TableReader reader(table, "known", report);
  reader.span("max_age", config.known_max_age);
  reader.text("url", config.known_url);
  reader.text("token_env", config.known_token_env);
  reader.text("token_file", config.known_token_file);
  if (!config.known_url.starts_with("https://") && !is_loopback_url(config.known_url)) {
    reader.mistake("url", "expected an address that begins with https://");
  } else if (config.known_url.find('@') != std::string::npos) {
    reader.mistake("url", "contains a user name or password; put a token in token_env or token_file");
  }
  reader.not_both("token_file", "token_env");
}

void read_versions(const toml::table* table, ConfigReport report, Config& config) {
  TableReader reader(table, "versions", report);
  reader.path("newest", config.newest_python);
  reader.path("previous", config.previous_python);
  reader.paths("pythons", config.version_pythons);
  reader.number("sentinel_sample", config.sentinel_sample, 0, 100'000);
  if (std::ranges::any_of(config.version_pythons, [](const auto& python) { return python.empty(); })) {
    reader.mistake("pythons", "contains an empty path");
  }
}

void read_notify(const toml::table* table, ConfigReport report, NotifyConfig& notify) {
  TableReader reader(table, "notify", report);
  reader.texts("command", notify.command);
  reader.number("per_hour", notify.per_hour, 1, 3600);
  reader.number("timeout_seconds", notify.timeout_seconds, 1, 3600);
  const bool holds_nul =
      std::ranges::any_of(notify.command, [](const auto& word) { return word.find('\0') != std::string::npos; });
  if (holds_nul || (!notify.command.empty() && notify.command.front().empty())) {
    reader.mistake("command", R"(expected a program and its arguments, such as ["mail", "-s", "parityd", "me"])");
  }
}

/// REQUIRES: the providers were read.
void read_fix(const toml::table* table, ConfigReport report, Config& config) {
  TableReader reader(table, "fix", report);
  reader.flag("automatic", config.fix.automatic);
  reader.text("provider", config.fix.provider);
  reader.number("dollars_per_day", config.fix.dollars_per_day, 0, 1e6);
  reader.number("programs", config.fix.programs, 0, 100'000);
  reader.number("max_output_tokens", config.fix.max_output_tokens, 100, 1e6);
  if (config.fix.provider.empty()) return;
  const auto provider = config.providers.find(config.fix.provider);
  if (provider == config.providers.end()) {
    reader.mistake("provider", fmt::format("there is no table [provider.{}]", config.fix.provider));
  } else if (!provider->second.asks_a_model()) {
    reader.mistake("provider", fmt::format("\"{}\" asks no model; expected a [provider.NAME]", config.fix.provider));
  }
}

}  // namespace

tl::expected<Config, ConfigErrors> parse_config(std::string_view text, const std::filesystem::path& file) {
  Config config;
  config.file = file;
  config.modes = {{"backward", 15}, {"dynamic", 15}, {"fullgraph", 5}};
  for (const auto& row : oracle::mode_rows()) {
    if (!row.key.empty()) config.modes.emplace(row.key, row.weight);
  }
  for (const std::string name : {"builtin", "bred"}) {
    config.providers[name] = ProviderConfig{.name = name, .kind = name};
  }
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
    const toml::node* chosen = nullptr;
    {
      TableReader run(reader.table("run"), "run", report);
      chosen = run.node("provider");
      run.number("seed", config.seed, 0, 9e18);
      run.number("repair_rounds", config.repair_rounds, 0, 3);
      run.number("mutant_share", config.mutant_share, 0, 1);
    }
    read_executor(reader.table("executor"), report, config);
    read_modes(reader.table("modes"), report, config);
    read_oracle(reader.table("oracle"), report, config);
    read_dispositions(reader.table("disposition"), report, config);
    read_known(reader.table("known"), report, config);
    read_versions(reader.table("versions"), report, config);
    {
      TableReader queue(reader.table("queue"), "queue", report);
      queue.number("drafts_per_day", config.drafts_per_day, 0, 1000);
    }
    {
      TableReader budget(reader.table("budget"), "budget", report);
      budget.number("dollars_per_hour", config.dollars_per_hour, 0, 1e6);
      budget.number("dollars_per_day", config.dollars_per_day, 0, 1e6);
      budget.number("dollars_total", config.dollars_total, 0, 1e9);
      config.dollars_per_day_given = budget.has("dollars_per_day");
    }
    {
      constexpr double kMostMebibytes = 1e9;  // a petabyte
      TableReader store(reader.table("store"), "store", report);
      store.number("disk_floor", config.disk_floor_mebibytes, 0, kMostMebibytes);
      store.number("disk_cap", config.disk_cap_mebibytes, 0, kMostMebibytes);
    }
    {
      TableReader retention(reader.table("retention"), "retention", report);
      retention.span("max_age", config.retention_max_age);
      retention.number("max_programs", config.retention_max_programs, 0, 1e9);
    }
    read_web(reader.table("web"), report, config.web);
    read_notify(reader.table("notify"), report, config.notify);
    {
      TableReader prompts(reader.table("prompts"), "prompts", report);
      prompts.paths("folders", config.prompt_folders);
      prompts.number("conversation_rounds", config.conversation_rounds, 0, 10);
      prompts.number("conversation_dollars", config.conversation_dollars, 0, 1e6);
    }
    read_log(reader.table("log"), report, config.log);
    read_providers(reader, report, config);
    read_run_providers(chosen, report, config);
    read_fix(reader.table("fix"), report, config);
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return config;
}

tl::expected<Config, ConfigErrors> load_config(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  if (!stream) return tl::unexpected(ConfigErrors{fmt::format("{}: cannot be read", file.string())});
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
