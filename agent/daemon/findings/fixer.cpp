#include "agent/daemon/findings/fixer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

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
  running_->command.ask_to_end();
}

void Fixer::collect_ended(executor::TimePoint now, store::Millis wall) {
  const auto end = running_ ? running_->command.ended(now) : std::nullopt;
  if (!end) return;
  const Running done = *std::exchange(running_, std::nullopt);
  store_.values.set(kFixing, "");
  look_ = true;
  if (!stopped_) take_end(done, *end, now, wall);
}

/// Exit statuses 0 and 1 are results, which the command has stored.
void Fixer::take_end(const Running& running, const CommandEnd& end, executor::TimePoint now, store::Millis wall) {
  const store::Id finding = running.finding;
  if (end.exit.signal == 0 && end.exit.status == kFixLater) return pause(finding, end.why, kLater, now);
  const bool judged = end.exit.signal == 0 && end.exit.status <= 1;
  if (!judged || store_.fixes.of(finding).size() == running.tries) {
    return failed(finding, end.why.empty() ? "it stored no try" : end.why, now, wall);
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
  running_ = Running{
      .finding = *finding, .tries = store_.fixes.of(*finding).size(), .command = ChildCommand(now, kLongestFix)};
  outbox.push_back([this, options = command_(config_, *finding)] { running_->command.start(options, ""); });
}

void Fixer::append_interests(std::vector<executor::Interest>& interests) const {
  if (running_) running_->command.append_interests(interests);
}

std::optional<executor::TimePoint> Fixer::next_deadline() const {
  return running_ ? running_->command.next_deadline() : std::nullopt;
}

}  // namespace parityd::agent
