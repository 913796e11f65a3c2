// Alarms: how every part of the daemon reports errors. One thread (the loop's).
//   alarms.raise(store::EventKind::disk_full, "/var/lib/parityd/parityd.db: 0 bytes are left");
// Kinds, their texts and remedies: store/work/event_kind.h and docs/events.md.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "executor/process/interest.h"
#include "store/store.h"

namespace parityd::agent {

class Alarms {
 public:
  /// Receives a log line for the operator: "error disk_full: the text".
  using Log = std::function<void(store::Severity severity, std::string_view kind, const std::string& text)>;

  /// References outlive this object.
  Alarms(store::Store& store, Log log) : store_(store), log_(std::move(log)) {}

  /// Sets the time: monotonic, and wall clock in Unix milliseconds.
  void set_time(executor::TimePoint now, store::Millis wall);

  /// Reports that the event happened or its condition still holds. `detail`: what, where and how, inserted into the
  /// kind's sentence. `subject`: the affected instance if there can be several (a provider's or group's name), never a
  /// program, of which there are too many. Logs at once. Repeated alarms are all counted but logged ever less often, at
  /// most an hour apart; an unlogged repetition is logged later if the condition still holds. Touches no file of ours:
  /// may be called anywhere, even with a full disk.
  void raise(store::EventKind kind, const std::string& detail, const std::string& subject = {});
  /// Reports that the condition has ended. No effect if it did not hold.
  void over(store::EventKind kind, const std::string& subject = {});
  [[nodiscard]] bool holds(store::EventKind kind, const std::string& subject = {}) const;

  /// Whether an alarm is active during which no provider may be asked: programs could not be stored or run.
  [[nodiscard]] bool stop_asking() const;

  /// Writes events since the last call into `events` and `alarms`; inside the turn's transaction.
  void write();
  /// Call after the transaction is committed; otherwise the next write() writes the same rows again.
  void written() { unwritten_.clear(); }

 private:
  using Key = std::pair<store::EventKind, std::string>;
  struct Told {
    executor::TimePoint quiet_until{};
    executor::Clock::duration quiet{};
    std::int64_t untold = 0;
    bool holds = false;
    bool announced = false;  // the active condition was logged
    std::string text;        // of the last repetition that was not logged
  };
  struct Row {
    store::AlarmRow alarm;
    store::Severity severity = store::Severity::info;
    bool told = false;  // also stored as an event
  };

  [[nodiscard]] bool is_due(Told& told);
  void tell(store::Severity severity, store::EventKind kind, const std::string& text);
  void tell_what_still_holds();

  store::Store& store_;
  Log log_;
  executor::TimePoint now_{};
  store::Millis wall_ = 0;
  std::map<Key, Told> told_;
  std::vector<Row> unwritten_;
};

}  // namespace parityd::agent
