// parityd repro ID: prints the stand-alone script of a finding.
#include "agent/cli/commands.h"
#include "agent/cli/commands/shared_options.h"
#include "agent/cli/reading.h"

namespace parityd::agent {
namespace {

struct ReproOptions {
  store::Id id = 0;
  std::string output;
};

void print_repro(Context& context, const ReproOptions& options) {
  with_finding(context, options.id, [&](const store::Store& store, const store::FindingRow& finding) {
    if (is_tampered(context, store, finding.id)) return;
    const auto draft = store.drafts.find(finding.id);
    if (!draft) return context.fail(1, "parityd: finding {0} has no script; `parityd show {0}` shows why", finding.id);
    write_out(context, printable(draft->repro), options.output);
  });
}

}  // namespace

void add_repro(CLI::App& app, Context& context) {
  auto options = std::make_shared<ReproOptions>();
  CLI::App* command = app.add_subcommand("repro", "Print a script that reproduces a finding and needs only torch.");
  add_finding_option(*command, options->id)->required();
  add_output_option(*command, options->output);
  command->footer(
      "The script exits with 0 if it reproduces the finding, 1 if it does not, 2 if it cannot tell.\n"
      "It runs code that a model wrote: read it first, or run it in a container.\n"
      "Exit code of this command: 0 success, 1 no such finding, 3 the script does not match its stored hash.");
  command->callback([&context, options] { print_repro(context, *options); });
}

}  // namespace parityd::agent
