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
                               applied ? "" : "; the running daemon takes it now, `parityd show` says how it ended");
  });
}

}  // namespace

void add_triage(CLI::App& app, Context& context) {
  auto row = std::make_shared<store::TriageRow>();
  CLI::App* command = app.add_subcommand("triage", "Say what became of a finding.");
  add_finding_option(*command, row->finding)->required();
  command->add_option("status", row->status, "What became of it")->check(one_of<store::FindingStatus>())->required();
  command->add_option("--issue", row->issue, "Address of the issue; filed and known need it")->type_name("URL");
  command->add_option("--note", row->note, "Anything worth keeping");
  command->add_option("--checked", row->checked, "What you checked yourself: it goes into the draft; filed needs it");
  command->footer(
      "Who decided what and when is kept; `parityd show ID` lists it. Nothing is ever posted.\n"
      "Exit code: 0 kept, 1 no such finding, 2 refused.");
  command->callback([&context, row] { triage(context, *row); });
}

}  // namespace parityd::agent
