// What workers did and what they ran on, and verdicts that rest on their word. Times are Unix milliseconds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/base/table.h"

namespace parityd::store {

struct WorkerSecondsRow {
  std::string group;       // name of a group of workers
  std::string occupation;  // import, prime, eager, compile, compare, reset, canary, gate, screen, idle
  double seconds = 0;
};

/// What workers did: histories of suspects, and where worker time goes. One thread.
class Workers : public Table {
 public:
  using Table::Table;

  /// The programs a warm worker had run before this suspect, oldest first. Once a program; later calls replace it.
  void set_history(Id program, const std::vector<Id>& earlier);
  /// Adds to the sums of the day (UTC) `at` lies in.
  void add_seconds(const std::vector<WorkerSecondsRow>& rows, Millis at);
  /// Sums since the start of the day `since` lies in, ordered by group and occupation.
  [[nodiscard]] std::vector<WorkerSecondsRow> seconds(Millis since) const;
  /// Sums of the day (UTC) `at` lies in, in the same order.
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

  Id id_of(const EnvironmentRow& row);  // finds or inserts; text is filled in when it was empty
  [[nodiscard]] std::optional<EnvironmentRow> find(Id id) const;
  [[nodiscard]] std::optional<EnvironmentRow> seen_on(Id program) const;  // where it was screened
  /// Of each device the environment that programs ran on last; before any ran, the newest.
  [[nodiscard]] std::vector<EnvironmentRow> by_device() const;
  /// All that programs or rechecks ran on.
  [[nodiscard]] std::vector<std::string> torches() const;
};

/// Verdicts that rest on a warm worker's word until its whole state has been looked at. One thread.
class Trust : public Table {
 public:
  using Table::Table;

  /// A warm worker has judged it, and its whole state is still to be looked at.
  void note_unsettled(Id program);
  /// That has been done, and the word of one examination holds.
  void settle(Id program);
  /// None of the words on it that are open holds, and nothing rests on them any more.
  void unsettle(Id program);
  /// None of what warm workers said of it holds: how often it has now been judged again. `counts` false: the daemon
  /// ended, not a worker, which is one time however often it happens.
  int note_again(Id program, bool counts);
  [[nodiscard]] int times_judged_again(Id program) const;
  /// Programs that rest on the word of workers nobody has looked at since.
  [[nodiscard]] std::vector<Id> unsettled() const;
  /// Programs in the queue that have been there before.
  [[nodiscard]] std::vector<Id> queued_again() const;
};

}  // namespace parityd::store
