// parityd triage ID STATUS: records a person's decision about a finding.
#include "agent/cli/commands.h"
#include "agent/cli/commands/shared_options.h"
#include "agent/cli/reading.h"
#include "agent/cli/requesting.h"

namespace parityd::agent {
namespace {

void triage(Context& context, const store::TriageRow& row) {
  with_finding(context, row.finding, [&](const store::Store&, const store::FindingRow&) {
    const auto applied = RequestDesk(context).ask(requests::Triage{row});
    if (applied && applied->refused) return context.fail(2, "parityd triage: {}", printable_line(applied->result));
    context.out << fmt::format("finding {}: {}{}\n", row.finding, row.status,
                               applied ? "" : "; the running daemon is applying it, `parityd show` shows the result");
  });
}

}  // namespace

void add_triage(CLI::App& app, Context& context) {
  auto row = std::make_shared<store::TriageRow>();
  CLI::App* command = app.add_subcommand("triage", "Record the status of a finding.");
  add_finding_option(*command, row->finding)->required();
  command->add_option("status", row->status, "The new status")->check(one_of<store::FindingStatus>())->required();
  command->add_option("--issue", row->issue, "URL of the issue; required for filed and known")->type_name("URL");
  command->add_option("--note", row->note, "Note to store with it");
  command->add_option("--checked", row->checked, "What you checked yourself, for the draft; required for filed");
  command->footer(
      "The decision, its author and time are stored; `parityd show ID` lists them. Nothing is ever posted.\n"
      "Exit code: 0 stored, 1 no such finding, 2 refused.");
  command->callback([&context, row] { triage(context, *row); });
}

}  // namespace parityd::agent
