// What workers did and had done: histories of suspects, where worker time goes, what programs ran on.
#include <nlohmann/json.hpp>

#include "store/base/connection.h"
#include "store/base/rows.h"
#include "store/work/workers.h"

namespace parityd::store {
namespace {

std::vector<WorkerSecondsRow> seconds_from(Rows rows) {
  std::vector<WorkerSecondsRow> all;
  while (rows.next()) {
    WorkerSecondsRow& row = all.emplace_back();
    rows.read(row.group, row.occupation, row.seconds);
  }
  return all;
}

}  // namespace

void Workers::set_history(Id program, const std::vector<Id>& earlier) {
  connection_.run("save a worker's history",
                  "INSERT INTO worker_histories (program, earlier) VALUES (?, ?) "
                  "ON CONFLICT DO UPDATE SET earlier = excluded.earlier",
                  program, nlohmann::json(earlier).dump());
}

void Workers::add_seconds(const std::vector<WorkerSecondsRow>& rows, Millis at) {
  connection_.transaction([&] {
    for (const auto& row : rows) {
      connection_.run("save worker time",
                      "INSERT INTO worker_seconds (day, worker_group, occupation, seconds) VALUES (?, ?, ?, ?) "
                      "ON CONFLICT DO UPDATE SET seconds = seconds + excluded.seconds",
                      at / kDay, row.group, row.occupation, row.seconds);
    }
  });
}

std::vector<WorkerSecondsRow> Workers::seconds(Millis since) const {
  return seconds_from(
      connection_.query("read worker time",
                        "SELECT worker_group, occupation, sum(seconds) FROM worker_seconds WHERE day >= ? "
                        "GROUP BY worker_group, occupation ORDER BY worker_group, occupation",
                        since / kDay));
}

std::vector<WorkerSecondsRow> Workers::seconds_of_day(Millis at) const {
  return seconds_from(connection_.query("read a day's worker time",
                                        "SELECT worker_group, occupation, seconds FROM worker_seconds WHERE day = ? "
                                        "ORDER BY worker_group, occupation",
                                        at / kDay));
}

}  // namespace parityd::store
