// What workers did and had done: histories of suspects, where worker time goes, what programs ran on.
#include <nlohmann/json.hpp>

#include "store/base/connection.h"
#include "store/base/rows.h"

namespace parityd::store {
namespace {

std::vector<Store::WorkerSecondsRow> seconds_from(Rows rows) {
  std::vector<Store::WorkerSecondsRow> all;
  while (rows.next()) {
    Store::WorkerSecondsRow& row = all.emplace_back();
    rows.read(row.group, row.occupation, row.seconds);
  }
  return all;
}

}  // namespace

void Store::set_worker_history(Id program, const std::vector<Id>& earlier) {
  state_->run("save a worker's history",
              "INSERT INTO worker_histories (program, earlier) VALUES (?, ?) "
              "ON CONFLICT DO UPDATE SET earlier = excluded.earlier",
              program, nlohmann::json(earlier).dump());
}

void Store::add_worker_seconds(const std::vector<WorkerSecondsRow>& rows, Millis at) {
  transaction([&] {
    for (const auto& row : rows) {
      state_->run("save worker time",
                  "INSERT INTO worker_seconds (day, worker_group, occupation, seconds) VALUES (?, ?, ?, ?) "
                  "ON CONFLICT DO UPDATE SET seconds = seconds + excluded.seconds",
                  at / kDay, row.group, row.occupation, row.seconds);
    }
  });
}

std::vector<Store::WorkerSecondsRow> Store::worker_seconds(Millis since) const {
  return seconds_from(state_->query("read worker time",
                                    "SELECT worker_group, occupation, sum(seconds) FROM worker_seconds WHERE day >= ? "
                                    "GROUP BY worker_group, occupation ORDER BY worker_group, occupation",
                                    since / kDay));
}

std::vector<Store::WorkerSecondsRow> Store::worker_seconds_of_day(Millis at) const {
  return seconds_from(state_->query("read a day's worker time",
                                    "SELECT worker_group, occupation, seconds FROM worker_seconds WHERE day = ? "
                                    "ORDER BY worker_group, occupation",
                                    at / kDay));
}

std::vector<EnvironmentRow> Store::environments() const {
  Rows rows = state_->query("read environments",
                            "SELECT id, torch, python, device, device_name, sandbox, text FROM ("
                            "SELECT *, row_number() OVER (PARTITION BY device ORDER BY coalesce((SELECT max(x.id) "
                            "FROM examinations x WHERE x.environment = e.id), 0) DESC, id DESC) AS place "
                            "FROM environments e) WHERE place = 1 ORDER BY device");
  std::vector<EnvironmentRow> all;
  while (rows.next()) {
    EnvironmentRow row;
    rows.read(row.id, row.torch, row.python, row.device, row.device_name, row.sandbox, row.text);
    all.push_back(std::move(row));
  }
  return all;
}

}  // namespace parityd::store
