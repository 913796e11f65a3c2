// The larger tables of parityd.toml, each read and checked in a file of its own. Internal to agent/config*.cpp.
#pragma once

#include "agent/config_reader.h"

namespace parityd::agent {

/// [executor] with its [[executor.group]]s.
void read_executor(const toml::table* table, ConfigReport report, Config& config);
void read_web(const toml::table* table, ConfigReport report, WebConfig& web);
void read_log(const toml::table* table, ConfigReport report, LogSettings& log);

/// The [provider.NAME] tables. `root`: of the file.
void read_providers(TableReader& root, ConfigReport report, Config& config);
/// [run] provider, which names some of them. `node`: null when absent. After read_providers.
void read_run_providers(const toml::node* node, ConfigReport report, Config& config);

}  // namespace parityd::agent
