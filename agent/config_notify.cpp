#include "agent/config_notify.h"

#include <algorithm>

namespace parityd::agent {

void read_notify(const toml::table* table, ConfigReport report, NotifyConfig& notify) {
  TableReader reader(table, "notify", report);
  reader.texts("command", notify.command);
  reader.number("per_hour", notify.per_hour, 1, 3600);
  reader.number("timeout_seconds", notify.timeout_seconds, 1, 3600);
  const bool holds_nul = std::any_of(notify.command.begin(), notify.command.end(),
                                     [](const auto& word) { return word.find('\0') != std::string::npos; });
  if (holds_nul || (!notify.command.empty() && notify.command.front().empty())) {
    reader.mistake("command", "expected a program and its arguments, such as [\"mail\", \"-s\", \"parityd\", \"me\"]");
  }
}

}  // namespace parityd::agent
