#include "agent/daemon/findings/fixer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "agent/daemon/findings/notification.h"
#include "agent/daemon/supply/booking.h"
#include "store/findings/queue.h"

namespace parityd::agent {
namespace {

using namespace std::chrono_literals;
using store::EventKind;

/// After a failure that says nothing about a change; from the third in a row on always the last.
constexpr std::array<std::chrono::seconds, 3> kFixPauses{60s, 300s, 3600s};
/// Of one finding; then others get their turn.
constexpr int kMostFailures = 3;
constexpr std::chrono::seconds kBudgetPause = 600s;  // it is looked up then
constexpr std::chrono::seconds kLater = 3600s;       // the command has to look at the program to know what it costs
/// Two answers of a slow model, and the checks of both changes on a busy machine.
constexpr std::chrono::hours kLongestFix = 3h;
constexpr const char* kOfFixes = "fix";  // subject of the budget's alarm

}  // namespace

void Fixer::reload() {
  not_before_ = {};
  failures_ = 0;
  look_ = true;
  alarms_.over(EventKind::fix_failed);
  alarms_.over(EventKind::budget_spent, kOfFixes);
}

void Fixer::advance(executor::TimePoint now, store::Millis wall, bool may_begin, const std::vector<FixPlace>& places,
                    Outbox& outbox) {
  collect_ended(now, wall);
  if (may_begin && !running_ && !stopped_ && look_ && now >= not_before_) begin(now, wall, places, outbox);
}

void Fixer::stop() {
  if (std::exchange(stopped_, true) || !running_) return;
  if (running_->process) running_->process->ask_to_end();
}

void Fixer::collect_ended(executor::TimePoint now, store::Millis wall) {
  if (!running_ || (!running_->process && running_->problem.empty())) return;
  std::string why = running_->problem;
  executor::ExitState exit{.status = 3};
  if (running_->process) {
    executor::Process& process = *running_->process;
    process.poll();
    while (process.take_line()) {
    }
    const auto ended = process.exit_state();
    if (!ended && now >= running_->deadline && !std::exchange(running_->too_long, true)) process.kill_tree();
    if (!ended) return;
    process.poll();
    exit = *ended;
    why = running_->too_long ? fmt::format("it was killed after {} hours", kLongestFix.count())
                             : notification_failure(exit, process.captured_errors());
  }
  const Running done = *std::exchange(running_, std::nullopt);
  store_.values.set(kFixing, "");
  look_ = true;
  if (!stopped_) take_end(done, exit, why, now, wall);
}

/// Exit statuses 0 and 1 are results, which the command has stored.
void Fixer::take_end(const Running& ended, executor::ExitState exit, const std::string& why, executor::TimePoint now,
                     store::Millis wall) {
  const store::Id finding = ended.finding;
  if (exit.signal == 0 && exit.status == kFixLater) return pause(finding, why, kLater, now);
  const bool judged = exit.signal == 0 && exit.status <= 1;
  if (!judged || store_.fixes.of(finding).size() == ended.tries) {
    return failed(finding, why.empty() ? "it stored no try" : why, now, wall);
  }
  failures_ = 0;
  of_finding_.erase(finding);
  unanswered_.reset();
  alarms_.over(EventKind::fix_failed);
}

void Fixer::failed(store::Id finding, const std::string& why, executor::TimePoint now, store::Millis wall) {
  pause(finding, why, kFixPauses.at(static_cast<std::size_t>(std::min(failures_, 2))), now);
  ++failures_;
  const bool again = ++of_finding_[finding] < kMostFailures;
  const auto tries = store_.fixes.of(finding);
  unanswered_.reset();
  if (again && !tries.empty() && tries.back().result == store::FixResult::no_answer) unanswered_ = finding;
  const auto row = store_.findings.find(finding);
  const auto is_here = [&](const auto& each) { return each.torch == row->torch && each.device == row->device; };
  if (!again && row && std::ranges::none_of(tries, is_here)) {  // it would be the next one forever
    store_.fixes.keep({.finding = finding,
                       .at = wall,
                       .result = store::FixResult::unknown,
                       .why = why,
                       .torch = row->torch,
                       .device = row->device});
  }
}

void Fixer::pause(store::Id finding, const std::string& why, std::chrono::seconds length, executor::TimePoint now) {
  not_before_ = now + length;
  alarms_.raise(EventKind::fix_failed,
                fmt::format("finding {}: {}; the next one begins in {} s", finding, why, length.count()));
}

std::optional<store::Id> Fixer::next(const std::vector<FixPlace>& places) const {
  if (unanswered_) {
    const auto finding = store_.findings.find(*unanswered_);
    if (finding && store::may_be_queued(*finding)) return unanswered_;
  }
  for (const auto& [torch, device] : places) {
    if (const auto finding = store_.fixes.next(torch, device)) return finding;
  }
  return std::nullopt;
}

void Fixer::begin(executor::TimePoint now, store::Millis wall, const std::vector<FixPlace>& places, Outbox& outbox) {
  look_ = false;
  if (!store_.values.find(kFixing).value_or("").empty()) store_.values.set(kFixing, "");  // of a daemon that was killed
  if (!config_.fix.automatic || !command_) return;
  const auto finding = next(places);
  if (!finding) return;
  if (const auto refused = refuse_fix(config_, store_, 1, wall)) {
    look_ = true;
    not_before_ = now + kBudgetPause;
    if (!alarms_.holds(EventKind::budget_spent, kOfFixes)) {
      alarms_.raise(EventKind::budget_spent, *refused, kOfFixes);
    }
    return;
  }
  alarms_.over(EventKind::budget_spent, kOfFixes);
  store_.values.set(kFixing, nlohmann::json{{"finding", *finding}, {"since", wall}}.dump());
  running_ = Running{.finding = *finding,
                     .tries = store_.fixes.of(*finding).size(),
                     .process = nullptr,
                     .problem = {},
                     .deadline = now + kLongestFix};
  outbox.push_back([this, options = command_(config_, *finding)] { start(options); });
}

void Fixer::start(const executor::ProcessOptions& options) {
  try {
    running_->process = std::make_unique<executor::Process>(options);
    running_->process->close_input();
  } catch (const std::system_error& error) {
    running_->problem = error.what();
  }
}

void Fixer::append_interests(std::vector<executor::Interest>& interests) const {
  if (running_ && running_->process) running_->process->append_interests(interests);
}

std::optional<executor::TimePoint> Fixer::next_deadline() const {
  if (!running_ || running_->too_long) return std::nullopt;
  return running_->problem.empty() ? running_->deadline : executor::TimePoint{};
}

}  // namespace parityd::agent
