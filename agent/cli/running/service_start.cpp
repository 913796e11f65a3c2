#include "agent/cli/running/service_start.h"

#include <unistd.h>

#include <map>
#include <string_view>

#include "agent/cli/running/fix_model.h"
#include "agent/daemon/reload.h"
#include "agent/llm/chat_provider.h"
#include "executor/process/open_files.h"
#include "executor/process/process_record.h"

namespace parityd::agent {
namespace fs = std::filesystem;
namespace {

/// The lock, the database with its side files, the log, libcurl's own, the syntax process; plus a reserve.
constexpr std::uint64_t kFilesOfDaemon = 48;

using Keys = std::map<std::string, Secret>;

std::map<std::string, std::string> own_environment() {
  std::map<std::string, std::string> all;
  for (char* const* each = environ; *each != nullptr; ++each) {
    const std::string_view variable(*each);
    const auto end = variable.find('=');
    if (end != std::string_view::npos) all.emplace(variable.substr(0, end), variable.substr(end + 1));
  }
  return all;
}

tl::expected<Keys, std::string> keys_of(const Config& running, const Config& next, KeyRing& ring) {
  Keys keys;
  for (const std::string& name : opened_providers(running)) {
    const auto found = next.providers.find(name);
    if (found == next.providers.end()) {
      return tl::unexpected(fmt::format("{}: [provider.{}] was removed, but is in use; restart to use another one",
                                        next.file.string(), name));
    }
    auto key = key_of(found->second, ring);
    if (!key) return tl::unexpected(key.error());
    keys[name] = std::move(*key);
  }
  return keys;
}

void reconfigure(const Reloadable& parts, const Keys& keys) {
  Provider* const provider = parts.provider.provider.get();
  if (provider == nullptr) return;
  for (const auto& [name, key] : keys) provider->reconfigure(parts.config.providers.at(name), key);
  for (const auto& share : parts.config.run_providers) provider->set_weight(share.name, share.weight);
}

}  // namespace

LogSettings log_settings(const Config& config, const Context& context, bool behind) {
  LogSettings settings = config.log;
  if (settings.file.empty() && behind) settings.file = "parityd.log";
  if (!settings.file.empty() && settings.file.is_relative()) settings.file = context.state_directory / settings.file;
  return settings;
}

fs::path process_records(const Context& context) { return context.state_directory / "processes"; }

std::vector<StartNote> tidy_up(const Context& context, const DaemonLock& lock) {
  std::vector<StartNote> notes;
  if (const auto& dead = lock.killed_before()) {
    notes.push_back({.kind = store::EventKind::lock_taken_over,
                     .text = fmt::format("the previous daemon ({}) was killed or lost power: its work is resumed "
                                         "again",
                                         described(*dead))});
  }
  if (const auto killed = executor::kill_leftovers(process_records(context)); !killed.empty()) {
    notes.push_back({.kind = store::EventKind::orphans_killed,
                     .text = fmt::format("{} processes left by the previous daemon were killed: {}", killed.size(),
                                         fmt::join(killed, ", "))});
  }
  return notes;
}

std::vector<StartNote> make_room_for(const Engine& engine, const Config& config) {
  std::uint64_t needed = kFilesOfDaemon;
  for (executor::GroupIndex group = 0; group < engine.pool->groups(); ++group) {
    const auto& each = engine.pool->config(group);
    const int parents = std::max(each.fork_parents, each.warm_workers);
    needed += executor::kFilesOfProcess * static_cast<std::uint64_t>(each.warm_workers + each.spares + parents);
  }
  for (const std::string& name : opened_providers(config)) {
    needed += static_cast<std::uint64_t>(config.providers.at(name).max_in_flight);
  }
  const std::uint64_t limit = executor::open_files_limit();
  if (limit >= needed) return {};
  return {{.name = "open_files",
           .text = fmt::format("only {} files may be open, and these workers and providers need up to {}: some workers "
                               "will not start; raise the limit with `ulimit -n {}` or LimitNOFILE={}",
                               limit, needed, needed, needed)}};
}

FixCommand fix_command(const Context& context, KeyRing& ring) {
  std::vector<std::string> command{fs::read_symlink("/proc/self/exe").string(), "--state",
                                   fs::absolute(context.state_directory).string()};
  if (!context.config_file.empty()) {
    command.insert(command.end(), {"--config", fs::absolute(context.config_file).string()});
  }
  command.insert(command.end(), {"fix", kForDaemonOption});
  return [command, &ring](const Config& config, store::Id finding) {
    executor::ProcessOptions options{.command = command, .environment = own_environment(), .directory = {}};
    options.command.push_back(std::to_string(finding));
    const auto names = fix_providers(config);
    if (config.fix.provider.empty() && names.size() <= 1) {  // --provider of `run` may have chosen it
      options.command.insert(options.command.end(), {"--provider", names.empty() ? "none" : names.front()});
    }
    for (const auto& name : names) {
      const auto found = config.providers.find(name);
      const std::string variable = found == config.providers.end() ? "" : found->second.api_key_env;
      const auto key = variable.empty() ? tl::expected<Secret, std::string>() : ring.from_environment(variable);
      if (key && !key->empty()) options.environment[variable] = key->reveal();
    }
    return options;
  };
}

tl::expected<Reloaded, std::string> reload(const Reloadable& parts, Service& service) {
  const fs::path& file = parts.config.file;
  if (std::error_code missing; fs::exists(file, missing) && !fs::is_regular_file(file, missing)) {
    return tl::unexpected(fmt::format("{}: is not a regular file and cannot be reloaded", file.string()));
  }
  auto next = read_context_config(parts.context);
  if (!next) return tl::unexpected(fmt::format("{}", fmt::join(next.error(), "; ")));
  parts.override_by_options(*next);
  const auto keys = keys_of(parts.config, *next, parts.ring);
  if (!keys) return tl::unexpected(keys.error());
  Reloaded reloaded = take_over(parts.config, std::move(*next));
  reconfigure(parts, *keys);
  service.log().open(log_settings(parts.config, parts.context, parts.behind));
  return reloaded;
}

}  // namespace parityd::agent
