// What the scheduler's arms have earned.
#include "store/work/arms.h"
#include "store/base/connection.h"

namespace parityd::store {

void Arms::set(const ArmRow& arm, Millis at) {
  connection_.run(
      "keep what an arm earned",
      "INSERT INTO arms (name, reward, cost, pulls, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE "
      "SET reward = excluded.reward, cost = excluded.cost, pulls = excluded.pulls, at = excluded.at",
      arm.name, arm.reward, arm.cost, arm.pulls, at);
}

std::vector<ArmRow> Arms::all() const {
  Rows rows = connection_.query("read what arms earned", "SELECT name, reward, cost, pulls FROM arms ORDER BY name");
  std::vector<ArmRow> found;
  while (rows.next()) {
    ArmRow& row = found.emplace_back();
    rows.read(row.name, row.reward, row.cost, row.pulls);
  }
  return found;
}

}  // namespace parityd::store
