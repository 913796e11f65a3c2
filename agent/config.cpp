#include "agent/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "agent/config_executor.h"
#include "agent/config_log.h"
#include "agent/config_notify.h"
#include "agent/config_provider.h"
#include "agent/config_reader.h"
#include "agent/config_storage.h"
#include "agent/config_web.h"
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
  if (table != nullptr && sum <= 0) {
    reader.mistake("inductor", "all weights are zero: expected one above zero");
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
      reader.mistake(name.c_str(), "the last row cannot be passed over: no other would apply");
    } else {
      reader.mistake(name.c_str(),
                     fmt::format("\"{}\" is no disposition; expected ready(1), ready(2), umbrella(ISSUE), "
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
    reader.mistake("url", "holds a user name or password: a token belongs into token_env or token_file");
  }
  if (!config.known_token_env.empty() && !config.known_token_file.empty()) {
    reader.mistake("token_file", "token_env is given too; keep one");
  }
}

void read_versions(const toml::table* table, ConfigReport report, Config& config) {
  TableReader reader(table, "versions", report);
  std::string newest, previous;
  std::vector<std::string> pythons;
  reader.text("newest", newest);
  reader.text("previous", previous);
  reader.texts("pythons", pythons);
  reader.number("sentinel_sample", config.sentinel_sample, 0, 100'000);
  if (std::find(pythons.begin(), pythons.end(), "") != pythons.end()) {
    reader.mistake("pythons", "holds an empty path");
  }
  config.newest_python = newest;
  config.previous_python = previous;
  config.version_pythons.assign(pythons.begin(), pythons.end());
}

}  // namespace

tl::expected<Config, ConfigErrors> parse_config(std::string_view text, const std::filesystem::path& file) {
  Config config;
  config.file = file;
  config.modes = {{"backward", 15}, {"dynamic", 15}, {"fullgraph", 5}};
  for (const auto& row : oracle::mode_rows()) {
    if (!row.key.empty()) config.modes.emplace(row.key, row.weight);
  }
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
    {
      TableReader table(reader.table("oracle"), "oracle", report);
      table.number("gate_rounds", config.gate_rounds, 1, 20);
      table.number("confirm_share", config.confirm_share, 0.01, 1);
      table.number("step_over_share", config.step_over_share, 0, 1);
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
      TableReader budget(reader.table("budget"), "budget", report);
      budget.number("dollars_per_hour", config.dollars_per_hour, 0, 1e6);
      budget.number("dollars_per_day", config.dollars_per_day, 0, 1e6);
      budget.number("dollars_total", config.dollars_total, 0, 1e9);
      config.dollars_per_day_given = budget.has("dollars_per_day");
    }
    read_store(reader.table("store"), report, config);
    read_retention(reader.table("retention"), report, config);
    read_web(reader.table("web"), report, config.web);
    read_notify(reader.table("notify"), report, config.notify);
    {
      TableReader prompts(reader.table("prompts"), "prompts", report);
      std::vector<std::string> folders;
      prompts.texts("folders", folders);
      config.prompt_folders.assign(folders.begin(), folders.end());
      prompts.number("conversation_rounds", config.conversation_rounds, 0, 10);
      prompts.number("conversation_dollars", config.conversation_dollars, 0, 1e6);
    }
    read_log(reader.table("log"), report, config);
    read_providers(reader, report, config);
    read_run_providers(chosen, report, config);
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
