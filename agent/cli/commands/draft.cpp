// parityd draft ID: the text of a GitHub issue, for a person to review and file.
#include "store/report/draft.h"
#include "agent/cli/commands.h"
#include "agent/cli/commands/shared_options.h"
#include "agent/cli/json.h"
#include "agent/cli/reading.h"
#include "store/report/draft_lint.h"

namespace parityd::agent {
namespace {

struct DraftOptions {
  store::Id id = 0;
  std::string output;
  int umbrella = 0;
  bool url = false;
  bool json = false;
};

/// A URL can preset the form's template and title, but not its fields.
std::string new_issue_url(const std::string& title) {
  std::string url = "https://github.com/pytorch/pytorch/issues/new?template=pt2-bug-report.yml&title=";
  for (const char character : title) {
    const auto byte = static_cast<unsigned char>(character);
    const bool plain =
        byte < 0x80 && (std::isalnum(byte) != 0 || character == '-' || character == '_' || character == '.');
    url += plain ? std::string(1, character) : fmt::format("%{:02X}", byte);
  }
  return url;
}

void print_draft(Context& context, const DraftOptions& options) {
  with_finding(context, options.id, [&](const store::Store& store, const store::FindingRow& finding) {
    if (is_tampered(context, store, finding.id)) return;
    const auto draft = store.drafts.find(finding.id);
    if (!draft) return context.fail(1, "parityd: finding {0} has no draft; `parityd show {0}` shows why", finding.id);
    if (options.url) {
      context.out << new_issue_url(draft->title) << "\n";
      return;
    }
    const auto remarks = store::lint_draft(*draft, finding.kind);
    if (options.json) {
      const auto lint = json_array(remarks, [](const auto& remark) -> nlohmann::json {
        return {{"rule", remark.rule}, {"text", remark.text}};
      });
      print_json(context, {{"finding", finding.id},
                           {"title", draft->title},
                           {"body", draft->body},
                           {"repro", draft->repro},
                           {"url", new_issue_url(draft->title)},
                           {"lint", lint},
                           {"disposition", finding.disposition.text()}});
      return;
    }
    // The title has its own field in the form, so it must not be in the pasted text.
    context.err << "Title: " << printable_line(draft->title) << "\n";
    if (!finding.disposition.is_ready()) {
      context.err << fmt::format("Not queued for filing: {}. {}\n", finding.disposition.text(),
                                 printable_line(finding.next_step));
    }
    for (const auto& remark : remarks) {
      context.err << fmt::format("Before filing ({}): {}\n", remark.rule, printable_line(remark.text));
    }
    write_out(context, printable(draft->body), options.output);
  });
}

void print_umbrella(Context& context, const DraftOptions& options) {
  const auto store = open_for_reading(context);
  if (!store) say_no_database(context);
  const auto findings =
      store ? store->findings.list(
                  {.status = "new", .disposition = fmt::format("umbrella({})", options.umbrella), .limit = 0})
            : std::vector<store::FindingRow>{};
  if (findings.empty()) return context.fail(1, "parityd: there is no unreported case of issue {}", options.umbrella);
  write_out(context, printable(store::umbrella_comment(findings)), options.output);
}

}  // namespace

void add_draft(CLI::App& app, Context& context) {
  auto options = std::make_shared<DraftOptions>();
  CLI::App* command = app.add_subcommand("draft", "Print a finding's issue draft for review. Nothing is sent.");
  add_finding_option(*command, options->id);
  command->add_option("--umbrella", options->umbrella, "Print a comment for this issue with all unreported cases")
      ->type_name("ISSUE");
  command->add_flag("--url", options->url, "Print only the URL of PyTorch's issue form with the title filled in");
  add_output_option(*command, options->output);
  command->add_flag("--json", options->json,
                    "Print a JSON object: finding, title, body, repro, url, lint, disposition");
  command->footer(
      "The body is written to standard output in the three parts of PyTorch's form, the title to standard error,\n"
      "with the rules of PyTorch that the draft may break. Record what you checked with `parityd triage`.\nExit code: "
      "0 success, 1 no such finding.");
  command->callback([&context, options] {
    if ((options->id != 0) == (options->umbrella != 0)) throw CLI::RequiredError("either FINDING or --umbrella");
    options->umbrella != 0 ? print_umbrella(context, *options) : print_draft(context, *options);
  });
}

}  // namespace parityd::agent
