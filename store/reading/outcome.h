// What became of what was supposed, as SQL. Internal to store/.
#pragma once

namespace parityd::store {

/// What became of a hypothesis's program h.program, in words.
inline constexpr const char* kOutcome =
    "CASE WHEN h.program IS NULL THEN 'no program' "
    "WHEN EXISTS (SELECT 1 FROM occurrences o JOIN findings f ON f.id = o.finding JOIN programs r ON r.id = o.program "
    "WHERE r.root = p.root AND f.disposition NOT LIKE 'known%' AND f.disposition NOT LIKE 'umbrella%') "
    "THEN 'shown: compiled differs' "
    "WHEN c.verdict = 'consistent' THEN 'compiled agrees with eager' "
    "WHEN c.verdict = 'invalid' THEN 'the program does not run in eager mode' "
    "WHEN c.verdict = 'inconsistent' THEN 'differs, and is known' "
    "WHEN c.verdict = '' THEN 'still running' ELSE c.verdict END";

}  // namespace parityd::store
