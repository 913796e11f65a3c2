#include "tests/bench/benchmarks.h"

#include <fmt/format.h>
#include <unistd.h>

#include <functional>
#include <iostream>

#include "tests/bench/bare_lane.h"
#include "tests/bench/fresh_lane.h"
#include "tests/bench/warm_round.h"

namespace parityd::bench {
namespace {

/// What the first engine told: the same for all rounds.
struct Setting {
  Programs programs;
  executor::GroupConfig config;
  std::string machine;
};

void say(const std::string& line) { std::cerr << line << std::endl; }

std::string machine_of(const agent::Engine& engine) {
  const auto hello = engine.pool->hello();
  const auto device = engine.pool->config(0).device;
  return fmt::format("{} ({}), torch {}, sandbox {}", executor::name(device), hello ? hello->device_name(device) : "?",
                     engine.workers.front().torch, hello ? hello->sandbox.level : "?");
}

/// Fills `setting` by the way, the first time.
tl::expected<Round, std::string> warm(const Options& options, int workers, std::optional<Setting>& setting) {
  auto engine = make_engine(options, workers);
  if (!engine) {
    return tl::unexpected(engine.error());
  }
  if (const auto primed = wait_until_primed(*engine); !primed) {
    return tl::unexpected(primed.error());
  }
  if (!setting) {
    setting = Setting{.programs = load_programs(options, *engine->syntax),
                      .config = engine->pool->config(0),
                      .machine = machine_of(*engine)};
  }
  if (setting->programs.all.empty()) {
    return tl::unexpected(options.programs.string() + " holds no program (.py, or replies in .md)");
  }
  return warm_round(*engine, setting->programs.all);
}

template <class Kind>
tl::expected<Round, std::string> beside(const Setting& setting) {
  const agent::ScratchFolder scratch(agent::find_installation().cache / "scratch" /
                                     fmt::format("bench-lanes-{}", getpid()));
  std::vector<std::unique_ptr<Lane>> lanes;
  lanes.reserve(static_cast<std::size_t>(setting.config.warm_workers));
  for (int number = 0; number < setting.config.warm_workers; ++number) {
    lanes.push_back(std::make_unique<Kind>(setting.config, scratch.path() / fmt::format("{}", number)));
  }
  return lane_round(lanes, setting.programs.all);
}

using Run = std::function<tl::expected<Round, std::string>(std::optional<Setting>&)>;

/// Both sides in turn, as often as asked; the first fills the setting.
tl::expected<Report, std::string> in_turn(const Options& options, std::string name, std::pair<Side, Run> first,
                                          std::pair<Side, Run> second) {
  std::optional<Setting> setting;
  for (int repeat = 1; repeat <= options.repeats; ++repeat) {
    for (auto* entry : {&first, &second}) {
      auto& [side, run] = *entry;
      auto round = run(setting);
      if (!round) {
        return tl::unexpected(round.error());
      }
      say(fmt::format("{}: repeat {} of {}: {}: {} programs in {:.1f} s, {} did not run to their end", name, repeat,
                      options.repeats, side.name, setting->programs.all.size(), round->seconds,
                      round->troubles.size()));
      side.rounds.push_back(std::move(*round));
    }
  }
  for (Side* side : {&first.first, &second.first}) {
    side->workers = side->workers > 0 ? side->workers : setting->config.warm_workers;
  }
  return Report{.benchmark = std::move(name),
                .machine = setting->machine,
                .programs = setting->programs.all.size(),
                .skipped = setting->programs.skipped,
                .sides = {std::move(first.first), std::move(second.first)}};
}

Run warm_run(const Options& options, int workers) {
  return [options, workers](std::optional<Setting>& setting) { return warm(options, workers, setting); };
}

}  // namespace

tl::expected<Report, std::string> pool_benchmark(const Options& options) {
  return in_turn(options, "pool", {{.name = "warm"}, warm_run(options, options.workers)},
                 {{.name = "fresh"}, [](const auto& setting) { return beside<FreshLane>(*setting); }})
      .map([](Report report) {
        report.meaning = "fresh time ÷ warm time";
        report.ratio = report.sides[1].seconds() / report.sides[0].seconds();
        return report;
      });
}

tl::expected<Report, std::string> overhead_benchmark(const Options& options) {
  return in_turn(options, "overhead", {{.name = "pool"}, warm_run(options, options.workers)},
                 {{.name = "bare"}, [](const auto& setting) { return beside<BareLane>(*setting); }})
      .map([](Report report) {
        report.meaning = "pool time ÷ bare loop time";
        report.ratio = report.sides[0].seconds() / report.sides[1].seconds();
        return report;
      });
}

tl::expected<Report, std::string> scale_benchmark(const Options& options) {
  return in_turn(options, "scale", {{.name = "many"}, warm_run(options, options.workers)},
                 {{.name = "one", .workers = 1}, warm_run(options, 1)})
      .map([](Report report) {
        report.meaning = "speed-up over one worker ÷ workers";
        report.ratio = report.sides[1].seconds() / report.sides[0].seconds() / report.sides[0].workers;
        return report;
      });
}

}  // namespace parityd::bench
