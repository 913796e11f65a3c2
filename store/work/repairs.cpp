// What repairs were asked for, by class of error, and what they were worth; what replies held.
#include <array>

#include "oracle/names.h"
#include "store/base/connection.h"
#include "store/work/repairs.h"

namespace parityd::store {
void Repairs::add(Id program, const std::string& error_class, int round, RepairResult result, Millis at) {
  connection_.run("note a repair",
                  "INSERT INTO repairs (program, class, round, result, at) VALUES (?, ?, ?, ?, ?) "
                  "ON CONFLICT (program) DO UPDATE SET class = excluded.class, result = excluded.result",
                  program, error_class, round, name(result), at);
}

void Repairs::end(Id program, RepairResult result) {
  connection_.run("end a repair", "UPDATE repairs SET result = ? WHERE program = ?", name(result), program);
}

std::string Repairs::class_of(Id program) const {
  Rows rows = connection_.query("read a repair", "SELECT class FROM repairs WHERE program = ?", program);
  std::string error_class;
  if (rows.next()) rows.read(error_class);
  return error_class;
}

std::vector<RepairYield> Repairs::yield_since(Millis since) const {
  Rows rows = connection_.query("add up repairs",
                                "SELECT class, round, sum(result <> 'declined'), sum(result = 'program'), sum(valid), "
                                "sum(same_error), sum(result = 'lost_operators'), sum(result = 'declined') "
                                "FROM v_repairs WHERE program IN (SELECT program FROM repairs WHERE at >= ?) GROUP BY "
                                "class, round ORDER BY class, round",
                                since);
  std::vector<RepairYield> all;
  while (rows.next()) {
    RepairYield row;
    std::int64_t round = 0;
    rows.read(row.error_class, round, row.asked, row.programs, row.valid, row.same_error, row.lost_operators,
              row.declined);
    row.round = static_cast<int>(round);
    all.push_back(std::move(row));
  }
  return all;
}

}  // namespace parityd::store
