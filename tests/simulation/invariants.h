// What must hold in the database at any moment between two turns, and at the end.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/simulation/simulated_api.h"
#include "tests/simulation/simulation.h"

namespace parityd::simulation {

class Invariants {
 public:
  Invariants(std::filesystem::path database, const Plan& plan) : database_(std::move(database)), plan_(plan) {}

  /// One sentence for each thing that does not hold now. Cheap.
  [[nodiscard]] std::vector<std::string> hourly(const SimulatedApi::Book& book, TimePoint now);
  /// Reads all rows.
  [[nodiscard]] std::vector<std::string> daily(const SimulatedApi::Book& book) const;
  /// Once all is drained.
  [[nodiscard]] std::vector<std::string> final(const SimulatedApi::Book& book) const;

 private:
  void look_for_stuck(SQLite::Database& database, TimePoint now, std::vector<std::string>& wrong);

  std::filesystem::path database_;
  const Plan& plan_;
  std::map<std::int64_t, TimePoint> unfinished_;  // programs, since when they were seen
};

}  // namespace parityd::simulation
