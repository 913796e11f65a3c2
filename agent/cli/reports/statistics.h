// Output of `parityd stats`, computed from the database. Any thread.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "store/store.h"

namespace parityd::agent {

/// Time of one occupation of workers (executor/pool/worker_seconds.h).
struct OccupationTime {
  std::string name;
  double seconds = 0;
};

/// How one group of workers used its time.
struct GroupTime {
  std::string name;
  double seconds = 0;
  std::vector<OccupationTime> occupations;  // longest first

  /// `part` as a share of the group's time; 0 if it has none.
  [[nodiscard]] double share(double part) const { return seconds > 0 ? part / seconds : 0; }
  /// The share that is not idle.
  [[nodiscard]] double busy() const;
};

struct Statistics {
  store::Millis since = 0, until = 0;
  std::vector<GroupTime> groups;
  store::Counts counts;
  store::Millis active = 0;  // time during which new programs came in
  std::vector<store::ModeCount> modes;
  std::vector<store::GraphCount> graphs;
  std::vector<store::SpendingRow> spending;
  std::vector<store::RepairYield> repairs;
  std::vector<store::ReplyClassCount> reply_classes;

  [[nodiscard]] double programs_per_minute() const;  // while new ones came in; 0 if that was less than ten seconds
  [[nodiscard]] double programs_per_worker_minute() const;  // over all groups' time, idle time included
};

/// The start of the day (UTC) that contains `at`: worker time is summed by day, so everything else must be too.
[[nodiscard]] store::Millis start_of_day(store::Millis at);

/// How each group used its time since the start of the day that contains `since`.
[[nodiscard]] std::vector<GroupTime> gather_groups(const store::Store& store, store::Millis since);

/// `since`: the start of a day.
[[nodiscard]] Statistics gather_statistics(const store::Store& store, store::Millis since, store::Millis now);

/// As in `status --json`.
[[nodiscard]] nlohmann::json counts_json(const store::Counts& counts);

// parts of statistics_json()
[[nodiscard]] nlohmann::json groups_json(const std::vector<GroupTime>& groups);
/// Costs and results; a rate with a zero divisor is null.
[[nodiscard]] nlohmann::json yield_json(const store::Yield& yield);
[[nodiscard]] nlohmann::json costs_json(const std::vector<store::SpendingRow>& rows);
[[nodiscard]] nlohmann::json modes_json(const std::vector<store::ModeCount>& rows);
[[nodiscard]] nlohmann::json graphs_json(const std::vector<store::GraphCount>& rows);
[[nodiscard]] nlohmann::json repairs_json(const std::vector<store::RepairYield>& rows);
[[nodiscard]] nlohmann::json reply_classes_json(const std::vector<store::ReplyClassCount>& rows);

/// As in `stats --json`.
[[nodiscard]] nlohmann::json statistics_json(const Statistics& statistics);

}  // namespace parityd::agent
