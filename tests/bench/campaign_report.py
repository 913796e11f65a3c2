"""The row of an arm: what it ran, found and cost."""

import collections
from typing import Any

from campaign_arm import Arm, lines

PROGRAMS = """
SELECT count(*), sum(valid) FROM programs WHERE round = 0 AND state <> 'queued' AND finished_at > 0
"""
TIERS = """
SELECT iif(graphs = 'interpreted', 'interpreted', 'compiled'), count(*), sum(worker_seconds)
FROM examinations WHERE purpose = 'screen' AND graphs <> '' GROUP BY 1
"""
FINDINGS = """
SELECT f.kind, f.disposition, f.occurrences,
  (SELECT coalesce(max(confident), 0) FROM known_matches WHERE finding = f.id)
FROM findings f WHERE f.merged_into IS NULL
"""
ANSWERED = "SELECT count(*) FROM replies WHERE state = 'answered' AND prompt_tokens > 0"
DOLLARS = (
    "SELECT sum(cost_nano_dollars) FROM replies WHERE state = 'answered'"  # not of what the campaign's end cut off
)


def mean(samples: list[dict[str, float]], name: str) -> float | None:
    values = [sample[name] for sample in samples if name in sample]
    return round(sum(values) / len(values), 1) if values else None


def row_of(arm: Arm) -> dict[str, Any]:
    """`tiers`: screens, and worker seconds of one. `new`: ready, and no known issue matches for certain."""
    ((programs, valid),) = arm.rows(PROGRAMS)
    findings = arm.rows(FINDINGS)
    ready = [row for row in findings if row[1] == "ready"]
    samples = lines(arm.used)
    return {
        "arm": arm.name,
        "seconds": {who: round(seconds) for who, seconds in arm.seconds().items() if seconds},
        "programs": programs,
        "per_second": round(programs / max(1, arm.seconds()["daemon"]), 2),  # the workers' start is in it
        "tiers": {tier: {"screens": n, "seconds": round(seconds / n, 2)} for tier, n, seconds in arm.rows(TIERS)},
        "valid": valid,
        "features": one(arm, "SELECT count(*) FROM features WHERE first_program IS NOT NULL"),
        "suspects": one(arm, "SELECT count(*) FROM programs WHERE suspect = 1"),
        "pending": one(arm, "SELECT count(*) FROM programs WHERE suspect = 1 AND state = 'confirming'"),
        "findings": len(findings),
        "ready": dict(collections.Counter(kind for kind, *_ in ready)),
        "new": sum(1 for *_, known in ready if not known),
        "others": dict(collections.Counter(what for _, what, *_ in findings if what != "ready")),
        "occurrences": sum(seen for _, _, seen, _ in findings),
        "requests": one(arm, ANSWERED),
        "dollars": round((one(arm, DOLLARS) or 0) / 1e9, 3),
        "worker_hours": round((one(arm, "SELECT sum(seconds) FROM worker_seconds") or 0) / 3600, 2),
        "processors": mean(samples, "processors"),
        "gpu": mean(samples, "gpu"),
        "usual": usual_against_ours(arm),
    }


def one(arm: Arm, question: str) -> Any:
    return arm.rows(question)[0][0]


def usual_against_ours(arm: Arm) -> dict[str, Any] | None:
    """What the other one calls a bug, by the verdict that the same program got here."""
    reports = lines(arm.reports)
    if not reports:
        return None
    verdicts = dict(arm.rows("SELECT root, coalesce(verdict, state) FROM programs WHERE id = root"))
    called = collections.Counter(verdicts[row["program"]] for row in reports if row["report"].startswith("bug"))
    passed = collections.Counter(verdicts[row["program"]] for row in reports if row["report"] == "same")
    seconds = arm.seconds()["usual"]
    return {
        "programs": len(reports),
        "per_second": round(len(reports) / seconds, 2) if seconds else None,
        "bugs_by_our_verdict": dict(called),
        "missed": passed["inconsistent"],
    }
