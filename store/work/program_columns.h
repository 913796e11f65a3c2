// How the parts of store/ read programs. Internal to store/.
#pragma once

#include "store/base/connection.h"
#include "store/work/programs.h"

/// The columns that program_from() reads, in its order, from a table named p.
#define PARITYD_PROGRAM_COLUMNS                                                                             \
  "p.id, p.identity, p.text, p.origin, p.source, p.strategy, p.reply, p.parent, p.root, p.round, p.state, " \
  "p.next_step, p.why, p.confirmation_hits, p.confirmation_rounds, p.options, p.verdict, p.kind, p.rule, "  \
  "p.explanation, p.leaves, "                                                                               \
  "p.error_key, p.created_at, p.finished_at"

namespace parityd::store {

inline constexpr int kProgramColumns = 24;

/// Reads the columns above, which must come first; more may follow.
[[nodiscard]] ProgramRow program_from(Rows& rows);

}  // namespace parityd::store
