// Notifier: runs the operator's command ([notify]) for each finding that becomes ready, one at a time, so many an hour,
// and never waits for it. What was queued is a row of the turn that made the finding ready, so that no kill loses it;
// what has ended well is not run again. One thread (the loop's).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/config.h"
#include "agent/daemon/findings/notification.h"
#include "agent/daemon/loop/turn.h"
#include "executor/process/process.h"
#include "store/store.h"

namespace parityd::agent {

class Notifier {
 public:
  /// References outlive it; `config` may change between calls.
  Notifier(const NotifyConfig& config, NotifyParts parts, store::Store& store, Alarms& alarms)
      : config_(config), parts_(std::move(parts)), store_(store), alarms_(alarms) {}

  /// Findings may have become ready. True at the start.
  void look_again() { look_ = true; }

  /// Takes what ended, queues what is ready, writes ahead which command is next; it is started by `outbox`. Inside the
  /// turn's transaction. Returns what has been told, for the log: "finding 7".
  std::optional<std::string> service(executor::TimePoint now, store::Millis wall, bool may_begin, Outbox& outbox);

  void append_interests(std::vector<executor::Interest>& interests) const;
  /// When service() is due at the latest.
  [[nodiscard]] std::optional<executor::TimePoint> next_deadline() const;

  /// A command was begun and has not ended; it ends in time.
  [[nodiscard]] bool running() const { return running_.has_value(); }
  /// One is running, or would be begun now.
  [[nodiscard]] bool busy() const { return running() || due_; }

 private:
  struct Running {
    store::NotificationRow row;
    std::unique_ptr<executor::Process> process;  // null: it was not started yet, or could not be
    std::string problem;                         // why it could not
    executor::TimePoint deadline;
    bool too_long = false;  // killed, and perhaps not gone yet: that may take a while, and nobody waits
  };

  void look();
  std::optional<std::string> take(executor::TimePoint now);
  void failed(store::NotificationRow row, const std::string& why, executor::TimePoint now);
  void begin(executor::TimePoint now, store::Millis wall, Outbox& outbox);
  [[nodiscard]] std::optional<store::NotificationRow> next(executor::TimePoint now, store::Millis wall);
  void start(const executor::ProcessOptions& options, const std::string& facts);

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
