// parityd stop: asks the daemon to stop and waits until it has.
#include <poll.h>

#include <chrono>

#include "agent/cli/commands.h"
#include "agent/cli/requesting.h"
#include "agent/daemon/lock.h"

namespace parityd::agent {
namespace {

/// Waits until `pid` no longer holds the lock, which another daemon may hold by then; false: time is up.
bool wait_until_gone(const Context& context, int pid, std::chrono::seconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  while (true) {
    const auto holder = DaemonLock::holder(context.state_directory);
    if (!holder || holder->pid != pid) return true;
    if (std::chrono::steady_clock::now() >= until) return false;
    poll(nullptr, 0, 100);
  }
}

void stop(Context& context, int seconds) {
  const auto holder = DaemonLock::holder(context.state_directory);
  if (!holder) return context.fail(1, "parityd stop: {}: no daemon is running here", context.state_directory.string());
  open_for_requests(context, true)->requests.add(own_row(requests::Stop{}));
  if (wait_until_gone(context, holder->pid, std::chrono::seconds(seconds))) {
    context.out << fmt::format("stopped (pid {})\n", holder->pid);
    return;
  }
  context.fail(
      3, "parityd stop: pid {0} is still running after {1} s; the request remains: wait, or end it with `kill {0}`",
      holder->pid, seconds);
}

}  // namespace

void add_stop(CLI::App& app, Context& context) {
  auto seconds = std::make_shared<int>(30);
  CLI::App* command = app.add_subcommand("stop", "Stop the daemon and wait until it has exited.");
  command->add_option("--timeout", *seconds, "Seconds to wait")
      ->type_name("SECONDS")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command->footer(
      "Running programs finish or are requeued; the next `parityd run` resumes the work.\n"
      "Exit code: 0 stopped, 1 no daemon is running, 3 it did not exit in time.");
  command->callback([&context, seconds] { stop(context, *seconds); });
}

}  // namespace parityd::agent
