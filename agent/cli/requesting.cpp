#include "agent/cli/requesting.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <chrono>

namespace parityd::agent {

std::unique_ptr<store::Store> open_for_requests(const Context& context, bool daemon_runs) {
  return std::make_unique<store::Store>(context.database(),
                                        daemon_runs ? store::Access::request : store::Access::write);
}

store::RequestRow request(const std::string& command, const std::string& arguments) {
  const passwd* user = getpwuid(getuid());
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return {.command = command,
          .arguments = arguments,
          .who = fmt::format("{} (pid {})", user != nullptr ? user->pw_name : std::to_string(getuid()), getpid()),
          .created_at = std::chrono::duration_cast<std::chrono::milliseconds>(now).count()};
}

}  // namespace parityd::agent
