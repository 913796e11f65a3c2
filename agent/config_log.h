// The [log] table. Internal to agent/config*.cpp.
#pragma once

#include "agent/config_reader.h"

namespace parityd::agent {

void read_log(const toml::table* table, ConfigReport report, Config& config);

}  // namespace parityd::agent
