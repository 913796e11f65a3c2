// parityd findings: what has been found, the findings worth reading first on top.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/cli/commands.h"
#include "agent/cli/csv.h"
#include "agent/cli/reading.h"
#include "agent/cli/reports/queue_list.h"
#include "agent/daemon/loop/wall_clock.h"
#include "agent/duration.h"

namespace parityd::agent {
namespace {

struct FindingsOptions {
  store::FindingFilter filter;
  std::string since;
  bool json = false;
  bool csv = false;
  bool queue = false;
};

/// What the list shows where a finding stands: its disposition, and a mark when it may hold more than one cause.
std::string marked_disposition(const store::FindingRow& finding) {
  return finding.disposition.text() + (finding.alarm.empty() ? "" : " !");
}

void print_table(Context& context, const std::vector<store::FindingRow>& findings) {
  Table table({"id", "kind", "stage", "disposition", "reach", "status", "seen", "title"});
  bool marked = false;
  for (const auto& finding : findings) {
    table.add({fmt::format("{}", finding.id), std::string(oracle::name(finding.kind)),
               std::string(oracle::name(finding.stage)), marked_disposition(finding),
               std::string(oracle::name(finding.reach)), std::string(name(finding.status)),
               fmt::format("{}", finding.occurrences), finding.title});
    marked = marked || !finding.alarm.empty();
  }
  context.out << table.text(context.screen);
  if (marked) context.out << "! may hold more than one cause: `parityd show ID` says why\n";
}

void print_csv(Context& context, const std::vector<store::FindingRow>& findings) {
  context.out << csv_record({"id",        "kind",      "stage",       "status",    "disposition", "severity",
                             "reach",     "side",      "occurrences", "operators", "dtypes",      "device",
                             "torch",     "hits",      "rounds",      "alarm",     "title",       "explanation",
                             "signature", "next_step", "why",         "created_at"});
  for (const auto& row : findings) {
    context.out << csv_record({fmt::format("{}", row.id),
                               std::string(oracle::name(row.kind)),
                               std::string(oracle::name(row.stage)),
                               std::string(name(row.status)),
                               row.disposition.text(),
                               fmt::format("{}", row.disposition.severity),
                               std::string(oracle::name(row.reach)),
                               std::string(oracle::name(row.side)),
                               fmt::format("{}", row.occurrences),
                               fmt::format("{}", fmt::join(row.operators, " ")),
                               fmt::format("{}", fmt::join(row.dtypes, " ")),
                               row.device,
                               row.torch,
                               fmt::format("{}", row.hits),
                               fmt::format("{}", row.rounds),
                               row.alarm,
                               row.title,
                               row.explanation,
                               row.signature.text,
                               row.next_step,
                               row.why,
                               utc(row.created_at)});
  }
}

std::string nothing_found(const store::Counts& counts) {
  if (counts.findings > 0) return fmt::format("no findings match; without filters there are {}\n", counts.findings);
  return fmt::format(
      "no findings yet: {} programs run, {} suspects to be confirmed; `parityd status` says whether a daemon runs\n",
      counts.programs, counts.gating);
}

void list_findings(Context& context, FindingsOptions options) {
  if (!options.since.empty()) {
    const auto since = parse_since(options.since, wall_clock());
    if (!since) {
      context.err << fmt::format(
          "parityd findings: --since {}: expected a span such as 12h or 7d, or a day such as "
          "2026-03-02 (UTC)\n",
          printable_line(options.since));
      context.exit_code = 2;
      return;
    }
    options.filter.since = *since;
  }
  const auto store = open_for_reading(context);
  if (!store) context.err << no_database_message(context);
  if (store && options.queue) {
    list_queue(context, *store, options.filter, options.json);
    return;
  }
  const auto found = store ? store->findings.list(options.filter) : std::vector<store::FindingRow>{};
  const bool cut = options.filter.limit > 0 && static_cast<int>(found.size()) == options.filter.limit;
  if (options.csv) {
    print_csv(context, found);
  } else if (options.json) {
    auto array = nlohmann::json::array();
    for (const auto& finding : found) array.push_back(finding_json(*store, finding));
    print_json(context, array);
  } else if (!found.empty()) {
    print_table(context, found);
  } else if (store) {
    context.out << nothing_found(store->tally.all());
  }
  if (cut) context.err << fmt::format("the first {}; --limit 0 lists all\n", options.filter.limit);
}

template <oracle::Named Enum>
CLI::IsMember one_of() {
  const auto all = names(Enum{});
  return CLI::IsMember(std::vector<std::string>(all.begin(), all.end()));
}

}  // namespace

void add_findings(CLI::App& app, Context& context) {
  auto options = std::make_shared<FindingsOptions>();
  CLI::App* command = app.add_subcommand("findings", "List findings; filter and search them.");
  auto& filter = options->filter;
  command->add_option("--kind", filter.kind, "Only this kind")->check(one_of<oracle::Kind>());
  command->add_option("--stage", filter.stage, "Only those first seen at this stage")->check(one_of<oracle::Stage>());
  command->add_option("--operator", filter.operator_name, "Only those with this operator: max, aten.max.dim");
  command->add_option("--dtype", filter.dtype, "Only those with this dtype: int8, bfloat16");
  command->add_option("--device", filter.device, "Only those of this device")->check(CLI::IsMember({"cpu", "cuda"}));
  command->add_option("--torch", filter.torch, "Only those of this torch: 2.13, 2.13.0");
  command->add_option("--status", filter.status, "Only this status")->check(one_of<store::FindingStatus>());
  command->add_option("--disposition", filter.disposition,
                      "Only this disposition: ready, umbrella, known, held, or one with its detail: held(stride)");
  command->add_option("--reach", filter.reach, "Only this reach")->check(one_of<oracle::Reach>());
  command->add_option("--since", options->since, "Only those found since: 12h, 7d, 2026-03-02 (UTC)")
      ->type_name("SINCE");
  command
      ->add_option("--search", filter.text, "Only findings with this text in title, signature, explanation or program")
      ->type_name("TEXT");
  command->add_option("--limit", filter.limit, "At most so many; 0: all")->check(CLI::NonNegativeNumber);
  auto* const json = command->add_flag("--json", options->json, "An array of objects, programs and drafts included");
  command->add_flag("--csv", options->csv, "Comma-separated values with a heading")->excludes(json);
  command->add_flag("--queue", options->queue, "What to file today, best first, and why each stands where it stands")
      ->excludes("--csv");
  command->footer(
      "`parityd show ID` shows one whole. Exit code: 0 also when there are none, 3 the database is at fault.");
  command->callback([&context, options] { list_findings(context, *options); });
}

}  // namespace parityd::agent
