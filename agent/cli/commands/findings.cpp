// parityd findings: the list of findings, the most important first.
#include <map>

#include "agent/cli/commands.h"
#include "agent/cli/commands/shared_options.h"
#include "agent/cli/json.h"
#include "agent/cli/reading.h"
#include "agent/cli/reports/statistics.h"
#include "agent/cli/table.h"
#include "agent/daemon/loop/wall_clock.h"
#include "agent/duration.h"
#include "oracle/device.h"
#include "store/findings/queue.h"

namespace parityd::agent {
namespace {

struct FindingsOptions {
  store::FindingFilter filter;
  std::string since;
  bool json = false;
  bool csv = false;
  bool queue = false;
};

/// A finding's disposition for the list, with a mark if it may have more than one cause.
std::string marked_disposition(const store::FindingRow& finding) {
  return finding.disposition.text() + (finding.alarm.empty() ? "" : " !");
}

void print_table(Context& context, const std::vector<store::FindingRow>& findings) {
  Table table({"id", "kind", "stage", "disposition", "trigger", "status", "seen", "title"});
  bool marked = false;
  for (const auto& finding : findings) {
    table.add(cells(finding.id, finding.kind, finding.stage, marked_disposition(finding), finding.trigger,
                    finding.status, finding.occurrences, finding.title));
    marked = marked || !finding.alarm.empty();
  }
  context.out << table.text(context.screen);
  if (marked) context.out << "! may have more than one cause: `parityd show ID` shows why\n";
}

void print_csv(Context& context, const std::vector<store::FindingRow>& findings) {
  context.out << csv_record({"id",        "kind",      "stage",       "status",    "disposition", "severity",
                             "trigger",   "side",      "occurrences", "operators", "dtypes",      "device",
                             "torch",     "hits",      "rounds",      "alarm",     "title",       "explanation",
                             "signature", "next_step", "why",         "created_at"});
  for (const auto& row : findings) {
    context.out << csv_record(
        cells(row.id, row.kind, row.stage, row.status, row.disposition.text(), row.disposition.severity, row.trigger,
              row.side, row.occurrences, fmt::format("{}", fmt::join(row.operators, " ")),
              fmt::format("{}", fmt::join(row.dtypes, " ")), row.device, row.torch, row.hits, row.rounds, row.alarm,
              row.title, row.explanation, row.signature.text, row.next_step, row.why, utc(row.created_at)));
  }
}

/// Prints programs that will become the next findings. Filters do not apply: little is known about them yet.
void print_confirmed(Context& context, const store::Store& store) {
  Table table({"program", "kind", "next", "what"});
  for (const auto& row : store.programs.confirmed()) {
    table.add(cells(row.program, row.kind, row.next_step, row.explanation));
  }
  if (table.empty()) return;
  context.heading("Confirmed, being reduced (`parityd show --program ID`)");
  context.out << table.text(context.screen);
}

std::string nothing_found(const store::Counts& counts) {
  if (counts.findings > 0) return fmt::format("no findings match; there are {} without filters\n", counts.findings);
  return fmt::format(
      "no findings yet: {} programs run, {} suspects to confirm; `parityd status` shows whether a daemon runs\n",
      counts.programs, counts.confirming - counts.confirmed);
}

nlohmann::json queue_json(const store::Store& store, const std::vector<store::QueueEntry>& queue) {
  return json_array(queue, [&](const store::QueueEntry& entry) {
    auto json = finding_json(store, entry.finding);
    json["next_step"] = entry.next_step;
    json["queue"] = {{"place", entry.place}, {"today", entry.today}, {"standing", entry.standing},
                     {"why", entry.why},     {"lines", entry.lines}, {"known_matches", entry.known_matches}};
    return json;
  });
}

void print_offered(Context& context, const store::QueueEntry& entry) {
  const std::string title = fmt::format("{}. finding {}: {}", entry.place, entry.finding.id, entry.finding.title);
  context.out << coloured(wrapped(title, 0, context.screen), Colour::bold, context.screen.colour) << "\n";
  for (const std::string& line : {entry.standing, entry.why, "next: " + entry.next_step}) {
    context.out << "   " << wrapped(line, 3, context.screen) << "\n";
  }
}

void print_queue(Context& context, const std::vector<store::QueueEntry>& queue) {
  Table waiting({"place", "id", "reason", "title"});
  for (const auto& entry : queue) {
    if (entry.today) {
      print_offered(context, entry);
    } else {
      waiting.add(cells(entry.place, entry.finding.id, entry.why, entry.finding.title));
    }
  }
  if (waiting.empty()) return;
  context.out << fmt::format("{}Not today: {}\n", queue.front().today ? "\n" : "", queue.back().next_step)
              << waiting.text(context.screen);
}

/// Explains an empty queue: counts what the findings are instead of ready and new.
void print_empty_queue(Context& context, const std::vector<store::FindingRow>& findings) {
  std::map<std::string, int> standing;
  for (const auto& finding : findings) {
    ++standing[fmt::format("{}, {}", finding.disposition.text(), oracle::name(finding.status))];
  }
  context.out << "nothing to file: no finding is ready and new\n";
  for (const auto& [how, count] : standing) context.out << fmt::format("{:>6} {}\n", count, how);
}

/// Lists the queued findings that pass `filter`, with position and reason; those offered today first.
void list_queue(Context& context, const store::Store& store, const store::FindingFilter& filter, bool json) {
  const auto config = load_context_config(context);
  if (!config) return;
  auto all = filter;
  all.limit = 0;  // positions count every finding, whatever part of the queue is shown
  const store::QueueLimits limits{
      .drafts_per_day = config->drafts_per_day,
      .filed_today = static_cast<int>(store.findings.filed_since(start_of_day(wall_clock())))};
  auto findings = store.findings.list(all);
  std::map<store::Id, int> known_matches;
  for (const auto& finding : findings) {
    known_matches[finding.id] = static_cast<int>(store.known.matches(finding.id).size());
  }
  auto queue = store::queue_of(std::move(findings), known_matches, limits);
  if (filter.limit > 0 && queue.size() > static_cast<std::size_t>(filter.limit)) {
    queue.resize(static_cast<std::size_t>(filter.limit));
  }
  if (json) {
    print_json(context, queue_json(store, queue));
  } else if (queue.empty()) {
    print_empty_queue(context, store.findings.list(all));
  } else {
    print_queue(context, queue);
  }
}

void list_findings(Context& context, FindingsOptions options) {
  if (!options.since.empty()) {
    const auto since = parse_since(options.since, wall_clock());
    if (!since) {
      return context.fail(
          2, "parityd findings: --since {}: expected a span such as 12h or 7d, or a day such as 2026-03-02 (UTC)",
          printable_line(options.since));
    }
    options.filter.since = *since;
  }
  const auto store = open_for_reading(context);
  if (!store) say_no_database(context);
  if (store && options.queue) return list_queue(context, *store, options.filter, options.json);
  const auto found = store ? store->findings.list(options.filter) : std::vector<store::FindingRow>{};
  const bool cut = options.filter.limit > 0 && static_cast<int>(found.size()) == options.filter.limit;
  if (options.csv) {
    print_csv(context, found);
  } else if (options.json) {
    print_json(context, json_array(found, [&](const auto& finding) { return finding_json(*store, finding); }));
  } else if (!found.empty()) {
    print_table(context, found);
  } else if (store) {
    context.out << nothing_found(store->tally.all());
  }
  if (store && !options.csv && !options.json) print_confirmed(context, *store);
  if (cut) context.err << fmt::format("only the first {} are listed; --limit 0 lists all\n", options.filter.limit);
}

}  // namespace

void add_findings(CLI::App& app, Context& context) {
  auto options = std::make_shared<FindingsOptions>();
  CLI::App* command = app.add_subcommand("findings", "List findings; filter and search them.");
  auto& filter = options->filter;
  command->add_option("--kind", filter.kind, "Only findings of this kind")->check(one_of<oracle::Kind>());
  command->add_option("--stage", filter.stage, "Only findings first seen at this stage")
      ->check(one_of<oracle::Stage>());
  command->add_option("--operator", filter.operator_name,
                      "Only findings with this operator, such as max or aten.max.dim");
  command->add_option("--dtype", filter.dtype, "Only findings with this dtype, such as int8 or bfloat16");
  command->add_option("--device", filter.device, "Only findings on this device")->check(one_of<oracle::DeviceKind>());
  command->add_option("--torch", filter.torch, "Only findings on this torch, such as 2.13 or 2.13.0");
  command->add_option("--status", filter.status, "Only findings with this status")
      ->check(one_of<store::FindingStatus>());
  command->add_option(
      "--disposition", filter.disposition,
      "Only findings with this disposition: ready, umbrella, known, held, or with its detail: held(stride)");
  command->add_option("--trigger", filter.trigger, "Only findings with this trigger")->check(one_of<oracle::Trigger>());
  command->add_option("--since", options->since, "Only findings since then: 12h, 7d, 2026-03-02 (UTC)")
      ->type_name("SINCE");
  command
      ->add_option("--search", filter.text, "Only findings with this text in title, signature, explanation or program")
      ->type_name("TEXT");
  command->add_option("--limit", filter.limit, "Maximum number to list; 0: all")->check(CLI::NonNegativeNumber);
  auto* const json = command->add_flag("--json", options->json, "Print a JSON array, including programs and drafts");
  command->add_flag("--csv", options->csv, "Print comma-separated values with a header")->excludes(json);
  command->add_flag("--queue", options->queue, "List what to file today, best first, with the reason for each place")
      ->excludes("--csv");
  command->footer(
      "`parityd show ID` shows one in detail. Exit code: 0 success (even if there are none), 3 database error.");
  command->callback([&context, options] { list_findings(context, *options); });
}

}  // namespace parityd::agent
