// What repairs were asked for, by class of error, and what they were worth. Times are Unix milliseconds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/names.h"
#include "store/base/ids.h"

namespace parityd::store {

using oracle::name;

class Connection;

/// What came of asking for a repair: a program of its own, one that lost the operators under test (which counts as a
/// new program), one known already, none, a failed request; or it was not worth asking.
enum class RepairResult { asked, program, lost_operators, duplicate, no_program, failed, declined };
constexpr auto names(RepairResult) {
  return std::to_array<std::string_view>(
      {"asked", "program", "lost_operators", "duplicate", "no_program", "failed", "declined"});
}

/// Repairs of one class of errors in one round.
struct RepairYield {
  std::string error_class;
  int round = 0;
  std::int64_t asked = 0, programs = 0;
  std::int64_t valid = 0;       // of those programs
  std::int64_t same_error = 0;  // programs that raised the very error again
  std::int64_t lost_operators = 0, declined = 0;
};

/// What repairs were asked for, by class of error, and what they were worth. One thread.
class Repairs {
 public:
  explicit Repairs(Connection& connection) : connection_(connection) {}

  /// The repair of an invalid program, booked when it is asked for (or declined); asked again after a restart it stays
  /// one row.
  void add(Id program, const std::string& error_class, int round, RepairResult result, Millis at);
  void end(Id program, RepairResult result);
  [[nodiscard]] std::string class_of(Id program) const;  // "" when none was booked
  [[nodiscard]] std::vector<RepairYield> yield_since(Millis since) const;

 private:
  Connection& connection_;
};

}  // namespace parityd::store
