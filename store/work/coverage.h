// What the compiler said it did (executor/worker/running/coverage.py names the features). Times are Unix milliseconds.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "store/base/table.h"
#include "store/work/programs.h"

namespace parityd::store {

/// Of a kind of features: `listed` are those that some torch says it can do.
struct CoverageRow {
  std::string kind;
  std::int64_t reached = 0, listed = 0, reached_of_listed = 0;
};

/// What programs of an origin and strategy were the first to show.
struct CoverageSourceRow {
  Origin origin = Origin::reply;
  std::string strategy;
  std::int64_t programs = 0;  // finished ones
  std::int64_t with_new = 0;  // of those, how many showed something new
  std::int64_t features = 0;
};

/// What the compiler said it did (executor/worker/running/coverage.py names the features). One thread.
class Coverage : public Table {
 public:
  using Table::Table;

  /// How many of them no program showed before: the program's `new_features` from now on.
  int note(Id program, const std::vector<std::string>& features, Millis at);
  [[nodiscard]] int new_features(Id program) const;
  /// What a torch can do, reached or not.
  void list(const std::vector<std::string>& features);
  [[nodiscard]] std::vector<CoverageRow> by_kind() const;  // by kind
  [[nodiscard]] std::vector<std::string> never_reached(const std::string& kind) const;
  /// One entry a feature that was reached, sorted: their number up to a program is how far coverage had grown then.
  [[nodiscard]] std::vector<Id> first_programs() const;
  /// The most features first.
  [[nodiscard]] std::vector<CoverageSourceRow> by_source() const;

 private:
  std::unordered_set<std::string> noted_;  // found in the database: most of a program's, each time
  std::int64_t noted_under_ = 0;           // Connection::failed() then
};

}  // namespace parityd::store
