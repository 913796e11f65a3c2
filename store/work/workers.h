// What workers did, what they ran on, and verdicts that rest on warm workers. Times are Unix milliseconds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/base/table.h"

namespace parityd::store {

struct WorkerSecondsRow {
  std::string group;       // of workers
  std::string occupation;  // import, prime, eager, compile, compare, reset, canary, confirmation, screen, idle
  double seconds = 0;
};

/// What workers did: histories of suspects, and the use of worker time. One thread.
class Workers : public Table {
 public:
  using Table::Table;

  /// The programs that a warm worker had run before this suspect, oldest first. One history per program; later calls
  /// replace it.
  void set_history(Id program, const std::vector<Id>& earlier);
  /// Adds to the sums of the day (UTC) that contains `at`.
  void add_seconds(const std::vector<WorkerSecondsRow>& rows, Millis at);
  /// Sums since the start of the day that contains `since`, ordered by group and occupation.
  [[nodiscard]] std::vector<WorkerSecondsRow> seconds(Millis since) const;
  /// Sums of the day (UTC) that contains `at`, in the same order.
  [[nodiscard]] std::vector<WorkerSecondsRow> seconds_of_day(Millis at) const;
};

struct EnvironmentRow {
  Id id = 0;
  std::string torch, python, device, device_name, sandbox, text;
};

/// What programs ran on. One thread.
class Environments : public Table {
 public:
  using Table::Table;

  Id id_of(const EnvironmentRow& row);  // finds or inserts; fills in an empty text
  [[nodiscard]] std::optional<EnvironmentRow> find(Id id) const;
  [[nodiscard]] std::optional<EnvironmentRow> seen_on(Id program) const;  // where it was screened
  /// For each device the environment that programs ran on last; if none ran, the newest.
  [[nodiscard]] std::vector<EnvironmentRow> by_device() const;
  /// All torches that programs or rechecks ran on.
  [[nodiscard]] std::vector<std::string> torches() const;
};

/// Verdicts that rest on a warm worker's result until the worker's whole state has been checked. One thread.
class Trust : public Table {
 public:
  using Table::Table;

  /// A warm worker has judged the program, and the worker's whole state is still to be checked.
  void note_unsettled(Id program);
  /// The check is done, and the result of one examination holds.
  void settle(Id program);
  /// None of the program's unchecked results holds, and nothing rests on them any more.
  void unsettle(Id program);
  /// No result of warm workers for it holds. Returns how often it has now been judged again. `counts` false: the daemon
  /// ended, not a worker; this counts once however often it happens.
  int note_again(Id program, bool counts);
  [[nodiscard]] int times_judged_again(Id program) const;
  /// Programs that rest on results of workers that have not been checked since.
  [[nodiscard]] std::vector<Id> unsettled() const;
  /// Programs in the queue that were queued before.
  [[nodiscard]] std::vector<Id> queued_again() const;
};

}  // namespace parityd::store
