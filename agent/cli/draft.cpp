// parityd draft ID: the text of a GitHub issue, for a person to review and file.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/cli/commands.h"
#include "agent/cli/reading.h"

namespace parityd::agent {
namespace {

struct DraftOptions {
  store::Id id = 0;
  std::string output;
  bool json = false;
};

void print_draft(Context& context, const DraftOptions& options) {
  with_finding(context, options.id, [&](const store::Store& store, const store::FindingRow& finding) {
    const auto draft = store.draft(finding.id);
    if (!draft) {
      context.err << fmt::format("parityd: finding {} has no draft; `parityd show {}` says why\n", finding.id,
                                 finding.id);
      context.exit_code = 1;
      return;
    }
    if (options.json) {
      print_json(context, {{"finding", finding.id},
                           {"title", draft->title},
                           {"body", draft->body},
                           {"repro", draft->repro},
                           {"disposition", finding.disposition}});
      return;
    }
    // The title goes to its own field of the form, so it must not be in the text that is pasted.
    context.err << "Title: " << printable_line(draft->title) << "\n";
    if (finding.disposition != "ready") {
      context.err << fmt::format("Not in the queue to be filed: {}. {}\n", printable_line(finding.disposition),
                                 printable_line(finding.next_step));
    }
    write_out(context, printable(draft->body), options.output);
  });
}

}  // namespace

void add_draft(CLI::App& app, Context& context) {
  auto options = std::make_shared<DraftOptions>();
  CLI::App* command = app.add_subcommand("draft", "Print a finding's issue text, ready to review. Nothing is sent.");
  command->add_option("id", options->id, "Finding, as `parityd findings` numbers them")->required();
  command->add_option("--output,-o", options->output, "Write to this file");
  command->add_flag("--json", options->json, "An object: finding, title, body, repro, disposition");
  command->footer(
      "The body goes to standard output in the three parts of PyTorch's form, the title to standard error.\n"
      "Fill in \"What I checked myself\" before you file it. Exit code: 0 fine, 1 no such finding.");
  command->callback([&context, options] { print_draft(context, *options); });
}

}  // namespace parityd::agent
