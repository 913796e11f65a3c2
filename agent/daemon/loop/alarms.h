// Alarms: how anything in the daemon says that something went wrong. One thread (the loop's).
//   alarms.raise(store::EventKind::disk_full, "/var/lib/parityd/parityd.db: 0 bytes are left");
// The kinds, their sentences and what to do about them: store/work/event_kind.h and docs/troubleshooting.md.
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
  /// Takes what the operator reads in one line: "error disk_full: the text".
  using Log = std::function<void(store::Severity severity, std::string_view kind, const std::string& text)>;

  /// References outlive it.
  Alarms(store::Store& store, Log log) : store_(store), log_(std::move(log)) {}

  /// What the time is from now on: monotonic and by the wall (Unix milliseconds).
  void set_time(executor::TimePoint now, store::Millis wall);

  /// It has happened, or still holds. `detail`: what, where and how it was, for the kind's sentence. `subject`: of
  /// several that can have it the one that has, a provider's or a group's name; never a program's, of which there are
  /// too many. Writes the line of the log at once; where the same is raised again and again each time is counted and
  /// few are told, ever more seldom, an hour apart at most; what came back untold is told later if it still holds.
  /// Touches no file of ours: to be called anywhere, with a full disk too.
  void raise(store::EventKind kind, const std::string& detail, const std::string& subject = {});
  /// It holds no more. Nothing happens where it did not hold.
  void over(store::EventKind kind, const std::string& subject = {});
  [[nodiscard]] bool holds(store::EventKind kind, const std::string& subject = {}) const;

  /// One of those holds with which no provider is asked: what came of it could not be kept or run.
  [[nodiscard]] bool stop_asking() const;

  /// Puts what happened since into `events` and `alarms`; inside the turn's transaction.
  void write();
  /// The transaction is committed. Without this word the next write() puts the same rows again.
  void written() { unwritten_.clear(); }

 private:
  using Key = std::pair<store::EventKind, std::string>;
  struct Told {
    executor::TimePoint quiet_until{};
    executor::Clock::duration quiet{};
    std::int64_t untold = 0;
    bool holds = false;
    bool announced = false;  // that it holds
    std::string text;        // of the last one that nobody was told of
  };
  struct Row {
    store::AlarmRow alarm;
    store::Severity severity = store::Severity::info;
    bool told = false;  // an event, too
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
