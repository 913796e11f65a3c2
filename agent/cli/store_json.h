// JSON of the store's rows in documents of commands and of the page: fields under their own names. Fields that a
// document renames or computes are added there.
#pragma once

#include "agent/cli/json.h"
#include "store/store.h"

namespace parityd::store {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FindingRow, id, kind, stage, statements_before, statements, neutraliser, workaround,
                                   extent, status, trigger, side, title, explanation, reduced, occurrences, hits,
                                   rounds, program, operators, dtypes, torch, device, alarm, next_step, why)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ConfirmedRow, program, kind, explanation, next_step)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GroupingChange, id, what, finding, other, who, note, undone_by)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ReductionRow, statements_before, statements, lines, trials, seconds, why)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ExaminationRow, program, purpose, round, device, torch, verdict, worker_seconds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Counts, programs, valid, repaired, invalid, consistent, excused, unstable,
                                   inconsistent, queued, repairing, confirming, pending, confirmed, suspects, findings,
                                   occurrences, held_flaky, state_dependent, replies, failed_replies, prompt_tokens,
                                   completion_tokens, harness_failures)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Yield, replies, failed, prompt_tokens, completion_tokens, worker_seconds, programs,
                                   valid, inconsistent, findings, ready)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RepairYield, round, asked, programs, valid, same_error, lost_operators, declined)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ReplyRow, id, provider, model, strategy, purpose, finish, prompt_tokens,
                                   completion_tokens, attempts, error)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(AreaReadRow, area, units, read, read_as_is, readings, fruitful)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CoverageRow, kind, reached, listed, reached_of_listed)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CoverageSourceRow, origin, strategy, programs, with_new, features)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(EventRow, level, what, text)

}  // namespace parityd::store
