// Readers of the larger tables of parityd.toml, one file each. Internal to agent/config*.cpp.
#pragma once

#include "agent/config_reader.h"

namespace parityd::agent {

/// [executor] and its [[executor.group]] tables.
void read_executor(const toml::table* table, ConfigReport report, Config& config);
void read_web(const toml::table* table, ConfigReport report, WebConfig& web);
void read_log(const toml::table* table, ConfigReport report, LogSettings& log);

/// The [provider.NAME] tables. `root`: the file's top-level table.
void read_providers(TableReader& root, ConfigReport report, Config& config);
/// [run] provider, which names some of the providers. `node`: null when absent. REQUIRES: read_providers was called.
void read_run_providers(const toml::node* node, ConfigReport report, Config& config);

}  // namespace parityd::agent
