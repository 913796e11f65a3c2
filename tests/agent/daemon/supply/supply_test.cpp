// Back-pressure by a simulated clock: workers are not left idle, and no more is asked for than they can run.
#include "agent/daemon/supply/supply.h"

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

#include "tests/catch.h"

using namespace parityd::agent;

namespace {

struct World {
  int workers = 16;
  double seconds = 2.2;  // of a worker, a program
  double latency = 8;
  double yield = 0.8;
  int capacity = 100'000;  // requests at once
  std::optional<double> ends_after = {};
};

/// A tenth of a second at a time.
class Simulation {
 public:
  explicit Simulation(const World& of) : world(of), busy_until_(static_cast<std::size_t>(of.workers), 0.0) {}

  void run(double seconds) {
    for (const double end = now_ + seconds; now_ < end; now_ += kStep) {
      arrive();
      work();
      while (supply.is_low(level()) && static_cast<int>(arrivals_.size()) < world.capacity) request();
      most_ahead = std::max(most_ahead, level().waiting + level().requested);
      passed_high = passed_high || (level().requested > before_.requested &&
                                    (level().waiting + level().requested) * supply.seconds_a_program() >
                                        supply.high_water(level()) + 1e-6);
      before_ = level();
    }
  }

  [[nodiscard]] Supply::Level level() const {
    Supply::Level level{.workers = world.workers,
                        .waiting = waiting_,
                        .requested = static_cast<int>(arrivals_.size()),
                        .seconds_left = std::nullopt};
    if (world.ends_after) level.seconds_left = *world.ends_after - now_;
    return level;
  }
  [[nodiscard]] double idle_share() const { return idle_ / (idle_ + busy_); }
  void forget() {
    idle_ = busy_ = 0;
    most_ahead = 0;
  }

  World world;
  Supply supply;
  int most_ahead = 0;
  int requests = 0;
  bool passed_high = false;

 private:
  static constexpr double kStep = 0.1;

  /// Around the mean, one in a hundred five times as much.
  double drawn(double mean) { return std::lognormal_distribution<double>(-0.245, 0.7)(random_) * mean; }

  void request() {
    const double latency = drawn(world.latency);
    arrivals_.push_back({.at = now_ + latency, .latency = latency});
    ++requests;
  }
  void arrive() {
    for (const Arrival& arrival : arrivals_) {
      if (arrival.at > now_) continue;
      const bool program = std::bernoulli_distribution(world.yield)(random_);
      supply.answered(arrival.latency);
      supply.yielded(program);
      waiting_ += program ? 1 : 0;
    }
    std::erase_if(arrivals_, [this](const Arrival& arrival) { return arrival.at <= now_; });
  }
  void work() {
    for (double& until : busy_until_) {
      if (until <= now_ && waiting_ > 0) {
        --waiting_;
        const double seconds = drawn(world.seconds);
        supply.worked(seconds);
        supply.ran_program();
        until = now_ + seconds;
      }
      (until > now_ ? busy_ : idle_) += kStep;
    }
  }

  struct Arrival {
    double at = 0, latency = 0;
  };
  std::mt19937_64 random_{7};
  std::vector<Arrival> arrivals_;
  std::vector<double> busy_until_;
  Supply::Level before_;
  int waiting_ = 0;
  double now_ = 0, idle_ = 0, busy_ = 0;
};

}  // namespace

TEST_CASE("workers do not idle, whatever programs cost and however slow models are") {
  for (const World& world : {World{}, World{.latency = 90}, World{.workers = 256, .latency = 30}, World{.seconds = 0.1},
                             World{.workers = 2, .seconds = 40}, World{.yield = 0.4}}) {
    CAPTURE(world.workers, world.seconds, world.latency, world.yield);
    Simulation simulation(world);
    simulation.run(600);
    simulation.forget();
    simulation.run(1200);
    CHECK(simulation.idle_share() < 0.02);
    CHECK_FALSE(simulation.passed_high);
    // Three times what is used up while an answer is on its way, and some programs a worker.
    const double used = world.workers / world.seconds * world.latency / world.yield;
    CHECK(simulation.most_ahead < 3 * used + 12 * world.workers * std::max(1.0, 0.5 / world.seconds));
  }
}

TEST_CASE("expensive programs are requested rarely and none is bought that would wait long") {
  Simulation simulation(World{});
  simulation.run(600);
  const int cheap = simulation.requests;
  simulation.world.seconds = 44;
  simulation.run(600);
  const int before = simulation.requests;
  simulation.run(600);
  CHECK(simulation.requests - before < cheap / 10);
  CHECK(simulation.level().waiting <= 5 * simulation.world.workers);
  simulation.world.seconds = 2.2;
  simulation.run(900);
  simulation.forget();
  simulation.run(600);
  CHECK(simulation.idle_share() < 0.02);
}

TEST_CASE("a model that allows few concurrent requests is kept fully used") {
  Simulation simulation(World{.capacity = 4});
  simulation.run(300);
  CHECK(simulation.level().requested == 4);
  CHECK(simulation.supply.is_starving(simulation.level()));
}

TEST_CASE("nothing is bought that cannot run before the end of the run") {
  Simulation endless(World{.latency = 60});
  endless.run(900);
  Simulation ending(World{.latency = 60, .ends_after = 900});
  ending.run(900);
  CHECK(ending.level().requested < endless.level().requested / 5);  // some models take long
  CHECK(ending.level().waiting < ending.world.workers);
  CHECK(endless.level().requested > 100);
  Simulation brief(World{.ends_after = 6});
  brief.run(1);
  CHECK(brief.requests > 0);
}

TEST_CASE("without history of workers or models it asks at once and keeps one worker busy") {
  Supply supply;
  CHECK(supply.is_low({.workers = 1}));
  CHECK(supply.is_starving({.workers = 1}));
  CHECK_FALSE(supply.is_low({.workers = 1, .waiting = 1000}));
  CHECK_FALSE(supply.is_low({.workers = 1, .requested = 1000}));
}

TEST_CASE("the cost of a program is that of all its runs, confirmation included") {
  Supply supply;
  for (int program = 0; program < 1000; ++program) {
    supply.worked(2);
    if (program % 10 == 0) supply.worked(50);
    supply.ran_program();
  }
  CHECK(supply.seconds_a_program() > 6);
  CHECK(supply.seconds_a_program() < 8);
}
