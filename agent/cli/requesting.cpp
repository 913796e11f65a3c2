#include "agent/cli/requesting.h"

#include "agent/cli/reading.h"
#include "agent/daemon/lock.h"
#include "agent/daemon/wall_clock.h"
#include "oracle/json_read.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

namespace parityd::agent {

std::unique_ptr<store::Store> open_for_requests(const Context& context, bool daemon_runs) {
  return std::make_unique<store::Store>(context.database(),
                                        daemon_runs ? store::Access::request : store::Access::write);
}

bool write_or_request(const Context& context, const std::function<void(store::Store&)>& write,
                      const store::RequestRow& request) {
  std::filesystem::create_directories(context.state_directory);
  const auto lock = DaemonLock::take(context.state_directory);
  if (!lock) {
    open_for_requests(context, true)->requests.add(request);
    return false;
  }
  store::Store store(context.database(), store::Access::write);
  write(store);
  return true;
}

store::RequestRow request(const std::string& command, const std::string& arguments) {
  const passwd* user = getpwuid(getuid());
  return {.command = command,
          .arguments = arguments,
          .who = fmt::format("{} (pid {})", user != nullptr ? user->pw_name : std::to_string(getuid()), getpid()),
          .created_at = wall_clock()};
}

std::string triage_arguments(const store::TriageRow& row) {
  const nlohmann::json arguments{{"finding", row.finding},
                                 {"status", row.status},
                                 {"issue", row.issue},
                                 {"note", row.note},
                                 {"checked", row.checked}};
  return oracle::compact(arguments);
}

}  // namespace parityd::agent
