// parityd status: one screen about a state folder.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/cli/alarms_text.h"
#include "agent/cli/commands.h"
#include "agent/cli/reading.h"
#include "agent/cli/statistics.h"
#include "agent/cli/storage_facts.h"
#include "agent/daemon/known.h"
#include "agent/daemon/lock.h"
#include "agent/daemon/wall_clock.h"
#include "store/sandbox_text.h"

namespace parityd::agent {
namespace {

constexpr store::Millis kRateWindow = 600'000;
constexpr int kEvents = 6;

/// First programs a minute over the last ten.
double rate(const store::Counts& recent) {
  return static_cast<double>(recent.programs) / (static_cast<double>(kRateWindow) / 60'000.0);
}

double dollars(std::int64_t nano) { return static_cast<double>(nano) / 1e9; }

nlohmann::json storage_json(const StorageFacts& facts) {
  auto set_aside = nlohmann::json::array();
  for (const auto& folder : facts.set_aside) set_aside.push_back(folder.string());
  return {{"bytes", facts.bytes},   {"wal_bytes", facts.wal_bytes},     {"free_bytes", facts.disk.free_bytes},
          {"paused", facts.paused}, {"last_backup", facts.last_backup}, {"set_aside", std::move(set_aside)}};
}

nlohmann::json sandboxes_json(const store::Store& store) {
  auto all = nlohmann::json::array();
  for (const auto& environment : store.environments()) {
    auto sandbox = sandbox_json(environment.sandbox);
    sandbox["device"] = environment.device;
    all.push_back(std::move(sandbox));
  }
  return all;
}

void print_sandboxes(Context& context, const store::Store& store) {
  const char* label = "sandbox";
  for (const auto& environment : store.environments()) {
    const std::string text = fmt::format("{}: {}", environment.device, store::sandbox_summary(environment.sandbox));
    context.out << fmt::format("{:<11}{}\n", label, wrapped(text, 11));
    label = "";
  }
}

/// A broken one is for other commands to report.
Config config_of(const Context& context) {
  const auto file = context.config_file.empty() ? default_config_file() : context.config_file;
  return load_config(file).value_or(Config{});
}

nlohmann::json known_json(const store::Store& store, std::chrono::seconds max_age) {
  const auto as_of = store.known_as_of();
  return {{"issues", store.known_issues().size()},
          {"as_of", as_of ? nlohmann::json(utc(*as_of)) : nlohmann::json(nullptr)},
          {"stale", known_is_stale(store, wall_clock(), max_age)}};
}

void status_json(Context& context, const std::optional<LockHolder>& holder, const store::Store* store) {
  nlohmann::json json{{"running", holder.has_value()},
                      {"pid", holder ? nlohmann::json(holder->pid) : nlohmann::json(nullptr)},
                      {"since", holder ? nlohmann::json(holder->since) : nlohmann::json(nullptr)},
                      {"state", context.state_directory.string()},
                      {"database", store != nullptr}};
  json.update(counts_json(store != nullptr ? store->counts() : store::Counts{}));
  json["programs_per_minute"] = store != nullptr ? rate(store->counts_since(wall_clock() - kRateWindow)) : 0.0;
  json["requests_waiting"] = store != nullptr ? store->pending_requests().size() : 0;
  json["sandbox"] = store != nullptr ? sandboxes_json(*store) : nlohmann::json::array();
  const Config config = config_of(context);
  json["known"] = store != nullptr ? known_json(*store, config.known_max_age) : nlohmann::json(nullptr);
  json["storage"] = storage_json(storage_facts(context, config, store));
  json["condition"] = condition(holder.has_value(), store);
  const auto now = wall_clock();
  json["alarms"] = store != nullptr ? alarms_json(*store, now) : nlohmann::json::array();
  json["counters"] = store != nullptr ? alarm_counters_json(*store) : nlohmann::json::object();
  json["health"] =
      store != nullptr ? health_json(health_of(*store, now, config.known_max_age), now) : nlohmann::json(nullptr);
  json["events"] = nlohmann::json::array();
  for (const auto& event : store != nullptr ? store->events(kEvents) : std::vector<store::Store::EventRow>{}) {
    json["events"].push_back(
        {{"at", utc(event.at)}, {"level", event.level}, {"what", event.what}, {"text", event.text}});
  }
  print_json(context, json);
}

void print_counts(Context& context, const store::Counts& counts, const store::Counts& recent) {
  const auto line = [&](const char* label, const std::string& text) {
    context.out << fmt::format("{:<11}{}\n", label, text);
  };
  line("programs", fmt::format("{}: {} valid ({} after repair), {} invalid; {:.1f} a minute over the last ten",
                               counts.programs, counts.valid, counts.repaired, counts.invalid, rate(recent)));
  line("verdicts", fmt::format("{} consistent, {} excused, {} unstable, {} inconsistent", counts.consistent,
                               counts.excused, counts.unstable, counts.inconsistent));
  line("waiting", fmt::format("{} queued, {} for a repair, {} suspects pending, {} being confirmed", counts.queued,
                              counts.repairing, counts.pending, counts.gating - counts.pending));
  line("findings", fmt::format("{} ({} of them flaky), seen {} times; {} suspects so far", counts.findings,
                               counts.held_flaky, counts.occurrences, counts.suspects));
  line("model", fmt::format("{} replies ({} failed), {} + {} tokens, ${:.4f}", counts.replies, counts.failed_replies,
                            counts.prompt_tokens, counts.completion_tokens, dollars(counts.spent_nano_dollars)));
  if (counts.harness_failures + counts.state_dependent > 0) {
    line("apart", fmt::format("{} failures of the harness itself, {} differences only warm workers saw",
                              counts.harness_failures, counts.state_dependent));
  }
}

void status_text(Context& context, const std::optional<LockHolder>& holder, const store::Store* store) {
  const std::string state = context.state_directory.string();
  if (holder) {
    const std::string word = condition(true, store);
    context.out << coloured(word, word == "running" ? Colour::green : Colour::red, context.colour)
                << fmt::format(" as pid {} since {}, state {}\n", holder->pid, printable_line(holder->since), state);
  } else {
    context.out << coloured("not running", Colour::yellow, context.colour)
                << fmt::format(", state {}; `parityd run` starts it\n", state);
  }
  if (store == nullptr) {
    context.out << "nothing has been run here yet\n";
    return;
  }
  print_counts(context, store->counts(), store->counts_since(wall_clock() - kRateWindow));
  const Config config = config_of(context);
  context.out << fmt::format("{:<11}{}\n", "known",
                             wrapped(known_sentence(*store, wall_clock(), config.known_max_age), 11));
  const StorageFacts storage = storage_facts(context, config, store);
  context.out << fmt::format("{:<11}{}\n", "storage", wrapped(storage_sentence(storage), 11));
  if (!storage.paused.empty()) {
    context.out << coloured(fmt::format("{:<11}", "paused"), Colour::yellow, context.colour)
                << wrapped(storage.paused, 11) << "\n";
  }
  print_sandboxes(context, *store);
  print_health(context, health_of(*store, wall_clock(), config.known_max_age), wall_clock());
  print_alarms(context, *store, wall_clock());
  if (const auto waiting = store->pending_requests(); !waiting.empty()) {
    context.out << fmt::format("{:<11}{} waiting for the daemon\n", "requests", waiting.size());
  }
  Table table({"last (UTC)", "level", "what", "text"});
  for (const auto& event : store->events(kEvents)) table.add({utc(event.at), event.level, event.what, event.text});
  if (!table.empty()) context.out << "\n" << table.text(context.colour);
}

void status(Context& context, bool json) {
  const auto holder = DaemonLock::holder(context.state_directory);
  const auto store = open_for_reading(context);
  json ? status_json(context, holder, store.get()) : status_text(context, holder, store.get());
}

}  // namespace

void add_status(CLI::App& app, Context& context) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command =
      app.add_subcommand("status", "One screen: is a daemon running, what has it done, what did it cost.");
  command->add_flag("--json", *json, "One object");
  command->footer("Exit code: 0 whether or not a daemon runs, 3 the database is at fault.");
  command->callback([&context, json] { status(context, *json); });
}

}  // namespace parityd::agent
