// parityd findings: what has been found, the findings worth reading first on top.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/cli/commands.h"
#include "agent/cli/reading.h"

namespace parityd::agent {
namespace {

struct FindingsOptions {
  store::Store::FindingFilter filter;
  bool json = false;
};

void print_table(Context& context, const std::vector<store::FindingRow>& findings) {
  Table table({"id", "kind", "stage", "disposition", "reach", "status", "seen", "title"});
  for (const auto& finding : findings) {
    table.add({fmt::format("{}", finding.id), std::string(oracle::name(finding.kind)),
               std::string(oracle::name(finding.stage)), finding.disposition, std::string(oracle::name(finding.reach)),
               finding.status, fmt::format("{}", finding.occurrences), finding.title});
  }
  context.out << table.text(context.colour);
}

void list_findings(Context& context, const FindingsOptions& options) {
  const auto store = open_for_reading(context);
  if (!store) context.err << no_database_message(context);
  const auto found = store ? store->findings(options.filter) : std::vector<store::FindingRow>{};
  const bool cut = options.filter.limit > 0 && static_cast<int>(found.size()) == options.filter.limit;
  if (options.json) {
    auto array = nlohmann::json::array();
    for (const auto& finding : found) array.push_back(finding_json(*store, finding));
    print_json(context, array);
  } else if (!found.empty()) {
    print_table(context, found);
  } else if (store) {
    context.out << "no findings match; `parityd status` shows what has been run\n";
  }
  if (cut) context.err << fmt::format("the first {}; --limit 0 lists all\n", options.filter.limit);
}

}  // namespace

void add_findings(CLI::App& app, Context& context) {
  auto options = std::make_shared<FindingsOptions>();
  CLI::App* command = app.add_subcommand("findings", "List findings; filter and search them.");
  command->add_option("--kind", options->filter.kind, "Only this kind")
      ->check(CLI::IsMember(
          {"behaviour", "missing_check", "numerical", "metadata", "mutation", "gradient", "crash", "hang"}));
  command->add_option("--status", options->filter.status, "Only this status")
      ->check(CLI::IsMember({"new", "filed", "known", "fixed", "regressed", "wontfix", "false_positive"}));
  command->add_option("--disposition", options->filter.disposition,
                      "Only this disposition: ready, umbrella, held, or one with its detail: held(stride)");
  command->add_option("--search", options->filter.text,
                      "Only findings with this text in title, signature, explanation or program");
  command->add_option("--limit", options->filter.limit, "At most so many; 0: all")->check(CLI::NonNegativeNumber);
  command->add_flag("--json", options->json, "An array of objects, programs and drafts included");
  command->footer(
      "`parityd show ID` shows one whole. Exit code: 0 also when there are none, 3 the database is at fault.");
  command->callback([&context, options] { list_findings(context, *options); });
}

}  // namespace parityd::agent
