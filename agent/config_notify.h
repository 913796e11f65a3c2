// The [notify] table. Internal to agent/config*.cpp.
#pragma once

#include "agent/config_reader.h"

namespace parityd::agent {

void read_notify(const toml::table* table, ConfigReport report, NotifyConfig& notify);

}  // namespace parityd::agent
