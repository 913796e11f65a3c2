// parityd doctor: checks what is present, what is missing, and how to fix it.
#include <array>

#include "agent/cli/commands.h"
#include "agent/cli/commands/shared_options.h"
#include "agent/cli/reports/storage_facts.h"
#include "agent/cli/running/engine.h"
#include "agent/cli/running/sandbox_probe.h"
#include "agent/cli/running/self_test.h"
#include "agent/daemon/lock.h"
#include "agent/daemon/loop/wall_clock.h"
#include "agent/daemon/upkeep/health.h"
#include "executor/pool/devices.h"
#include "store/store.h"
#include "store/upkeep/check.h"

namespace parityd::agent {
namespace {

/// Prints the result of each check: "ok", "FAIL", or a neutral word.
class HealthReport {
 public:
  explicit HealthReport(std::ostream& out) : out_(out) {}
  void good(const std::string& what, const std::string& text) { line("ok", what, text); }
  void bad(const std::string& what, const std::string& text) { line("FAIL", what, text); }
  void line(std::string_view state, const std::string& what, const std::string& text) {
    const std::string words = printable_line(text);
    out_ << fmt::format("{:<4}  {:<13}{}{}\n", state, what, words.empty() ? "" : " ", words);
    healthy_ = healthy_ && state != "FAIL";
  }
  [[nodiscard]] bool healthy() const { return healthy_; }

 private:
  std::ostream& out_;
  bool healthy_ = true;
};

void examine_installation(HealthReport& report, const Installation& installation) {
  for (const auto& [what, file] :
       {std::pair{"launcher", installation.launcher}, std::pair{"syntax", installation.syntax_script},
        std::pair{"prompts", installation.prompts}, std::pair{"draft", installation.draft_template},
        std::pair{"known issues", installation.known_issues}}) {
    const bool there = std::filesystem::exists(file);
    report.line(there ? "ok" : "FAIL", what,
                file.string() + (there ? "" : " is missing; run ./bootstrap or reinstall"));
  }
}

void examine_worker(HealthReport& report, const Installation& installation, const Config& config) {
  const auto worker = executor::find_worker(installation.worker_places(), config.python);
  if (!worker) {
    report.bad("worker", fmt::format("no worker is built for {}; run: parityd worker build --python PATH",
                                     config.python.empty() ? "any Python" : config.python.string()));
    return;
  }
  report.good("worker", fmt::format("torch {} ({}), Python {}", worker->torch, worker->cuda ? "CUDA" : "CPU",
                                    worker->python.string()));
  const auto gpus = executor::visible_gpus();
  report.good("device", gpus.empty()       ? "cpu (no NVIDIA device found)"
                        : !worker->cuda    ? "cpu (this torch was built without CUDA)"
                        : gpus.size() == 1 ? "cuda"
                                           : fmt::format("cuda, {} GPUs", gpus.size()));
}

constexpr std::array<std::string_view, 4> kSandboxWords{"ok", "FAIL", " on", "off"};  // of SandboxLine::State

void examine_sandbox(HealthReport& report, const Installation& installation, const Config& config) {
  if (!std::filesystem::exists(installation.launcher)) {
    return;  // reported already
  }
  for (const auto& line : sandbox_lines(probe_sandbox(installation.launcher, config.sandbox), config.sandbox)) {
    report.line(kSandboxWords.at(static_cast<std::size_t>(line.state)), line.what, line.text);
  }
  for (const auto& group : config.groups) {
    if (!group.launch.empty()) {
      report.line("?", "sandbox",
                  fmt::format("group {} runs on another machine; `parityd status` shows its level once it has run",
                              group.name));
    }
  }
}

void examine_storage(HealthReport& report, const Context& context, const Config& config, const store::Store* store) {
  const StorageFacts facts = storage_facts(context, config, store);
  if (facts.paused.empty()) {
    report.good("storage", storage_sentence(facts));
  } else {
    report.bad("storage", facts.paused + "; a daemon would be paused here");
  }
  for (const auto& folder : facts.set_aside) {
    report.line("!", "set aside", folder.string() + ": a replaced database; see docs/storage.md");
  }
}

/// Reads the whole database: a minute if there are millions of rows.
std::string damage_in(const std::filesystem::path& database) {
  const std::atomic<bool> never = false;
  return store::what_is_damaged(database, store::CheckDepth::quick, never).value_or("");
}

/// Anything that a running daemon reports it cannot do is a failure; the rest is information.
void examine_health(HealthReport& report, const store::Store& store, const Config& config, bool running) {
  const store::Millis now = wall_clock();
  const Health health = health_of(store, now, config.known_max_age);
  for (const auto& rate : health.rates) report.line(rate.is_alarming() ? "warn" : "ok", rate.name, in_words(rate));
  for (const auto& path : health.paths) report.line(path.stale ? "warn" : "ok", path.last.path, in_words(path, now));
  for (const auto& row : store.alarms.all()) {
    const auto& kind = description(row.kind);
    const std::string text = fmt::format("{}: {}", kind.name, row.text);
    if (running && kind.severity == store::Severity::error && kind.lasts && is_current(row, now)) {
      report.bad("alarm", text);
    } else if (is_current(row, now)) {
      report.line("warn", "alarm", text);
    }
  }
}

void examine_state(HealthReport& report, const Context& context, const Config& config) {
  if (const auto holder = DaemonLock::holder(context.state_directory)) {
    report.good("daemon", fmt::format("pid {} since {}", holder->pid, holder->since));
  } else {
    report.good("daemon", "not running");
  }
  const auto database = context.state_directory / "parityd.db";
  if (!std::filesystem::exists(database)) {
    report.good("database", database.string() + " does not exist yet");
    return;
  }
  try {
    const store::Store store(database, store::Access::read);
    if (const auto damage = damage_in(database); !damage.empty()) {
      report.bad("database", fmt::format("{} is damaged: {}; `parityd run` sets it aside and saves what is readable",
                                         database.string(), damage));
    } else {
      report.good("database",
                  fmt::format("{}: {} findings, no damage found", database.string(), store.tally.all().findings));
    }
    examine_storage(report, context, config, &store);
    examine_health(report, store, config, DaemonLock::holder(context.state_directory).has_value());
  } catch (const store::StoreError& error) {
    report.bad("database", error.what());
  }
}

void doctor(Context& context, bool with_self_test, const std::string& python, const std::string& device) {
  auto config = load_context_config(context);
  if (!config) return;
  config->python = python.empty() ? config->python : std::filesystem::path(python);
  config->device = device.empty() ? config->device : device;
  HealthReport report(context.out);
  const Installation installation = find_installation();
  report.good("config", config->file.empty()
                            ? fmt::format("defaults ({} does not exist)", default_config_file().string())
                            : config->file.string());
  examine_installation(report, installation);
  examine_worker(report, installation, *config);
  examine_sandbox(report, installation, *config);
  examine_state(report, context, *config);
  bool healthy = report.healthy();
  if (healthy && with_self_test) healthy = self_test(context, *config);
  context.exit_code = healthy ? 0 : 3;
}

}  // namespace

void add_doctor(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("doctor", "Check the installation; --self-test also checks that known faults are found.");
  auto with_self_test = std::make_shared<bool>(false);
  auto python = std::make_shared<std::string>();
  auto device = std::make_shared<std::string>();
  command->add_flag("--self-test", *with_self_test,
                    "Check that faults injected into Inductor become findings and a clean control does not");
  add_python_option(*command, *python,
                    "Python interpreter whose torch is tested (default: that of the newest worker build)");
  add_device_option(*command, *device);
  command->callback([&context, with_self_test, python, device] { doctor(context, *with_self_test, *python, *device); });
}

}  // namespace parityd::agent
