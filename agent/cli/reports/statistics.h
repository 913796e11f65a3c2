// What `parityd stats` shows, computed from the database. Any thread.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "store/store.h"

namespace parityd::agent {

/// One thing workers do (executor/pool/worker_seconds.h).
struct OccupationTime {
  std::string name;
  double seconds = 0;
};

/// Where the time of one group of workers went.
struct GroupTime {
  std::string name;
  double seconds = 0;
  std::vector<OccupationTime> occupations;  // longest first

  /// Of the group's time; 0 when it has none.
  [[nodiscard]] double share(double part) const { return seconds > 0 ? part / seconds : 0; }
  /// The share that is not idle.
  [[nodiscard]] double busy() const;
};

struct Statistics {
  store::Millis since = 0, until = 0;
  std::vector<GroupTime> groups;
  store::Counts counts;
  store::Millis active = 0;  // how long new programs came in
  std::vector<store::ModeCount> modes;
  std::vector<store::GraphCount> graphs;
  std::vector<store::SpendingRow> spending;
  std::vector<store::RepairYield> repairs;
  std::vector<store::ReplyClassCount> reply_classes;

  [[nodiscard]] double programs_per_minute() const;         // while new ones came in; 0: for less than ten seconds
  [[nodiscard]] double programs_per_worker_minute() const;  // of all groups' time, idle time included
};

/// The start of the day (UTC) `at` lies in: worker time is summed by day, so everything else has to be as well.
[[nodiscard]] store::Millis start_of_day(store::Millis at);

/// Where each group's time went since the start of the day `since` lies in.
[[nodiscard]] std::vector<GroupTime> gather_groups(const store::Store& store, store::Millis since);

/// `since`: the start of a day.
[[nodiscard]] Statistics gather_statistics(const store::Store& store, store::Millis since, store::Millis now);

/// As `status --json` has them.
[[nodiscard]] nlohmann::json counts_json(const store::Counts& counts);

// parts of statistics_json()
[[nodiscard]] nlohmann::json groups_json(const std::vector<GroupTime>& groups);
/// What was paid and what came of it; what there is nothing to divide by is null.
[[nodiscard]] nlohmann::json yield_json(const store::Yield& yield);
[[nodiscard]] nlohmann::json costs_json(const std::vector<store::SpendingRow>& rows);
[[nodiscard]] nlohmann::json modes_json(const std::vector<store::ModeCount>& rows);
[[nodiscard]] nlohmann::json graphs_json(const std::vector<store::GraphCount>& rows);
[[nodiscard]] nlohmann::json repairs_json(const std::vector<store::RepairYield>& rows);
[[nodiscard]] nlohmann::json reply_classes_json(const std::vector<store::ReplyClassCount>& rows);

/// As `stats --json` has them.
[[nodiscard]] nlohmann::json statistics_json(const Statistics& statistics);

}  // namespace parityd::agent
