#include "agent/config.h"

#include <fmt/format.h>
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <numeric>
#include <sstream>

#include "agent/llm/http.h"

namespace parityd::agent {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row.back();
}

/// Reads one table: every key is declared by a call, what was not declared is a mistake.
class TableReader {
 public:
  TableReader(const toml::table* table, std::string name, const std::filesystem::path& file, ConfigErrors& errors)
      : table_(table), name_(std::move(name)), file_(file), errors_(errors) {}

  ~TableReader() { report_unknown(); }
  TableReader(const TableReader&) = delete;
  TableReader& operator=(const TableReader&) = delete;

  void text(const char* key, std::string& value, const std::vector<std::string>& allowed = {}) {
    const auto* node = find(key);
    if (node == nullptr) {
      return;
    }
    const auto found = node->value<std::string>();
    if (!node->is_string()) {
      mistake(*node, key, "expected a string");
    } else if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), *found) == allowed.end()) {
      mistake(*node, key, fmt::format("\"{}\" is not one of {}", *found, fmt::join(allowed, ", ")));
    } else {
      value = *found;
    }
  }

  template <class Number>
  void number(const char* key, Number& value, double least, double most) {
    const auto* node = find(key);
    if (node == nullptr) {
      return;
    }
    constexpr bool kWhole = std::is_integral_v<Number>;
    if (!(node->is_integer() || (!kWhole && node->is_floating_point()))) {
      mistake(*node, key, kWhole ? "expected a whole number" : "expected a number");
      return;
    }
    const double found = node->value<double>().value_or(0);
    if (!(found >= least && found <= most)) {  // NaN too
      mistake(*node, key, fmt::format("{:g} is out of range: expected {:g} to {:g}", found, least, most));
      return;
    }
    value = kWhole ? static_cast<Number>(node->value<std::int64_t>().value_or(0)) : static_cast<Number>(found);
  }

  void flag(const char* key, bool& value) {
    if (const auto* node = find(key)) {
      if (node->is_boolean()) {
        value = node->value<bool>().value_or(value);
      } else {
        mistake(*node, key, "expected true or false");
      }
    }
  }

  void texts(const char* key, std::vector<std::string>& values) {
    const auto* node = find(key);
    if (node == nullptr) {
      return;
    }
    const auto* array = node->as_array();
    if (array == nullptr ||
        !std::all_of(array->begin(), array->end(), [](const auto& each) { return each.is_string(); })) {
      mistake(*node, key, "expected an array of strings");
      return;
    }
    values.clear();
    for (const auto& each : *array) {
      values.push_back(each.value<std::string>().value_or(""));
    }
  }

  [[nodiscard]] bool has(const char* key) const { return table_ != nullptr && table_->contains(key); }

  /// A table inside; null when absent.
  const toml::table* table(const char* key) {
    const auto* node = find(key);
    if (node != nullptr && !node->is_table()) {
      mistake(*node, key, "expected a table");
    }
    return node == nullptr ? nullptr : node->as_table();
  }

  /// At the key, or at the table where the key is missing.
  void mistake(const char* key, const std::string& what) {
    const auto* node = table_->get(key);
    mistake(node != nullptr ? *node : static_cast<const toml::node&>(*table_), key, what);
  }

  void mistake(const toml::node& node, const std::string& key, const std::string& what) {
    errors_.push_back(fmt::format("{}:{}: {}: {}", file_.string(), node.source().begin.line, full(key), what));
  }

 private:
  [[nodiscard]] std::string full(const std::string& key) const { return name_.empty() ? key : name_ + "." + key; }

  const toml::node* find(const char* key) {
    known_.emplace_back(key);
    return table_ == nullptr ? nullptr : table_->get(key);
  }

  void report_unknown() {
    if (table_ == nullptr) {
      return;
    }
    for (const auto& [key, node] : *table_) {
      const std::string name(key.str());
      if (std::find(known_.begin(), known_.end(), name) != known_.end()) {
        continue;
      }
      const auto nearest = std::min_element(known_.begin(), known_.end(), [&](const auto& a, const auto& b) {
        return edit_distance(name, a) < edit_distance(name, b);
      });
      const bool close =
          nearest != known_.end() && edit_distance(name, *nearest) <= std::max<std::size_t>(2, name.size() / 3);
      mistake(node, name,
              close ? fmt::format("no such key; did you mean {}?", *nearest)
                    : fmt::format("no such key; there are {}", fmt::join(known_, ", ")));
    }
  }

  const toml::table* table_;
  std::string name_;
  const std::filesystem::path& file_;
  ConfigErrors& errors_;
  std::vector<std::string> known_;
};

void read_price(const toml::table* table, const std::string& name, const std::filesystem::path& file,
                ConfigErrors& errors, ProviderConfig& provider) {
  if (table == nullptr) {
    return;
  }
  ModelPrice price;
  TableReader reader(table, name, file, errors);
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

void read_capabilities(const toml::table* table, const std::string& name, const std::filesystem::path& file,
                       ConfigErrors& errors, ModelCapabilities& capabilities) {
  TableReader reader(table, name, file, errors);
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

void read_provider(const toml::table& table, const std::string& key, const std::filesystem::path& file,
                   ConfigErrors& errors, Config& config) {
  const std::string name = "provider." + key;
  ProviderConfig provider{.name = key, .kind = key == "builtin" ? "builtin" : "chat"};
  TableReader reader(&table, name, file, errors);
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
  read_price(reader.table("price"), name + ".price", file, errors, provider);
  read_capabilities(reader.table("capabilities"), name + ".capabilities", file, errors, provider.capabilities);
  check_provider(reader, provider);
  config.providers[key] = std::move(provider);
}

void read_executor(const toml::table* table, const std::filesystem::path& file, ConfigErrors& errors, Config& config) {
  TableReader reader(table, "executor", file, errors);
  std::string python;
  reader.text("python", python);
  config.python = python;
  reader.text("device", config.device, {"auto", "cpu", "cuda"});
  reader.number("workers", config.workers, 0, 256);
  reader.number("fork_parents", config.fork_parents, 0, 64);
  reader.texts("launch", config.launch);
  reader.number("programs_per_worker", config.programs_per_worker, 1, 1e6);
  reader.number("compile_deadline_seconds", config.compile_deadline_seconds, 1, 86'400);
  reader.number("program_deadline_seconds", config.program_deadline_seconds, 1, 86'400);
}

void read_modes(const toml::table* table, const std::filesystem::path& file, ConfigErrors& errors, Config& config) {
  TableReader reader(table, "modes", file, errors);
  double sum = 0;
  for (auto& [name, weight] : config.modes) {
    reader.number(name.c_str(), weight, 0, 1e6);
    sum += weight;
  }
  if (table != nullptr && sum <= 0) {
    reader.mistake("inductor", "all weights are zero: expected one above zero");
  }
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
  {
    TableReader reader(&root, "", file, errors);
    {
      TableReader run(reader.table("run"), "run", file, errors);
      run.text("provider", config.provider);
      run.number("seed", config.seed, 0, 9e18);
      run.number("repair_rounds", config.repair_rounds, 0, 3);
    }
    read_executor(reader.table("executor"), file, errors, config);
    read_modes(reader.table("modes"), file, errors, config);
    {
      TableReader oracle(reader.table("oracle"), "oracle", file, errors);
      oracle.number("gate_rounds", config.gate_rounds, 1, 20);
    }
    {
      TableReader budget(reader.table("budget"), "budget", file, errors);
      budget.number("dollars_per_hour", config.dollars_per_hour, 0, 1e6);
      budget.number("dollars_per_day", config.dollars_per_day, 0, 1e6);
      budget.number("dollars_total", config.dollars_total, 0, 1e9);
      config.dollars_per_day_given = budget.has("dollars_per_day");
    }
    {
      TableReader prompts(reader.table("prompts"), "prompts", file, errors);
      std::vector<std::string> folders;
      prompts.texts("folders", folders);
      config.prompt_folders.assign(folders.begin(), folders.end());
    }
    if (const auto* providers = reader.table("provider")) {
      for (const auto& [key, node] : *providers) {
        if (const auto* provider = node.as_table()) {
          read_provider(*provider, std::string(key.str()), file, errors, config);
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
