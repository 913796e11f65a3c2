// parityd run: the daemon in the foreground, or in the background with --background.
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "agent/cli/commands.h"
#include "agent/cli/commands/shared_options.h"
#include "agent/cli/json.h"
#include "agent/cli/page/page.h"
#include "agent/cli/reading.h"
#include "agent/cli/reports/statistics.h"
#include "agent/cli/running/background.h"
#include "agent/cli/running/engine.h"
#include "agent/cli/running/last_worker.h"
#include "agent/cli/running/providers.h"
#include "agent/cli/running/service_start.h"
#include "agent/cli/running/storage_recovery.h"
#include "agent/daemon/daemon.h"
#include "agent/daemon/findings/known.h"
#include "agent/daemon/lock.h"
#include "agent/daemon/loop/kill_point.h"
#include "agent/daemon/loop/loop_clock.h"
#include "agent/daemon/loop/wall_clock.h"
#include "agent/duration.h"
#include "agent/web/answer_memory.h"
#include "executor/process/open_files.h"
#include "prompts/strategy.h"

namespace parityd::agent {
namespace {

constexpr std::chrono::seconds kProgress{10};
// Its status line reports it too, and a journal keeps every line.
constexpr std::chrono::seconds kProgressOfService{600};

struct RunOptions {
  std::vector<std::string> providers;
  std::string python;
  std::string device;
  int workers = 0;
  std::int64_t programs = -1;
  std::string duration;
  std::optional<std::uint64_t> seed;
  bool drain = false;
  bool background = false;
  bool behind = false;           // this is the background process
  std::int64_t block_after = 0;  // Service::block_after
  bool json = false;
};

void apply(const RunOptions& options, Config& config) {
  choose_providers(config, options.providers);
  config.python = options.python.empty() ? config.python : std::filesystem::path(options.python);
  config.device = options.device.empty() ? config.device : options.device;
  config.workers = options.workers > 0 ? options.workers : config.workers;
  config.seed = options.seed.value_or(config.seed);
}

void say_hello(Context& context, const RunOptions& options, const Config& config, const Engine& engine,
               const store::Store& store) {
  auto& out = options.json ? context.err : context.out;
  std::string names;
  bool may_cost = false;
  for (const auto& share : config.run_providers) {
    names += (names.empty() ? "" : ", ") + share.name;
    may_cost = may_cost || config.providers.at(share.name).asks_a_model();
  }
  out << fmt::format("parityd: provider {}, {}, state {}\n", names.empty() ? "none" : names, engine.description(),
                     context.state_directory.string());
  out << known_sentence(store, wall_clock(), config.known_max_age) << "\n";
  if (may_cost && !config.dollars_per_day_given) {
    out << fmt::format(
        "budget: no cap is configured, so at most ${:g} a day is spent; [budget] dollars_per_day changes that\n",
        config.dollars_per_day);
  }
  out << "Workers first import torch and fill the compiler's caches, which takes a minute or more. A suspect is run "
         "again\n"
         "in fresh processes and reduced before it becomes a finding: that takes minutes too, and longer on a busy "
         "machine.\n"
         "Ctrl-C stops once running programs are finished; everything found stays in the state folder.\n"
      << std::flush;
}

nlohmann::json summary_json(const Daemon& daemon, EndReason reason) {
  auto json = picked(
      counts_json(daemon.session()),
      {"programs", "valid", "repaired", "invalid", "suspects", "findings", "occurrences", "consistent", "excused",
       "unstable", "inconsistent", "replies", "prompt_tokens", "completion_tokens", "dollars", "harness_failures"});
  json["ended"] = reason == EndReason::done ? "done" : reason == EndReason::stopped ? "stopped" : "error";
  json["problem"] = daemon.problem();
  return json;
}

void fail(Context& context, const std::string& message) {
  context.err << "parityd run: " << message << "\n";
  context.exit_code = 3;
}

/// If the database's disk fails, counts and elapsed time are kept in `options` for the next daemon.
EndReason run_daemon(Daemon& daemon, DaemonOptions& options) {
  const auto started = executor::Clock::now();
  try {
    return daemon.run();
  } catch (const store::StoreError&) {
    options.session = daemon.session();
    if (options.duration) {
      const auto ran = std::chrono::duration_cast<std::chrono::milliseconds>(executor::Clock::now() - started);
      options.duration = std::max(*options.duration - ran, std::chrono::milliseconds(1));
    }
    throw;
  }
}

/// Whether a signal has requested a stop, so that nothing more is started.
bool stopped_early(Context& context, const Service& service) {
  if (service.signals().stops() == 0) return false;
  context.err << "parityd: stopped before anything was started" << std::endl;
  return true;
}

/// Starts the page; null if none is configured. `settings` may change later.
tl::expected<std::unique_ptr<PageServer>, std::string> serve_page(Context& context, const Config& config,
                                                                  const executor::Pool& pool,
                                                                  const std::shared_ptr<PageSettings>& settings) {
  if (config.web.host.empty()) return nullptr;
  auto token = token_of(config.web.token_env, config.web.token_file);
  if (!token) return tl::unexpected(token.error());
  PageFacts facts{
      .database = context.database(), .version = PARITYD_VERSION, .settings = settings, .started = wall_clock()};
  for (executor::GroupIndex group = 0; group < pool.groups(); ++group) facts.groups.push_back(pool.config(group).name);
  const auto memory = std::make_shared<AnswerMemory>(std::chrono::steady_clock::now);
  return PageServer::start(config.web, std::move(*token), [facts, memory](const PageRequest& request) {
    return memory->answer(request, [&] { return answer_page(facts, request, wall_clock()); });
  });
}

/// The worker of the group whose Python is not set, else of the first group.
LastWorker tested_worker(const Config& config, const Engine& engine) {
  const auto free = std::ranges::find_if(config.groups, [](const auto& group) { return group.python.empty(); });
  const auto group =
      free == config.groups.end() ? 0 : static_cast<std::size_t>(std::distance(config.groups.begin(), free));
  return {.python = engine.workers.at(group).python, .torch = engine.torches().at(group)};
}

/// Nullopt after reporting what is missing. `notes` gets notes about the engine. `config` is a copy, because a reload
/// compares with the original configuration.
std::optional<Engine> start_engine(Context& context, const RunOptions& options, Config config, store::Store& store,
                                   std::vector<StartNote>& notes) {
  const auto last = last_worker(store);
  if (last && chooses_python(config)) {
    const auto python = python_to_stay_with(*last, find_installation().worker_places());
    if (!python) {
      fail(context, python.error());
      return std::nullopt;
    }
    config.python = *python;
  }
  auto engine = make_engine(config, context.state_directory / "scratch",
                            {.records = process_records(context), .unattended = true});
  if (!engine) {
    fail(context, engine.error());
    return std::nullopt;
  }
  engine->syntax->outline("", [](const auto&) {});  // opens its files before workers and sockets use up descriptors
  const auto tested = tested_worker(config, *engine);
  const std::string asked_by = options.python.empty() ? config.file.string() : "--python";
  if (const auto change = change_of_torch(last.value_or(tested), tested, asked_by); !change.empty()) {
    notes.push_back({.name = "changed_torch", .text = change});
  }
  if (last != tested) remember_worker(store, tested);
  const auto room = make_room_for(*engine, config);
  notes.insert(notes.end(), room.begin(), room.end());
  return std::move(*engine);
}

/// `nowhere`: output of a detached daemon, whose log has everything.
Progress shown_progress(const Context& context, const RunOptions& options, bool supervised, std::ostream& nowhere) {
  std::ostream& shown = options.json ? context.err : context.out;
  return {options.behind ? nowhere : shown, context.screen.terminal && !options.json, executor::Clock::now(),
          supervised ? kProgressOfService : kProgress};
}

void tell_end(Context& context, const RunOptions& options, const Daemon& daemon, EndReason reason) {
  if (options.json) {
    context.out << summary_json(daemon, reason).dump() << std::endl;
  } else if (daemon.session().findings > 0) {
    context.out << "`parityd findings` lists them, `parityd draft ID` prints an issue draft\n";
  }
  if (reason == EndReason::workers_broken || reason == EndReason::provider_stopped) fail(context, daemon.problem());
}

/// Whether a model is used: only models read sources.
bool reads(const Config& config) {
  return std::ranges::any_of(config.run_providers,
                             [&](const auto& share) { return config.providers.at(share.name).asks_a_model(); });
}

/// The rest of `run`, once the configuration is valid and the lock is held.
void run_locked(Context& context, const RunOptions& options, Config& config, DaemonOptions& daemon_options,
                const DaemonLock& lock, Service& service, bool& begun) {
  service.log().open(log_settings(config, context, options.behind));
  service.starting("starting");
  auto notes = tidy_up(context, lock);
  executor::raise_open_files_limit();
  const Installation installation = find_installation();
  const auto prompt_set = prompts::load_prompts(installation.prompts, config.prompt_folders);
  if (!prompt_set) return fail(context, prompt_set.error());
  if (stopped_early(context, service)) return;
  service.starting("opening the database");
  store::Store store(context.state_directory / "parityd.db", store::Access::write);
  auto engine = start_engine(context, options, config, store, notes);
  if (!engine) return;
  if (const auto known = load_shipped_known(store, installation.known_issues); !known)
    return fail(context, known.error());
  const auto kill_hook = kill_hook_from_environment();
  if (!kill_hook) return fail(context, kill_hook.error());
  HttpClient http;
  EventLoop loop{&http};
  SystemLoopClock clock(loop);
  KeyRing ring;
  auto opened = open_providers(config, http, ring, installation.prompts / "corpus");
  if (!opened) return fail(context, opened.error());
  if (stopped_early(context, service)) return;
  const auto page_settings = std::make_shared<PageSettings>(config);
  const auto page = serve_page(context, config, *engine->pool, page_settings);
  if (!page) return fail(context, page.error());
  say_hello(context, options, config, *engine, store);
  if (*page) (options.json ? context.err : context.out) << "page: " << (*page)->address() << std::endl;
  const Reloadable reloadable{.context = context,
                              .config = config,
                              .override_by_options = [&options](Config& next) { apply(options, next); },
                              .ring = ring,
                              .provider = *opened,
                              .behind = options.behind};
  service.set_reload([&reloadable, &service, &page_settings] {
    auto reloaded = reload(reloadable, service);
    page_settings->set(reloadable.config);
    return reloaded;
  });
  service.block_after(options.block_after);
  std::ostream nowhere(nullptr);
  Progress progress = shown_progress(context, options, service.supervised(), nowhere);
  progress.fit_to([] { return standard_screen().columns; });
  Daemon daemon({.config = config,
                 .prompts = *prompt_set,
                 .store = store,
                 .clock = clock,
                 .pool = *engine->pool,
                 .syntax = *engine->syntax,
                 .provider = opened->provider.get(),
                 .shares = engine->shares,
                 .tested = engine->tested,
                 .torches = engine->torches(),
                 .scratch = engine->scratch->path() / "rounds",
                 .draft_template = installation.draft_template,
                 .service = service,
                 .notes = notes,
                 .sources = reads(config) ? engine->sources.get() : nullptr,
                 .previous_sources = engine->previous_sources.get(),
                 .kill_hook = *kill_hook,
                 .notify = notify_parts(context),
                 .fix = fix_command(context, ring)},
                daemon_options, progress);
  begun = true;
  const EndReason reason = run_daemon(daemon, daemon_options);
  progress.summary(daemon.session(), executor::Clock::now());
  tell_end(context, options, daemon, reason);
}

void run(Context& context, const RunOptions& options) {
  std::optional<Service> service;  // protects everything below
  if (!options.background) service.emplace(take_supervisor());
  auto config = load_context_config(context);
  if (!config) return;
  apply(options, *config);
  DaemonOptions daemon_options{.drain = options.drain};
  if (options.programs >= 0) daemon_options.programs = options.programs;
  if (!options.duration.empty()) {
    daemon_options.duration = parse_duration(options.duration);
    if (!daemon_options.duration) {
      context.err << fmt::format("parityd run: --for {}: expected a time such as 90s, 10m, 2h or 1d\n",
                                 options.duration);
      context.exit_code = 2;
      return;
    }
  }
  if (options.background) {
    context.exit_code = start_in_background(context, log_settings(*config, context, true).file);
    return;
  }
  const auto lock = DaemonLock::acquire(context.state_directory, std::chrono::seconds(2), DaemonLock::Use::daemon);
  if (!lock) return fail(context, lock.error());
  with_recovery(context, *config, service->signals(),
                [&](bool& begun) { run_locked(context, options, *config, daemon_options, *lock, *service, begun); });
}

}  // namespace

void add_run(CLI::App& app, Context& context) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand(
      "run", "Run the daemon: get programs, run them in eager mode and compiled, and store what differs.");
  command
      ->add_option("--provider", options->providers,
                   "Source of programs: builtin (no key, no network), bred (the same without the shipped corpus), a "
                   "[provider.NAME] of the configuration, several separated by commas, or none (only queued programs)")
      ->delimiter(',');
  command
      ->add_option("--programs", options->programs,
                   "Stop after this many programs (repairs not counted), once all started work is finished")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--for", options->duration, "Stop after this time: 90s, 10m, 2h, 1d")->type_name("TIME");
  command->add_flag("--drain", options->drain,
                    "Generate no new programs; exit when no program, suspect or unfinished finding is left");
  command->add_flag("--background", options->background,
                    "Run in the background and log to STATE/parityd.log or [log] file; `parityd stop` stops it");
  command->add_flag(kBehindOption, options->behind)->group("");           // internal: not shown
  command->add_option("--block-after", options->block_after)->group("");  // for tests of the watchdog
  add_python_option(*command, options->python,
                    "Python interpreter whose torch is tested (default: that of the last run, at first that of the "
                    "newest worker build)");
  add_device_option(*command, options->device);
  command
      ->add_option("--workers", options->workers,
                   "Number of warm workers (default: one per core; with a GPU, a quarter of them run CPU programs)")
      ->check(CLI::Range(1, 256));
  command->add_option("--seed", options->seed, "Seed of the programs' inputs and of the choice of strategies");
  command->add_flag("--json", options->json,
                    "Print progress to stderr, and the counts as a JSON object in the last line of stdout");
  command->footer(
      "Without options it runs until stopped. Interrupted work is resumed at the next start.\n"
      "Exit code: 0 success, 2 usage error, 3 environment or provider error.");
  command->callback([&context, options] { run(context, *options); });
}

}  // namespace parityd::agent
