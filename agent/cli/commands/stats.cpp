// parityd stats: use of worker time, outcomes of programs, costs.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "agent/cli/commands.h"
#include "agent/cli/reading.h"
#include "agent/cli/reports/alarms_text.h"
#include "agent/cli/reports/coverage.h"
#include "agent/cli/reports/fixes.h"
#include "agent/cli/reports/statistics.h"
#include "agent/cli/reports/strategies.h"
#include "agent/daemon/loop/wall_clock.h"
#include "agent/duration.h"
#include "agent/llm/price.h"

namespace parityd::agent {
namespace {

std::string percent(double share) { return fmt::format("{:.1f} %", share * 100); }
std::string seconds(double time) { return fmt::format("{:.1f}", time); }

void print_groups(Context& context, const std::vector<GroupTime>& groups) {
  context.heading("Where worker time went");
  if (groups.empty()) {
    context.out << "no worker has run yet\n";
    return;
  }
  Table table({"group", "occupation", "seconds", "share", "busy"});
  table.align_right({2, 3, 4});
  for (const auto& group : groups) {
    table.add({group.name, "all", seconds(group.seconds), percent(1), percent(group.busy())});
    for (const auto& each : group.occupations) {
      table.add({"", each.name, seconds(each.seconds), percent(group.share(each.seconds))});
    }
  }
  context.out << table.text(context.screen);
}

void print_funnel(Context& context, const Statistics& statistics) {
  context.heading("What happened to programs");
  const auto& counts = statistics.counts;
  Table table({"stage", "number", "of all", "remarks"});
  table.align_right({1, 2});
  const double all = static_cast<double>(std::max<std::int64_t>(1, counts.programs));
  const auto stage = [&](const char* name, std::int64_t count, const std::string& remarks) {
    table.add(cells(name, count, percent(static_cast<double>(count) / all), remarks));
  };
  const double came_in = statistics.programs_per_minute();
  stage("programs", counts.programs,
        (came_in > 0 ? fmt::format("{:.1f} a minute while new ones arrived, ", came_in) : "") +
            fmt::format("{:.2f} per minute of worker time", statistics.programs_per_worker_minute()));
  stage("valid", counts.valid, fmt::format("{} of them after a repair; {} invalid", counts.repaired, counts.invalid));
  stage("suspects", counts.suspects, fmt::format("{} differences seen only by warm workers", counts.state_dependent));
  stage("inconsistent", counts.inconsistent,
        fmt::format("{} consistent, {} excused, {} unstable", counts.consistent, counts.excused, counts.unstable));
  stage("findings", counts.findings, fmt::format("new ones, {} of them flaky", counts.held_flaky));
  context.out << table.text(context.screen);
  if (counts.harness_failures > 0) {
    context.out << fmt::format("In addition, {} failures of parityd itself\n", counts.harness_failures);
  }
}

void print_modes(Context& context, const std::vector<store::ModeCount>& rows) {
  if (rows.empty()) return;
  context.heading("Results by mode");
  Table table(
      {"mode", "device", "programs", "excused", "suspects", "inconsistent", "findings", "seconds per screening"});
  table.align_right({2, 3, 4, 5, 6, 7});
  for (const auto& row : rows) {
    table.add(cells(row.mode, row.device, row.programs, row.excused, row.suspects, row.inconsistent, row.findings,
                    seconds(row.screen_seconds)));
  }
  context.out << table.text(context.screen);
}

void print_graphs(Context& context, const std::vector<store::GraphCount>& rows) {
  if (rows.empty()) return;
  static const std::map<oracle::GraphForms::Kind, const char*> kRemarks{
      {oracle::GraphForms::Kind::compiled, "many new compiler features"},
      {oracle::GraphForms::Kind::sampled, "compiled as a sample, to see what the others may hide"},
      {oracle::GraphForms::Kind::interpreted, "not compiled, run by eager kernels"}};
  context.heading("What happened to graphs");
  Table table({"graphs", "screens", "suspects", "inconsistent", "remarks"});
  table.align_right({1, 2, 3});
  for (const auto& row : rows) {
    table.add(cells(oracle::name(row.graphs), row.screens, row.suspects, row.inconsistent, kRemarks.at(row.graphs)));
  }
  context.out << table.text(context.screen);
}

void print_costs(Context& context, const std::vector<store::SpendingRow>& rows) {
  if (rows.empty()) return;
  context.heading("What replies cost");
  Table table({"provider", "strategy", "replies", "failed", "tokens in", "tokens out", "dollars"});
  table.align_right({2, 3, 4, 5, 6});
  for (const auto& row : rows) {
    table.add(cells(row.provider, row.strategy, row.replies, row.failed, row.prompt_tokens, row.completion_tokens,
                    fmt::format("{:.4f}", in_dollars(row.nano_dollars))));
  }
  context.out << table.text(context.screen);
}

std::string price(std::int64_t nano_dollars, std::int64_t number) {
  return number > 0 ? fmt::format("{:.6f}", in_dollars(nano_dollars) / static_cast<double>(number)) : "-";
}

/// Results of each strategy's replies, after a line with the provider's totals.
void print_yields(Context& context, const std::vector<store::SpendingRow>& rows) {
  if (rows.empty()) return;
  std::map<std::string, store::SpendingRow> whole;
  for (const auto& row : rows) {
    auto& all = whole[row.provider];
    all.nano_dollars += row.nano_dollars;
    all.valid += row.valid;
    all.findings += row.findings;
  }
  context.heading("What programs and findings cost");
  Table table({"provider", "strategy", "dollars", "valid", "per valid one", "findings", "per finding"});
  table.align_right({2, 3, 4, 5, 6});
  const auto add = [&](const std::string& provider, const std::string& strategy, const auto& row) {
    table.add(cells(provider, strategy, price(row.nano_dollars, 1), row.valid, price(row.nano_dollars, row.valid),
                    row.findings, price(row.nano_dollars, row.findings)));
  };
  for (const auto& [provider, all] : whole) {
    add(provider, "all", all);
    for (const auto& row : rows) {
      if (row.provider == provider) add("", row.strategy, row);
    }
  }
  context.out << table.text(context.screen);
}

void print_repairs(Context& context, const std::vector<store::RepairYield>& rows) {
  if (rows.empty()) return;
  context.heading("What repairs achieved");
  Table table({"error", "round", "asked", "valid", "yield", "same error", "lost operators", "declined"});
  table.align_right({1, 2, 3, 4, 5, 6, 7});
  for (const auto& row : rows) {
    const double asked = static_cast<double>(std::max<std::int64_t>(1, row.asked));
    table.add(cells(row.error_class, row.round, row.asked, row.valid, percent(static_cast<double>(row.valid) / asked),
                    row.same_error, row.lost_operators, row.declined));
  }
  context.out << table.text(context.screen);
}

void print_reply_classes(Context& context, const std::vector<store::ReplyClassCount>& rows) {
  if (rows.empty()) return;
  context.heading("What replies contained");
  Table table({"asked for", "contained", "replies"});
  table.align_right({2});
  for (const auto& row : rows) table.add(cells(row.purpose, row.klass, row.replies));
  context.out << table.text(context.screen);
}

void stats(Context& context, const std::string& span, bool json) {
  const auto duration = parse_duration(span);
  if (!duration) {
    return context.fail(2, "parityd stats: --since {}: expected a span such as 90m, 12h or 7d", printable_line(span));
  }
  const store::Millis now = wall_clock();
  const store::Millis since = start_of_day(std::max<store::Millis>(0, now - duration->count()));
  const auto store = open_for_reading(context);
  const Statistics statistics =
      store ? gather_statistics(*store, since, now) : Statistics{.since = since, .until = now};
  if (json) {
    auto all = statistics_json(statistics);
    all["counters"] = store != nullptr ? alarm_counters_json(*store) : nlohmann::json::object();
    all["alarms"] = store != nullptr ? alarms_json(*store, now) : nlohmann::json::array();
    print_json(context, all);
    return;
  }
  context.out << fmt::format("Since {} UTC (whole days)\n", utc(since).substr(0, 10));
  if (store == nullptr) {
    context.out << "nothing has been run here yet\n";
    return;
  }
  print_groups(context, statistics.groups);
  print_funnel(context, statistics);
  print_modes(context, statistics.modes);
  print_graphs(context, statistics.graphs);
  print_costs(context, statistics.spending);
  print_yields(context, statistics.spending);
  print_reply_classes(context, statistics.reply_classes);
  print_repairs(context, statistics.repairs);
  context.heading("All faults so far (docs/troubleshooting.md)");
  print_alarm_counters(context, *store);
}

enum class Instead { nothing, coverage, strategies, fixes };

void stats_instead(Context& context, Instead what, bool json) {
  const auto store = open_for_reading(context);
  if (store == nullptr) {
    json ? print_json(context, nlohmann::json::object()) : void(context.out << "nothing has been run here yet\n");
  } else if (what == Instead::coverage) {
    json ? print_json(context, coverage_json(*store)) : print_coverage(context, *store);
  } else if (what == Instead::strategies) {
    json ? print_json(context, learnt_json(*store)) : print_strategies(context, *store);
  } else {
    json ? print_json(context, fix_tally_json(*store)) : print_fix_tally(context, *store);
  }
}

}  // namespace

void add_stats(CLI::App& app, Context& context) {
  auto json = std::make_shared<bool>(false);
  auto instead = std::make_shared<Instead>(Instead::nothing);
  auto since = std::make_shared<std::string>("7d");
  CLI::App* command = app.add_subcommand(
      "stats", "Show where worker time goes, what happens to programs in each mode, and what replies cost.");
  command->add_option("--since", *since, "Only this time span up to now, in whole days (UTC): 12h, 7d, 30d")
      ->type_name("SPAN")
      ->capture_default_str();
  auto* const coverage = command->add_flag_callback(
      "--coverage", [instead] { *instead = Instead::coverage; },
      "Show compiler coverage instead: what the compiler did with all programs, and what it never did");
  auto* const strategies = command->add_flag_callback(
      "--strategies", [instead] { *instead = Instead::strategies; },
      "Show the scheduler instead: learned values of prompt strategies, repairs and parents of mutants, the "
      "probability of each, and total cost and yield of strategies");
  strategies->excludes(coverage);
  command
      ->add_flag_callback(
          "--fixes", [instead] { *instead = Instead::fixes; },
          "Show what became of models' changes of torch instead, by area of the compiler, kind and model")
      ->excludes(coverage)
      ->excludes(strategies);
  command->add_flag("--json", *json, "Print a JSON object");
  command->footer("Exit code: 0 success, 2 usage error, 3 database error.");
  command->callback([&context, instead, json, since] {
    *instead == Instead::nothing ? stats(context, *since, *json) : stats_instead(context, *instead, *json);
  });
}

}  // namespace parityd::agent
