#include "executor/pool/worker_launch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <string>
#include <string_view>

#include "oracle/device.h"

namespace parityd::executor {
namespace {

using Environment = std::map<std::string, std::string>;

bool looks_secret(std::string_view name) {
  std::string upper(name);
  std::ranges::transform(upper, upper.begin(),
                         [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
  constexpr std::array<std::string_view, 5> kSigns{"KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL"};
  return std::ranges::any_of(kSigns, [&](std::string_view sign) { return upper.find(sign) != std::string::npos; });
}

Environment passed_on() {
  Environment environment;
  const auto pass = [&](const std::string& name) {
    if (const char* value = std::getenv(name.c_str()); value != nullptr) environment[name] = value;
  };
  for (const char* name : {"PATH", "LD_LIBRARY_PATH"}) pass(name);
  for (const auto& row : oracle::kDeviceRows) pass(std::string(row.visible));
  return environment;
}

Environment own_without_secrets() {
  Environment environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos && !looks_secret(text.substr(0, equals))) {
      environment.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  return environment;
}

/// The variables that select GPUs; empty: all GPUs. Workers for the processors see none: if torch sees CUDA, a fork
/// parent compiles nothing in advance, and each fresh child would pay for it again.
Environment gpus_seen(const GroupConfig& config) {
  Environment seen;
  if (is_gpu(config.device)) {
    if (!config.gpu.empty()) seen.emplace(row(config.device).visible, config.gpu);
    return seen;
  }
  for (const auto& row : oracle::kDeviceRows) {
    if (!row.visible.empty()) seen.emplace(row.visible, "");
  }
  return seen;
}

/// ssh joins all its words into one line, which the remote shell splits again.
bool goes_through_shell(const std::vector<std::string>& prefix) {
  return !prefix.empty() && std::filesystem::path(prefix.front()).filename() == "ssh";
}

}  // namespace

std::string shell_quoted(const std::string& word) {
  std::string quoted = "'";
  for (const char letter : word) {
    if (letter == '\'') {
      quoted += "'\\''";
    } else {
      quoted += letter;
    }
  }
  return quoted + "'";
}

ProcessOptions launch_options(const GroupConfig& config, const std::filesystem::path& scratch, Role role) {
  ProcessOptions options;
  std::vector<std::string> command = {config.launcher.string(),       "--sandbox", config.sandbox,         "--python",
                                      config.python.string(),         "--module",  config.module.string(), "--sources",
                                      config.worker_sources.string(), "--scratch", scratch.string(),       "--cache",
                                      config.shared_cache.string()};
  if (!config.overlay.empty()) command.insert(command.end(), {"--overlay", config.overlay.string()});
  if (role != Role::warm) command.emplace_back(role == Role::fork_parent ? "--fork-parent" : "--build-cache");
  options.command = config.launch_prefix;
  options.environment = config.launch_prefix.empty() ? passed_on() : own_without_secrets();
  const Environment gpus = gpus_seen(config);
  if (!gpus.empty() && !config.launch_prefix.empty()) {  // not every prefix passes on its environment
    std::vector<std::string> set{"env"};
    for (const auto& [variable, value] : gpus) set.push_back(fmt::format("{}={}", variable, value));
    command.insert(command.begin(), set.begin(), set.end());
  } else {
    for (const auto& [variable, value] : gpus) options.environment[variable] = value;
  }
  const bool quote = goes_through_shell(config.launch_prefix);
  for (const std::string& word : command) options.command.push_back(quote ? shell_quoted(word) : word);
  return options;
}

}  // namespace parityd::executor
