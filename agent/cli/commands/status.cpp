// parityd status: one screen about a state folder.
#include <sstream>

#include "agent/cli/commands.h"
#include "agent/cli/json.h"
#include "agent/cli/reading.h"
#include "agent/cli/reports/alarms_text.h"
#include "agent/cli/reports/statistics.h"
#include "agent/cli/reports/storage_facts.h"
#include "agent/cli/reports/watching.h"
#include "agent/daemon/findings/fixer.h"
#include "agent/daemon/findings/known.h"
#include "agent/daemon/lock.h"
#include "agent/daemon/loop/wall_clock.h"
#include "agent/llm/price.h"
#include "store/report/sandbox_text.h"

namespace parityd::agent {
namespace {

constexpr store::Millis kRateWindow = 600'000;
constexpr int kEvents = 6;

/// New programs per minute over the last ten minutes.
double rate(const store::Counts& recent) {
  return static_cast<double>(recent.programs) / (static_cast<double>(kRateWindow) / 60'000.0);
}

nlohmann::json storage_json(const StorageFacts& facts) {
  const auto set_aside = json_array(facts.set_aside, [](const auto& folder) { return folder.string(); });
  return {{"bytes", facts.bytes},   {"wal_bytes", facts.wal_bytes},     {"free_bytes", facts.disk.free_bytes},
          {"paused", facts.paused}, {"last_backup", facts.last_backup}, {"set_aside", set_aside}};
}

nlohmann::json sandboxes_json(const store::Store& store) {
  return json_array(store.environments.by_device(), [](const auto& environment) {
    auto sandbox = sandbox_json(environment.sandbox);
    sandbox["device"] = environment.device;
    return sandbox;
  });
}

void print_sandboxes(Context& context, const store::Store& store) {
  const char* label = "sandbox";
  for (const auto& environment : store.environments.by_device()) {
    print_labelled(context, label,
                   fmt::format("{}: {}", environment.device, store::sandbox_summary(environment.sandbox)));
    label = "";
  }
}

/// The configuration; defaults if it is invalid, which other commands report.
Config config_of(const Context& context) {
  const auto file = context.config_file.empty() ? default_config_file() : context.config_file;
  return load_config(file).value_or(Config{});
}

nlohmann::json known_json(const store::Store& store, std::chrono::seconds max_age) {
  const auto as_of = store.known.gathered_at();
  return {{"issues", store.known.issues().size()},
          {"as_of", as_of ? nlohmann::json(utc(*as_of)) : nlohmann::json()},
          {"stale", known_is_stale(store, wall_clock(), max_age)}};
}

/// The finding for which the daemon asks for a change of torch, and since when; null: none.
nlohmann::json fixing_json(bool running, const store::Store& store) {
  const auto fixing = oracle::parsed(running ? store.values.find(kFixing).value_or("") : "");
  if (!fixing.is_object()) return {};
  return {{"finding", fixing.at("finding")}, {"since", utc(fixing.at("since").get<store::Millis>())}};
}

nlohmann::json status_object(const Context& context, const std::optional<LockHolder>& holder,
                             const store::Store* store) {
  const Config config = config_of(context);
  const auto now = wall_clock();
  nlohmann::json json{{"running", holder.has_value()},
                      {"pid", holder ? nlohmann::json(holder->pid) : nlohmann::json()},
                      {"since", holder ? nlohmann::json(holder->since) : nlohmann::json()},
                      {"state", context.state_directory.string()},
                      {"database", store != nullptr},
                      {"storage", storage_json(storage_facts(context, config, store))},
                      {"condition", condition(holder.has_value(), store)}};
  if (store == nullptr) {
    const auto none = nlohmann::json::array();
    json.update(counts_json({}));
    json.update({{"programs_per_minute", 0.0},
                 {"requests_waiting", 0},
                 {"fixing", nullptr},
                 {"sandbox", none},
                 {"known", nullptr},
                 {"alarms", none},
                 {"counters", nlohmann::json::object()},
                 {"health", nullptr},
                 {"events", none}});
    return json;
  }
  json.update(counts_json(store->tally.all()));
  json.update({{"programs_per_minute", rate(store->tally.since(now - kRateWindow))},
               {"requests_waiting", store->requests.waiting()},
               {"fixing", fixing_json(holder.has_value(), *store)},
               {"sandbox", sandboxes_json(*store)},
               {"known", known_json(*store, config.known_max_age)},
               {"alarms", alarms_json(*store, now)},
               {"counters", alarm_counters_json(*store)},
               {"health", health_json(health_of(*store, now, config.known_max_age), now)},
               {"events", json_array(store->events.recent(kEvents), event_json)}});
  return json;
}

void print_counts(Context& context, const store::Counts& counts, const store::Counts& recent) {
  const auto line = [&](const char* label, const std::string& text) { print_labelled(context, label, text); };
  line("programs", fmt::format("{}: {} valid ({} after repair), {} invalid; {:.1f} a minute over the last ten",
                               counts.programs, counts.valid, counts.repaired, counts.invalid, rate(recent)));
  line("verdicts", fmt::format("{} consistent, {} excused, {} unstable, {} inconsistent", counts.consistent,
                               counts.excused, counts.unstable, counts.inconsistent));
  line("waiting", fmt::format("{} queued, {} for a repair, {} suspects pending, {} being confirmed, {} being reduced",
                              counts.queued, counts.repairing, counts.pending,
                              counts.confirming - counts.pending - counts.confirmed, counts.confirmed));
  line("findings", fmt::format("{} ({} of them flaky), seen {} times; {} suspects so far", counts.findings,
                               counts.held_flaky, counts.occurrences, counts.suspects));
  line("model", fmt::format("{} replies ({} failed), {} + {} tokens, ${:.4f}", counts.replies, counts.failed_replies,
                            counts.prompt_tokens, counts.completion_tokens, in_dollars(counts.spent_nano_dollars)));
  if (counts.harness_failures + counts.state_dependent > 0) {
    line("apart", fmt::format("{} failures of parityd itself, {} differences seen only by warm workers",
                              counts.harness_failures, counts.state_dependent));
  }
}

void status_text(Context& context, const std::optional<LockHolder>& holder, const store::Store* store) {
  const std::string state = context.state_directory.string();
  const auto say = [&](const std::string& word, Colour colour, const std::string& rest) {
    const std::string line = wrapped(word + rest, 0, context.screen);
    context.out << coloured(word, colour, context.screen.colour) << line.substr(word.size()) << "\n";
  };
  if (holder) {
    const std::string word = condition(true, store);
    say(word, word == "running" ? Colour::green : Colour::red,
        fmt::format(" as pid {} since {}, state {}", holder->pid, holder->since, state));
  } else {
    say("not running", Colour::yellow, fmt::format(", state {}; `parityd run` starts it", state));
  }
  if (store == nullptr) {
    context.out << "nothing has been run here yet\n";
    return;
  }
  print_counts(context, store->tally.all(), store->tally.since(wall_clock() - kRateWindow));
  const Config config = config_of(context);
  print_labelled(context, "known", known_sentence(*store, wall_clock(), config.known_max_age));
  const StorageFacts storage = storage_facts(context, config, store);
  print_labelled(context, "storage", storage_sentence(storage));
  if (!storage.paused.empty()) {
    context.out << coloured(fmt::format("{:<11}", "paused"), Colour::yellow, context.screen.colour)
                << wrapped(storage.paused, 11, context.screen) << "\n";
  }
  print_sandboxes(context, *store);
  if (const auto fixing = fixing_json(holder.has_value(), *store); !fixing.is_null()) {
    print_labelled(context, "fixing",
                   fmt::format("finding {} since {}", fixing.at("finding").get<store::Id>(),
                               fixing.at("since").get<std::string>()));
  }
  print_health(context, health_of(*store, wall_clock(), config.known_max_age), wall_clock());
  print_alarms(context, *store, wall_clock());
  if (const auto waiting = store->requests.waiting(); waiting > 0) {
    context.out << fmt::format("{:<11}{} waiting for the daemon\n", "requests", waiting);
  }
  Table table({"last (UTC)", "level", "what", "text"});
  for (const auto& event : store->events.recent(kEvents)) {
    table.add({utc(event.at), event.level, event.what, event.text});
  }
  if (!table.empty()) context.out << "\n" << table.text(context.screen);
}

void status(Context& context, bool json) {
  const auto holder = DaemonLock::holder(context.state_directory);
  const auto store = open_for_reading(context);
  json ? print_json(context, status_object(context, holder, store.get())) : status_text(context, holder, store.get());
}

/// The page laid out for that screen.
std::string page_for(const Context& context, const Screen& screen) {
  std::ostringstream page;
  Context on_page{.state_directory = context.state_directory,
                  .config_file = context.config_file,
                  .arguments = context.arguments,
                  .out = page,
                  .err = page,
                  .screen = screen};
  status(on_page, false);
  return page.str();
}

/// The most important facts in one line; as a JSON object on request.
std::string line_for(const Context& context, bool json) {
  const auto holder = DaemonLock::holder(context.state_directory);
  const auto store = open_for_reading(context);
  if (json) return oracle::compact(status_object(context, holder, store.get())) + "\n";
  const auto counts = store != nullptr ? store->tally.all() : store::Counts{};
  const double minute = store != nullptr ? rate(store->tally.since(wall_clock() - kRateWindow)) : 0;
  return fmt::format("{}  {}  programs {}  valid {}  suspects {}  findings {}  {:.1f}/min  ${:.4f}\n",
                     utc(wall_clock()), holder ? condition(true, store.get()) : "not running", counts.programs,
                     counts.valid, counts.suspects, counts.findings, minute, in_dollars(counts.spent_nano_dollars));
}

void watch_status(const Context& context, bool json, int seconds) {
  Screen screen = context.screen;
  screen.terminal = screen.terminal && !json;
  watch({.page =
             [&context](const Screen& now) {
               return page_for(context, now) + "\n" +
                      coloured("Ctrl-C ends this view; the daemon continues", Colour::dim, now.colour) + "\n";
             },
         .line = [&context, json] { return line_for(context, json); }},
        context.out, screen, std::chrono::seconds(seconds));
}

}  // namespace

void add_status(CLI::App& app, Context& context) {
  struct Options {
    bool json = false, watch = false;
    int seconds = 2;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("status", "Show the daemon's state, progress and cost.");
  auto* const watching = command->add_flag(
      "--watch", options->watch, "Refresh until Ctrl-C: in place on a terminal, one line each time elsewhere");
  command->add_option("--every", options->seconds, "Seconds between refreshes")
      ->check(CLI::Range(1, 86'400))
      ->capture_default_str()
      ->needs(watching);
  command->add_flag("--json", options->json, "Print a JSON object; with --watch one per line");
  command->footer("Exit code: 0 whether or not a daemon is running, 3 database error.");
  command->callback([&context, options] {
    options->watch ? watch_status(context, options->json, options->seconds) : status(context, options->json);
  });
}

}  // namespace parityd::agent
