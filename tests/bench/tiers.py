"""What screens miss that do not compile every graph (docs/tiers.md), and what they save: two campaigns of one seed,
program by program.

    tiers.py STATE COMPILED

COMPILED is the state folder of a campaign with `[oracle] compile_sample = 1` (campaign.py --arms builtin,compiled runs
both). Of the programs that both have screened it prints worker seconds, suspects, and each suspect that one of the two
did not see.
"""

import argparse
import contextlib
import pathlib
import sqlite3

SCREENED = """
WITH looked AS (SELECT x.program, sum(x.worker_seconds) AS seconds, max(x.graphs = 'interpreted') AS interpreted,
    max(CASE WHEN v.verdict = 'inconsistent' THEN v.explanation END) AS why
  FROM examinations x JOIN verdicts v ON v.examination = x.id WHERE x.purpose = 'screen' GROUP BY x.program)
SELECT p.identity, l.seconds, l.interpreted, p.suspect, p.origin, p.strategy, l.why
FROM programs p JOIN looked l ON l.program = p.id WHERE p.verdict IS NOT NULL OR p.suspect = 1
"""


def screened(state: pathlib.Path) -> dict[str, tuple]:
    with contextlib.closing(sqlite3.connect(f"file:{state / 'parityd.db'}?mode=ro", uri=True)) as database:
        return {row[0]: row[1:] for row in database.execute(SCREENED)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("state", type=pathlib.Path)
    parser.add_argument("compiled", type=pathlib.Path)
    options = parser.parse_args()
    tiers, compiled = screened(options.state), screened(options.compiled)
    both = [(tiers[each], compiled[each]) for each in tiers if each in compiled]
    if not both:
        parser.exit(1, "no program was screened in both\n")
    ours, whole = (sum(row[side][0] for row in both) for side in (0, 1))
    print(f"{len(both)} programs in both; {sum(ours[1] for ours, _ in both)} of them not compiled here")
    print(f"worker seconds of screens: {ours:.0f} here, {whole:.0f} all compiled: {ours / whole:.2f}")
    print(f"suspects: {sum(row[0][2] for row in both)} here, {sum(row[1][2] for row in both)} all compiled")
    for title, side in (("seen only where all is compiled", 1), ("seen only here", 0)):
        alone = [row[side] for row in both if row[side][2] and not row[1 - side][2]]
        print(f"{title}: {len(alone)}")
        for _, _, _, origin, strategy, why in alone:
            print(f"  {origin:9} {strategy[:28]:28} {' '.join((why or 'its worker was lost').split())[:110]}")


if __name__ == "__main__":
    main()
