#include "agent/cli/command_line.h"

#include <iterator>
#include <ostream>

#include "agent/cli/commands.h"
#include "store/store.h"

namespace parityd::agent {
namespace {

void add_subcommands(CLI::App& app, Context& context) {
  add_run(app, context);
  add_check(app, context);
  add_status(app, context);
  add_stats(app, context);
  add_stop(app, context);
  add_import(app, context);
  add_known(app, context);
  add_triage(app, context);
  add_grouping(app, context);
  add_findings(app, context);
  add_show(app, context);
  add_draft(app, context);
  add_repro(app, context);
  add_export(app, context);
  add_inspect(app, context);
  add_recheck(app, context);
  add_verify(app, context);
  add_rejudge(app, context);
  add_backup(app, context);
  add_worker(app, context);
  add_doctor(app, context);
}

}  // namespace

int run_command_line(const std::vector<std::string>& words, std::ostream& out, std::ostream& err, Screen screen) {
  Context context{.arguments = words, .out = out, .err = err, .terminal = screen.terminal, .colour = screen.colour};

  CLI::App app(
      "parityd finds bugs in PyTorch's compiler: programs, eager against torch.compile, findings with issue drafts.",
      "parityd");
  app.require_subcommand(1);
  app.set_version_flag("--version", PARITYD_VERSION);
  app.footer(
      "State lies in --state DIR, $STATE_DIRECTORY, $XDG_STATE_HOME/parityd or ~/.local/state/parityd.\n"
      "First steps: parityd run, parityd findings, parityd draft ID. `parityd COMMAND --help` says more.");
  std::string state;
  app.add_option("--state", state, "State folder: database, lock, log");
  app.add_option("--config", context.config_file, "Configuration; default $XDG_CONFIG_HOME/parityd/parityd.toml");
  app.fallthrough();
  app.parse_complete_callback([&] { context.state_directory = resolve_state_directory(state); });
  add_subcommands(app, context);
  try {
    // From behind, as the parser takes them.
    app.parse(std::vector<std::string>(words.rbegin(), std::prev(words.rend())));
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error, out, err);
    return code == 0 ? 0 : 2;
  } catch (const store::StoreError& error) {
    err << "parityd: " << error.what() << "\n";
    return 3;
  } catch (const std::exception& error) {
    err << "parityd: " << error.what() << "\n";
    return 3;
  }
  return context.exit_code;
}

}  // namespace parityd::agent
