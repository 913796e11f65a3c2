// The store: everything parityd knows, in one SQLite file (WAL, synchronous FULL, STRICT tables). All SQL is in store/.
// One writer (the daemon's loop) writes every table except `requests`; CLI processes open the file read-only or insert
// requests. Times are Unix milliseconds and passed in. Errors: StoreError names file, operation and remedy. One thread
// per Store.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>

#include "store/base/error.h"
#include "store/base/ids.h"
#include "store/findings/drafts.h"
#include "store/findings/findings.h"
#include "store/findings/fixes.h"
#include "store/findings/groups.h"
#include "store/findings/inspections.h"
#include "store/findings/known_table.h"
#include "store/findings/notifications.h"
#include "store/findings/rechecks.h"
#include "store/findings/tally.h"
#include "store/findings/triage.h"
#include "store/reading/readings.h"
#include "store/reading/sources.h"
#include "store/upkeep/retention.h"
#include "store/work/alarms.h"
#include "store/work/coverage.h"
#include "store/work/daemon_state.h"
#include "store/work/examinations.h"
#include "store/work/programs.h"
#include "store/work/reductions.h"
#include "store/work/replies.h"
#include "store/work/spending.h"
#include "store/work/workers.h"

namespace parityd::store {

/// The database file with its transactions, and each group of tables as a member.
class Store {
  std::unique_ptr<Connection> connection_;  // before the tables, which refer to it

 public:
  /// A writer creates the file, or migrates it in one transaction after a copy beside it; a newer schema is refused.
  /// `read_limit`: the longest time for one statement of a reader; beyond it StoreFault::slow is thrown.
  Store(const std::filesystem::path& file, Access access, std::chrono::milliseconds read_limit = kReadLimit);
  /// A writer leaves the mark of a clean stop (store/base/durable.h), unless its connection is no longer trusted or the
  /// database is not known to be sound.
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// Runs `work` in one transaction; rolls back if it throws. Nested calls join the outer one.
  void transaction(const std::function<void()>& work);

  // the file itself (docs/storage.md); writers only, outside of transactions
  /// Whether the last writer did not close it cleanly and the file was not checked since (store/upkeep/check.h).
  [[nodiscard]] bool unchecked() const;
  /// The caller has checked the file, and it is sound.
  void note_checked();
  [[nodiscard]] const std::filesystem::path& file() const;
  struct Size {
    std::int64_t bytes = 0;      // of pages in use
    std::int64_t wal_bytes = 0;  // of the write-ahead log
  };
  [[nodiscard]] Size size() const;
  /// Moves the write-ahead log into the file and empties it; false if a reader's snapshot prevents it.
  bool checkpoint();

  Values values;
  Programs programs;
  Environments environments;
  Examinations examinations;
  Trust trust;
  Workers workers;
  Reductions reductions;
  Replies replies;
  Repairs repairs;
  Spending spending;
  Arms arms;
  Coverage coverage;
  Requests requests;
  Events events;
  Alarms alarms;
  Tally tally;
  Findings findings;
  Groups groups;
  Triage triage;
  Rechecks rechecks;
  Known known;
  Inspections inspections;
  Scripts scripts;
  Fixes fixes;
  Drafts drafts;
  Notifications notifications;
  Sources sources;
  Readings readings;
  Hypotheses hypotheses;
  Retention retention;
};

}  // namespace parityd::store
