"""The sample that `parityd demo` opens: a database without what nobody looks at there.

make_sample.py DATABASE SAMPLE
"""

import pathlib
import sqlite3
import sys

# What a daemon notes for itself, and texts of tools, which name the machine's folders.
NOTES = ("events", "requests", "failed_trials", "state_values", "alarms", "harness_failures", "notifications")
NOTES += ("outgoing", "inspections", "fixes", "blobs")
# Evidence of programs that no finding shows goes, too.
UNSHOWN = (
    "DELETE FROM measured_leaves WHERE measurement IN (SELECT m.id FROM measurements m JOIN examinations x ON "
    "x.id = m.examination WHERE x.program NOT IN (SELECT program FROM occurrences UNION SELECT program FROM findings))",
    *(f"DELETE FROM {table}" for table in NOTES),
    "UPDATE triage SET who = ''",
    "UPDATE grouping_changes SET who = ''",
)


def main() -> None:
    database, sample = map(pathlib.Path, sys.argv[1:])
    for end in ("", "-wal", "-shm"):
        pathlib.Path(f"{sample}{end}").unlink(missing_ok=True)
    with (
        sqlite3.connect(f"{database.resolve().as_uri()}?mode=ro", uri=True) as before,
        sqlite3.connect(sample) as after,
    ):
        before.backup(after)
    with sqlite3.connect(sample, isolation_level=None) as after:
        for statement in UNSHOWN:
            after.execute(statement)
        after.execute("PRAGMA journal_mode = DELETE")
        after.execute("VACUUM")
    print(f"{sample}: {sample.stat().st_size} bytes")


if __name__ == "__main__":
    main()
