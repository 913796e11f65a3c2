// The numbers of programs, replies and findings. Times are Unix milliseconds.
#pragma once

#include <cstdint>
#include <vector>

#include "store/base/table.h"
#include "store/findings/findings.h"

namespace parityd::store {

struct Counts {
  std::int64_t programs = 0;  // first programs
  std::int64_t valid = 0;     // of those, eager ran at once or after a repair, or a check is missing; suspects included
  std::int64_t repaired = 0;  // of those, valid after a repair
  std::int64_t invalid = 0, consistent = 0, excused = 0, unstable = 0,
               inconsistent = 0;  // last verdicts of finished roots
  std::int64_t queued = 0, repairing = 0, confirming = 0;
  std::int64_t pending = 0;    // of those confirming: waiting for their first round; only in all()
  std::int64_t confirmed = 0;  // of those confirming: shown in fresh processes; only in all()
  std::int64_t suspects = 0;   // programs that ever entered confirmation
  std::int64_t findings = 0, occurrences = 0, held_flaky = 0, state_dependent = 0;
  std::int64_t replies = 0, failed_replies = 0, prompt_tokens = 0, completion_tokens = 0, spent_nano_dollars = 0;
  std::int64_t harness_failures = 0;
};

struct SuspectCounts {
  std::int64_t suspects = 0;         // programs that entered confirmation
  std::int64_t state_dependent = 0;  // differences that only a warm worker showed
};

struct FindingCount {
  oracle::Disposition::Class disposition = oracle::Disposition::Class::held;  // also for one that cannot be parsed
  FindingStatus status = FindingStatus::fresh;
  std::int64_t findings = 0;
};

/// The numbers of programs, replies and findings. One thread.
class Tally : public Table {
 public:
  using Table::Table;

  [[nodiscard]] Counts all() const;
  [[nodiscard]] Counts since(Millis since) const;  // rows created since: one session's summary
  /// As in since(), without counting every program of that time.
  [[nodiscard]] SuspectCounts suspects_since(Millis since) const;
  /// Findings by disposition and status, without combinations that do not occur and without merged findings.
  [[nodiscard]] std::vector<FindingCount> findings() const;
  /// The time during which first programs came in since `since`: the sum of intervals between one and the next, without
  /// pauses of more than ten minutes.
  [[nodiscard]] Millis active_since(Millis since) const;
};

}  // namespace parityd::store
