// parityd notify ID: runs the [notify] command for one finding by hand.

#include <system_error>

#include "agent/cli/commands.h"
#include "agent/cli/reading.h"
#include "agent/daemon/findings/child_command.h"
#include "agent/daemon/findings/notification.h"

namespace parityd::agent {
namespace {

using executor::Clock;

void wait_for(const executor::Process& process, executor::TimePoint until) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
  constexpr std::chrono::milliseconds kLook{50};  // no descriptor announces its end
  (void)process.wait(std::clamp(left, std::chrono::milliseconds(0), kLook));
}

/// Why it failed; empty: it succeeded.
std::string run_shown(Context& context, executor::Process& process, executor::TimePoint until) {
  const auto show = [&] {
    process.poll();
    while (const auto line = process.take_line()) context.out << printable_line(*line) << "\n" << std::flush;
  };
  std::optional<executor::ExitState> exit;
  for (; !exit && Clock::now() < until; exit = process.exit_state()) {
    show();
    wait_for(process, until);
  }
  show();
  context.err << printable(process.captured_errors()) << std::flush;
  return exit ? command_failure(*exit, process.captured_errors()) : "it exceeded its time limit";
}

void notify(Context& context, store::Id id) {
  const auto config = load_context_config(context);
  if (!config) return;
  if (config->notify.command.empty()) {
    return context.fail(2, "parityd notify: no command is configured; set [notify] command in parityd.toml");
  }
  with_finding(context, id, [&](const store::Store& store, const store::FindingRow& finding) {
    const auto parts = notify_parts(context);
    std::string why;
    try {
      executor::Process process(notification_process(config->notify, parts, finding, 1, 0));
      process.write(parts.facts(store, finding));
      process.close_input();
      why = run_shown(context, process, Clock::now() + std::chrono::seconds(config->notify.timeout_seconds));
    } catch (const std::system_error& error) {
      why = error.what();
    }
    if (!why.empty()) context.fail(3, "parityd notify: {}: {}", config->notify.command.front(), why);
  });
}

}  // namespace

void add_notify(CLI::App& app, Context& context) {
  auto id = std::make_shared<store::Id>(0);
  CLI::App* command = app.add_subcommand(
      "notify", "Run the command of [notify] for a finding, as the daemon would, and show its output.");
  command->add_option("id", *id, "Finding, by its number in `parityd findings`")->type_name("FINDING")->required();
  command->footer(
      "The daemon runs it once for each finding that becomes ready; see docs/notification.md.\n"
      "Exit code: 0 the command exited with 0, 1 no such finding, 2 no command is configured, 3 it failed.");
  command->callback([&context, id] { notify(context, *id); });
}

}  // namespace parityd::agent
