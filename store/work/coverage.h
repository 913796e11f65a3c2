// Features that the compiler reported (executor/worker/running/coverage.py names them). Times are Unix milliseconds.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "store/base/table.h"
#include "store/work/programs.h"

namespace parityd::store {

/// One kind of features: `listed` are those that some torch lists as possible.
struct CoverageRow {
  std::string kind;
  std::int64_t reached = 0, listed = 0, reached_of_listed = 0;
};

/// The features first shown by programs of one origin and strategy.
struct CoverageSourceRow {
  Origin origin = Origin::reply;
  std::string strategy;
  std::int64_t programs = 0;  // finished ones
  std::int64_t with_new = 0;  // how many of those showed something new
  std::int64_t features = 0;
};

/// Features that the compiler reported (executor/worker/running/coverage.py names them). One thread.
class Coverage : public Table {
 public:
  using Table::Table;

  /// Returns how many of them no program showed before; they are the program's `new_features` from now on.
  int note(Id program, const std::vector<std::string>& features, Millis at);
  [[nodiscard]] int new_features(Id program) const;
  /// Features that a torch lists as possible, reached or not.
  void list(const std::vector<std::string>& features);
  [[nodiscard]] std::vector<CoverageRow> by_kind() const;  // by kind
  [[nodiscard]] std::vector<std::string> never_reached(const std::string& kind) const;
  /// For each feature that was reached, the first program that showed it; sorted, so the number of entries up to a
  /// program is the coverage at that time.
  [[nodiscard]] std::vector<Id> first_programs() const;
  /// Those with the most features first.
  [[nodiscard]] std::vector<CoverageSourceRow> by_source() const;

 private:
  std::unordered_set<std::string> noted_;  // known to be in the database: saves most look-ups
  std::int64_t noted_under_ = 0;           // Connection::failed() at that time
};

}  // namespace parityd::store
