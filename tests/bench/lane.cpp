#include "tests/bench/lane.h"

#include <fmt/format.h>

#include <algorithm>

namespace parityd::bench {
namespace {

using executor::Clock;
using Lanes = std::vector<std::unique_ptr<Lane>>;

/// A pipe that closes tells of an end, but not that the process can be reaped.
constexpr std::chrono::milliseconds kLookAgain{5};

void turn(agent::EventLoop& waiter, const Lanes& lanes) {
  std::vector<executor::Interest> interests;
  std::optional<executor::TimePoint> next;
  for (const auto& lane : lanes) {
    lane->append_interests(interests);
    if (const auto deadline = lane->deadline()) {
      next = std::min(next.value_or(*deadline), *deadline);
    }
  }
  wait(waiter, interests, next);
  for (const auto& lane : lanes) {
    lane->poll();
  }
}

std::string broken_lane(const Lanes& lanes) {
  const auto found = std::ranges::find_if(lanes, [](const auto& lane) { return !lane->broken().empty(); });
  return found == lanes.end() ? "" : (*found)->broken();
}

}  // namespace

void Lane::start(const executor::ProcessOptions& options, std::chrono::milliseconds limit) {
  killed_ = false;
  process_.emplace(options);
  deadline_ = Clock::now() + limit;
}

void Lane::begin(const Program& program, std::chrono::milliseconds limit) {
  program_ = program;
  deadline_ = Clock::now() + limit;
}

void Lane::finish(std::string trouble, std::map<std::string, double> parts) {
  done_ = Done{.program = program_->name, .trouble = std::move(trouble), .parts = std::move(parts)};
  program_.reset();
  deadline_.reset();
}

std::string Lane::described(executor::ExitState how) const {
  if (killed_) {
    return "hung";
  }
  return how.signal != 0 ? fmt::format("died by signal {}", how.signal) : fmt::format("ended with {}", how.status);
}

void Lane::poll() {
  if (!process_) {
    return;
  }
  process_->poll();
  while (const auto line = process_->take_line()) {
    hear(*line);
  }
  const bool late = deadline_ && Clock::now() >= *deadline_ && !process_->output_closed();
  if (!killed_ && (late || process_->overflowed())) {
    killed_ = true;
    process_->kill_tree();
  }
  if (!process_->output_closed() && !killed_) {
    return;
  }
  if (const auto how = process_->exit_state()) {
    process_->poll();
    const std::string words = process_->captured_errors();
    process_.reset();
    ended(*how, words);
  }
}

void Lane::append_interests(std::vector<executor::Interest>& interests) const {
  if (process_) {
    process_->append_interests(interests);
  }
}

std::optional<executor::TimePoint> Lane::deadline() const {
  if (process_ && (killed_ || process_->output_closed())) {
    return Clock::now() + kLookAgain;
  }
  return deadline_;
}

std::optional<Lane::Done> Lane::take_done() { return std::exchange(done_, std::nullopt); }

tl::expected<Round, std::string> lane_round(const Lanes& lanes, const std::vector<Program>& programs) {
  agent::EventLoop waiter;
  const auto all_free = [&] { return std::ranges::all_of(lanes, [](const auto& lane) { return lane->free(); }); };
  while (!all_free() && broken_lane(lanes).empty()) {
    turn(waiter, lanes);
  }
  Round round;
  std::size_t given = 0, done = 0;
  const auto began = Clock::now();
  while (done < programs.size()) {
    if (const std::string why = broken_lane(lanes); !why.empty()) {
      return tl::unexpected(why);
    }
    for (const auto& lane : lanes) {
      if (given < programs.size() && lane->free()) {
        lane->give(programs[given++]);
      }
    }
    turn(waiter, lanes);
    for (const auto& lane : lanes) {
      if (const auto ended = lane->take_done()) {
        ++done;
        if (!ended->trouble.empty()) {
          round.troubles[ended->program] = ended->trouble;
        }
        for (const auto& [part, seconds] : ended->parts) {
          round.parts[part] += seconds;
        }
      }
    }
  }
  round.seconds = std::chrono::duration<double>(Clock::now() - began).count();
  return round;
}

}  // namespace parityd::bench
