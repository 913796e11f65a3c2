#include "agent/daemon/findings/notifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "store/findings/queue.h"

namespace parityd::agent {
namespace {

using namespace std::chrono_literals;
using store::NotificationState;

/// Pauses between tries of one finding, after which it is given up. A kill during a try counts as one, so that a
/// command that takes the daemon with it is not run forever.
constexpr std::array<std::chrono::seconds, 2> kPauses{60s, 300s};
constexpr int kTries = static_cast<int>(kPauses.size()) + 1;

}  // namespace

std::optional<std::string> Notifier::advance(executor::TimePoint now, store::Millis wall, bool may_begin,
                                             Outbox& outbox) {
  auto told = collect_ended(now);
  if (std::exchange(look_, false)) look();
  due_ = false;
  if (may_begin && !running_ && !config_.command.empty()) begin(now, wall, outbox);
  return told;
}

/// Includes rows of a daemon that was killed, even `running` ones.
void Notifier::look() {
  const bool wanted = !config_.command.empty();
  store_.notifications.add(wanted ? NotificationState::waiting : NotificationState::off);
  waiting_ = store_.notifications.open();
  std::erase_if(waiting_, [&](const auto& row) { return running_ && row.finding == running_->row.finding; });
  for (auto& row : waiting_) {
    if (wanted && row.attempts < kTries) continue;
    row.state = wanted ? NotificationState::failed : NotificationState::off;
    store_.notifications.set(row);
    if (wanted) {
      alarms_.raise(
          store::EventKind::notify_failed,
          fmt::format("finding {}: parityd was killed {} times while the command ran", row.finding, row.attempts));
    }
  }
  std::erase_if(waiting_, [](const auto& row) {
    return row.state != NotificationState::waiting && row.state != NotificationState::running;
  });
}

std::optional<std::string> Notifier::collect_ended(executor::TimePoint now) {
  const auto ended = running_ ? running_->command.ended(now) : std::nullopt;
  if (!ended) return std::nullopt;
  store::NotificationRow row = std::exchange(running_, std::nullopt)->row;
  if (!ended->why.empty()) {
    failed(std::move(row), ended->why, now);
    return std::nullopt;
  }
  row.state = NotificationState::sent;
  row.result = "exit code 0";
  store_.notifications.set(row);
  return fmt::format("finding {}", row.finding);
}

void Notifier::failed(store::NotificationRow row, const std::string& why, executor::TimePoint now) {
  const bool again = row.attempts < kTries;
  row.state = again ? NotificationState::waiting : NotificationState::failed;
  row.result = why;
  store_.notifications.set(row);
  alarms_.raise(store::EventKind::notify_failed,
                fmt::format("finding {}, try {} of {}: {}", row.finding, row.attempts, kTries, why));
  if (again) {
    not_before_[row.finding] = now + kPauses.at(static_cast<std::size_t>(row.attempts - 1));
    waiting_.push_back(std::move(row));
  }
}

/// Takes one of the waiting rows. Findings that a person or a recheck has dealt with since are dropped.
std::optional<store::NotificationRow> Notifier::next(executor::TimePoint now, store::Millis wall) {
  for (auto each = waiting_.begin(); each != waiting_.end();) {
    const auto pause = not_before_.find(each->finding);
    if (pause != not_before_.end() && now < pause->second) {
      ++each;
      continue;
    }
    const auto finding = store_.findings.find(each->finding);
    if (finding && store::may_be_queued(*finding)) {
      if (store_.notifications.begun(wall - store::kHour, wall) >= config_.per_hour) return std::nullopt;
      store::NotificationRow row = std::move(*each);
      waiting_.erase(each);
      return row;
    }
    each->state = NotificationState::dropped;
    store_.notifications.set(*each);
    each = waiting_.erase(each);
  }
  return std::nullopt;
}

void Notifier::begin(executor::TimePoint now, store::Millis wall, Outbox& outbox) {
  auto row = waiting_.empty() ? std::nullopt : next(now, wall);
  if (!row) return;
  due_ = true;
  const auto finding = store_.findings.find(row->finding).value();
  row->state = NotificationState::running;
  row->attempts += 1;
  row->begun_at = wall;
  row->result.clear();
  store_.notifications.set(*row);
  auto options = notification_process(config_, parts_, finding, row->attempts, waiting_.size());
  std::string facts = parts_.facts ? parts_.facts(store_, finding) : "";
  running_ =
      Running{.row = std::move(*row), .command = ChildCommand(now, std::chrono::seconds(config_.timeout_seconds))};
  outbox.push_back(
      [this, options = std::move(options), facts = std::move(facts)]() { running_->command.start(options, facts); });
}

void Notifier::append_interests(std::vector<executor::Interest>& interests) const {
  if (running_) running_->command.append_interests(interests);
}

std::optional<executor::TimePoint> Notifier::next_deadline() const {
  return running_ ? running_->command.next_deadline() : std::nullopt;
}

}  // namespace parityd::agent
