// The queue: which findings are worth filing today, in which order and why, and what happens next with each
// (docs/findings.md). Pure; any thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "oracle/finding/disposition.h"
#include "store/findings/findings.h"

namespace parityd::store {

struct QueueEntry {
  FindingRow finding;
  int lines = 0;          // of its reduced program, without blank ones
  int known_matches = 0;  // known issues that may be it
  int place = 0;          // from 1
  bool today = false;     // offered for filing today
  std::string standing;  // the ranking criteria: "severity 1 (silently wrong values), ordinary inputs, 3 of 3 rounds, 8
                         // lines, …"
  std::string why;       // why it is behind the previous entry: "severity 2 (an error) after …"
  std::string next_step;  // file it, or wait for another day
};

struct QueueLimits {
  int drafts_per_day = 0;
  int filed_today = 0;
};

/// Ignores findings that may not enter: only those that are ready, have status new and are not merged may. Rank:
/// severity, regressions on a new torch, trigger, reliability, smallness, novelty; then the older one. `known_matches`
/// by finding; absent: 0.
[[nodiscard]] std::vector<QueueEntry> queue_of(std::vector<FindingRow> findings, const std::map<Id, int>& known_matches,
                                               const QueueLimits& limits);

/// "1 (silently wrong values)": of a ready finding, how bad it is and what a maintainer reads of it first.
[[nodiscard]] std::string severity_words(const FindingRow& finding);

/// Whether a finding may enter the queue.
[[nodiscard]] bool may_be_queued(const FindingRow& finding);

// What happens next with a finding, and why, for every state it can be in. Pure; any thread.

struct NextStep {
  std::string step;
  std::string why;
};

/// For a new finding of this disposition.
[[nodiscard]] std::string next_step_of(const oracle::Disposition& disposition);

/// A finding that nobody has touched keeps its stored step; a merge and a status have their own.
[[nodiscard]] NextStep next_step(const FindingRow& finding);

}  // namespace parityd::store
