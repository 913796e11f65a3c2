#include "tests/simulation/simulation.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <ostream>
#include <stdexcept>

#include "agent/daemon/daemon.h"
#include "agent/llm/chat_provider.h"
#include "tests/simulation/invariants.h"
#include "tests/simulation/simulated_api.h"
#include "tests/simulation/simulated_disk.h"
#include "tests/simulation/simulated_syntax.h"
#include "tests/simulation/simulated_workers.h"
#include "tests/store/fixture.h"

namespace parityd::simulation {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

/// How often the daemon looks around while nothing happens: it does so twice a second for people who are not here.
constexpr auto kGlance = 5s;
constexpr milliseconds kDaemonsGlance = 500ms;
constexpr auto kRecovery = 60s;                   // a probe every 40 s sees a return
constexpr auto kPaidRecovery = 16min;             // where each try may cost, tries become as rare as one in 15 minutes
constexpr auto kPlateau = 1h;                     // after so long an outage the provider asks as seldom as it ever will
constexpr int kMostAsked = 60, kMostProbed = 95;  // of an hour then: one request a minute, a free probe every 40 s
constexpr int kMostTurns = 60'000;                // of an hour: more is a busy loop
constexpr std::size_t kMostSentences = 20;

class Killed : public std::exception {};
class Over : public std::exception {};

agent::Config config_of(const Plan& plan) {
  agent::Config config;
  config.run_providers = {{.name = "simulated"}};
  config.providers["simulated"] = SimulatedApi::config();
  config.providers["simulated"].max_in_flight = plan.in_flight;
  config.seed = plan.seed;
  config.mutant_share = 0;
  config.modes = {{"inductor", 1.0}};
  config.known_max_age = std::chrono::seconds::max();
  config.dollars_per_day = plan.dollars_per_day;
  config.dollars_per_hour = plan.dollars_per_hour;
  return config;
}

prompts::PromptSet prompts_for_simulation() {
  prompts::PromptSet prompts;
  prompts.system = "You write programs.";
  prompts.repair = "Mend this program.\n{{fence}}\n{{program}}\n{{fence}}\n{{error}}\n";
  prompts::Strategy strategy;
  strategy.name = "operators";
  strategy.title = "Operators";
  strategy.options_json = "{}";
  strategy.text = "Write one.";
  prompts.strategies = {strategy};
  return prompts;
}

/// What the clocks, the faults and the invariants know of the daemon that runs at the moment.
struct Session {
  SimulatedWorkers& workers;
  SimulatedSyntax& syntax;
  agent::ChatProvider& provider;
};

class Simulation final : public agent::LoopClock {
 public:
  explicit Simulation(const Plan& plan)
      : plan_(plan),
        config_(config_of(plan)),
        prompts_(prompts_for_simulation()),
        trace_(kBegin),
        api_(
            plan.seed, plan_.faults.api, plan.slowest_answer, [this] { return now_; }, trace_),
        invariants_(folder_.database(), plan_) {}

  Report run();

  [[nodiscard]] TimePoint now() const override { return now_; }
  [[nodiscard]] store::Millis wall() const override {
    return plan_.first_wall + std::chrono::duration_cast<milliseconds>(now_ - kBegin + wall_ahead_).count();
  }
  void wait(const std::vector<executor::Interest>& interests, milliseconds timeout) override;

 private:
  bool live(const agent::DaemonOptions& options);
  std::optional<agent::EndReason> run_daemon(const agent::DaemonOptions& options);
  void reached(agent::KillPoint point);
  [[nodiscard]] TimePoint next_event() const;
  void pass_until(TimePoint at);
  void pass_downtime(std::chrono::seconds length);
  void look_around();
  void look_hourly();
  void look_at_recovery();
  void note_broken(const std::vector<std::string>& sentences);
  void finish();

  Plan plan_;
  tests::Folder folder_;
  SimulatedDisk disk_;
  agent::Config config_;
  prompts::PromptSet prompts_;
  Trace trace_;
  SimulatedApi api_;
  Invariants invariants_;
  Report report_;
  TimePoint now_ = kBegin;
  milliseconds wall_ahead_{0};
  std::size_t next_jump_ = 0, next_kill_ = 0;
  int passages_ = 0;
  Session* session_ = nullptr;
  bool draining_ = false;
  TimePoint next_hour_ = kBegin + 1h;
  SimulatedApi::Book last_book_;
  std::int64_t turns_before_ = 0;
  TimePoint session_began_ = kBegin;
  std::optional<TimePoint> recover_by_;
};

TimePoint Simulation::next_event() const {
  TimePoint next = now_ + kGlance;
  const auto sooner = [&](std::optional<TimePoint> at) { next = at ? std::min(next, *at) : next; };
  sooner(api_.next_deadline());
  sooner(session_->workers.next_deadline());
  sooner(session_->provider.next_deadline());
  sooner(next_change(plan_.faults.disk, now_));
  sooner(next_change(plan_.faults.api, now_));
  if (!session_->syntax.idle()) {
    sooner(now_);
  }
  if (next_jump_ < plan_.faults.jumps.size()) {
    sooner(plan_.faults.jumps[next_jump_].at);
  }
  return next;
}

/// A turn takes a millisecond at least. The daemon's own deadlines are kept; where it only looks around the next event
/// is waited for.
void Simulation::wait(const std::vector<executor::Interest>&, milliseconds timeout) {
  const TimePoint asked = now_ + timeout;
  pass_until(std::max(now_ + 1ms, timeout < kDaemonsGlance ? asked : next_event()));
  ++report_.turns;
  look_around();
}

/// Jumps come when their time has come.
void Simulation::pass_until(TimePoint at) {
  now_ = at;
  const auto& jumps = plan_.faults.jumps;
  while (next_jump_ < jumps.size() && jumps[next_jump_].at <= now_) {
    const Jump& jump = jumps[next_jump_++];
    trace_.note(now_, "jump: wall {} ms, both {} ms", jump.wall.count(), jump.monotonic.count());
    wall_ahead_ += jump.wall;
    now_ += jump.monotonic;
  }
  disk_.set_full(!draining_ && spell_at(plan_.faults.disk, now_) != nullptr);
}

void Simulation::look_around() {
  if (!draining_ && now_ >= kBegin + plan_.length) {
    throw Over();
  }
  if (now_ >= next_hour_) {
    look_hourly();
  }
  look_at_recovery();
  const auto& kills = plan_.faults.kills;
  if (next_kill_ < kills.size() && now_ >= kills[next_kill_].at &&
      (!kills[next_kill_].point || now_ >= kills[next_kill_].at + 1h)) {
    ++next_kill_;
    throw Killed();
  }
}

void Simulation::reached(agent::KillPoint point) {
  if (point == agent::KillPoint::after_commit) {
    api_.committed();
  }
  const auto& kills = plan_.faults.kills;
  if (next_kill_ >= kills.size() || now_ < kills[next_kill_].at || kills[next_kill_].point != point ||
      ++passages_ < kills[next_kill_].passage) {
    return;
  }
  trace_.note(now_, "killed at {}", agent::name(point));
  passages_ = 0;
  ++next_kill_;
  throw Killed();
}

void Simulation::note_broken(const std::vector<std::string>& sentences) {
  for (const auto& sentence : sentences) {
    trace_.note(now_, "BROKEN {}", sentence);
    if (report_.broken.size() < kMostSentences) {
      report_.broken.push_back(
          fmt::format("hour {}: {}", std::chrono::duration_cast<std::chrono::hours>(now_ - kBegin).count(), sentence));
    }
  }
}

/// Between two turns; a stopped machine's hours are one.
void Simulation::look_hourly() {
  const auto hour = (now_ - kBegin) / 1h;
  const TimePoint from = next_hour_ - 1h;
  next_hour_ = kBegin + std::chrono::hours(hour + 1);
  note_broken(invariants_.hourly(api_.book(), now_));
  if (hour % 24 == 0) {
    note_broken(invariants_.daily(api_.book()));
  }
  const auto& book = api_.book();
  const Spell* const spell = spell_at(plan_.faults.api, from);
  if (spell != nullptr && spell->begin + kPlateau <= from && spell->end >= now_) {
    if (book.requests - last_book_.requests > kMostAsked || book.probes - last_book_.probes > kMostProbed) {
      note_broken(
          {fmt::format("{} requests and {} probes in an hour of an outage ({})", book.requests - last_book_.requests,
                       book.probes - last_book_.probes, name(spell->weather))});
    }
  }
  if (report_.turns - turns_before_ > kMostTurns) {
    note_broken({fmt::format("{} turns in an hour", report_.turns - turns_before_)});
  }
  trace_.note(now_, "hour {}: {} requests, {} probes, {} turns", hour, book.requests, book.probes, report_.turns);
  last_book_ = book;
  turns_before_ = report_.turns;
}

/// After an outage, and after a start, the provider is asked again soon.
void Simulation::look_at_recovery() {
  const bool fine = spell_at(plan_.faults.api, now_) == nullptr;
  if (!fine) {
    const auto& spell = *spell_at(plan_.faults.api, now_);
    const bool paid = spell.weather == Weather::silent || spell.weather == Weather::garbled;
    recover_by_ = spell.end + (paid ? milliseconds(kPaidRecovery) : milliseconds(kRecovery)) + kGlance;
  } else if (recover_by_ && (session_->provider.available() || session_->provider.stopped())) {
    recover_by_.reset();
  } else if (recover_by_ && now_ > std::max(*recover_by_, session_began_ + kRecovery)) {
    note_broken({"the API is back, and nobody asks it"});
    recover_by_.reset();
  }
}

std::optional<agent::EndReason> Simulation::run_daemon(const agent::DaemonOptions& options) {
  store::Store store(folder_.database(), store::Access::write);
  SimulatedWorkers workers(plan_.seed + static_cast<std::uint64_t>(report_.starts), plan_.faults, now_, trace_);
  SimulatedSyntax syntax;
  const auto wall_time = [this] { return std::chrono::system_clock::time_point(milliseconds(wall())); };
  agent::ChatProvider provider(config_.providers.at("simulated"), {}, api_, plan_.seed, wall_time);
  Session session{workers, syntax, provider};
  session_ = &session;
  std::ostream nowhere(nullptr);
  agent::Progress progress(nowhere, false, now_);
  agent::Service service;
  agent::Daemon daemon({.config = config_,
                        .prompts = prompts_,
                        .store = store,
                        .clock = *this,
                        .pool = workers,
                        .syntax = syntax,
                        .provider = &provider,
                        .shares = {1.0},
                        .tested = 1,
                        .torches = {"2.13.0"},
                        .scratch = folder_.path() / "scratch",
                        .draft_template = PARITYD_SOURCE_DIR "/store/draft.mustache",
                        .service = service,
                        .disk = [](const auto&) { return agent::DiskState{}; },
                        .check_beside = false,
                        .kill_hook = [this](agent::KillPoint point) { reached(point); }},
                       options, progress);
  return daemon.run();
}

/// One life of the daemon; false: the time is over.
bool Simulation::live(const agent::DaemonOptions& options) {
  ++report_.starts;
  session_began_ = now_;
  trace_.note(now_, "start {}", report_.starts);
  std::chrono::seconds down = 1min;
  bool over = false;
  try {
    const auto reason = run_daemon(options);
    trace_.note(now_, "ended by itself, {}", reason ? static_cast<int>(*reason) : -1);
    down = 30min;  // until somebody has seen to the key
    over = draining_ || reason == agent::EndReason::stopped;
    if (reason == agent::EndReason::stopped) {
      note_broken({"a signal from outside ended it: nothing is known of the rest"});
    }
  } catch (const Killed&) {
    trace_.note(now_, "killed");
    ++report_.kills;
    down = 5s;
  } catch (const Over&) {
    over = true;
  } catch (const store::StoreError& error) {
    trace_.note(now_, "the store failed");
  }
  session_ = nullptr;
  api_.lost();
  if (!over) {
    pass_downtime(down);
  }
  return !over && now_ < kBegin + plan_.length;
}

void Simulation::pass_downtime(std::chrono::seconds length) {
  pass_until(now_ + length);
  while (next_hour_ <= now_) {  // nobody was asked anything
    next_hour_ += 1h;
    last_book_ = api_.book();
    turns_before_ = report_.turns;
  }
}

/// Nothing goes wrong any more: what is left is done, and everything must be there.
void Simulation::finish() {
  draining_ = true;
  plan_.faults = {};
  next_hour_ = TimePoint::max();
  now_ = std::max(now_, kBegin + plan_.length) + 49h;  // two days' caps are as new
  live({.drain = true});
  note_broken(invariants_.final(api_.book()));
}

Report Simulation::run() {
  while (live({})) {
  }
  finish();
  SQLite::Database database(folder_.database().string(), SQLite::OPEN_READONLY);
  report_.requests = api_.book().requests;
  report_.programs = database.execAndGet("SELECT count(*) FROM programs").getInt64();
  report_.findings = database.execAndGet("SELECT count(*) FROM findings").getInt64();
  report_.trace = trace_.text();
  return std::move(report_);
}

}  // namespace

Report simulate(const Plan& plan) { return Simulation(plan).run(); }

}  // namespace parityd::simulation
