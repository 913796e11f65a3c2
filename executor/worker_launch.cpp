#include "executor/worker_launch.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <string>
#include <string_view>

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
  for (const char* name : {"PATH", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH"}) {
    if (const char* value = std::getenv(name); value != nullptr) {
      environment[name] = value;
    }
  }
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

}  // namespace

ProcessOptions launch_options(const GroupConfig& config, const std::filesystem::path& scratch, bool build_cache) {
  ProcessOptions options;
  options.command = config.launch_prefix;
  for (const std::string& word :
       {config.launcher.string(), std::string("--sandbox"), config.sandbox, std::string("--python"),
        config.python.string(), std::string("--module"), config.module.string(), std::string("--sources"),
        config.worker_sources.string(), std::string("--scratch"), scratch.string(), std::string("--cache"),
        config.shared_cache.string()}) {
    options.command.push_back(word);
  }
  if (!config.overlay.empty()) {
    options.command.emplace_back("--overlay");
    options.command.push_back(config.overlay.string());
  }
  if (build_cache) {
    options.command.emplace_back("--build-cache");
  }
  options.environment = config.launch_prefix.empty() ? passed_on() : own_without_secrets();
  return options;
}

}  // namespace parityd::executor
