// The [store] and [retention] tables. Internal to agent/config*.cpp.
#pragma once

#include "agent/config_reader.h"

namespace parityd::agent {

void read_store(const toml::table* table, ConfigReport report, Config& config);
void read_retention(const toml::table* table, ConfigReport report, Config& config);

}  // namespace parityd::agent
