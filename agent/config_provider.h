// The [provider.NAME] tables and [run] provider, which names some of them. Internal to agent/config*.cpp.
#pragma once

#include "agent/config_reader.h"

namespace parityd::agent {

/// `root`: of the file.
void read_providers(TableReader& root, ConfigReport report, Config& config);

/// `node`: of run.provider, null when absent. After read_providers.
void read_run_providers(const toml::node* node, ConfigReport report, Config& config);

}  // namespace parityd::agent
