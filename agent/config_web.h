// The [web] table. Internal to agent/config*.cpp.
#pragma once

#include "agent/config_reader.h"

namespace parityd::agent {

void read_web(const toml::table* table, ConfigReport report, WebConfig& web);

}  // namespace parityd::agent
