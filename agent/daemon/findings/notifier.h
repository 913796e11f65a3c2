// The notifier: runs the operator's command ([notify]) for each finding that becomes ready, one at a time, limited per
// hour, without waiting for it. Each queued command is a row stored in the turn that made the finding ready, so a kill
// loses none; a command that succeeded is not run again. One thread (the loop's).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/config.h"
#include "agent/daemon/findings/child_command.h"
#include "agent/daemon/findings/notification.h"
#include "agent/daemon/loop/turn.h"
#include "store/store.h"

namespace parityd::agent {

class Notifier {
 public:
  /// References outlive this object; `config` may change between calls.
  Notifier(const NotifyConfig& config, NotifyParts parts, store::Store& store, Alarms& alarms)
      : config_(config), parts_(std::move(parts)), store_(store), alarms_(alarms) {}

  /// Findings may have become ready. Initially assumed.
  void look_again() { look_ = true; }

  /// Takes a command that ended, queues ready findings, and records which command is next before `outbox` starts it.
  /// Inside the turn's transaction. Returns what was notified, for the log: "finding 7".
  std::optional<std::string> advance(executor::TimePoint now, store::Millis wall, bool may_begin, Outbox& outbox);

  void append_interests(std::vector<executor::Interest>& interests) const;
  /// When advance() must be called at the latest.
  [[nodiscard]] std::optional<executor::TimePoint> next_deadline() const;

  /// A command is running; it ends within its timeout.
  [[nodiscard]] bool running() const { return running_.has_value(); }
  /// A command is running or could start now.
  [[nodiscard]] bool busy() const { return running() || due_; }

 private:
  struct Running {
    store::NotificationRow row;
    ChildCommand command;
  };

  void look();
  std::optional<std::string> collect_ended(executor::TimePoint now);
  void failed(store::NotificationRow row, const std::string& why, executor::TimePoint now);
  void begin(executor::TimePoint now, store::Millis wall, Outbox& outbox);
  [[nodiscard]] std::optional<store::NotificationRow> next(executor::TimePoint now, store::Millis wall);

  const NotifyConfig& config_;
  NotifyParts parts_;
  store::Store& store_;
  Alarms& alarms_;
  bool look_ = true;
  bool due_ = false;
  std::vector<store::NotificationRow> waiting_;
  std::map<store::Id, executor::TimePoint> not_before_;
  std::optional<Running> running_;
};

}  // namespace parityd::agent
