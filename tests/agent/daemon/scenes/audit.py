"""What must hold in the database after any number of kills, once a daemon has drained it: checked against the journal
that the stand-in API kept outside it."""

import json
import signal
import sqlite3

from scene import Scene, wait_for
from service_scene import one

NANO_DOLLARS = {"prompt_tokens": 100, "completion_tokens": 500}  # a token: scene.py's price
DRAIN_SECONDS = 800  # a loaded machine's; the last run ends when it is done
WORK_SECONDS = 400  # likewise, until something is confirmed


def number(database: sqlite3.Connection, query: str) -> int:
    return database.execute(query).fetchone()[0]


def run_until(scene: Scene, what: str, query: str) -> None:
    """Runs a daemon until the query counts something, then kills it."""
    daemon = scene.daemon()
    try:
        wait_for(what, lambda: one(scene, query) > 0, WORK_SECONDS)
    finally:
        daemon.send_signal(signal.SIGKILL)
        daemon.communicate()


def tables(database: sqlite3.Connection) -> list[str]:
    """What is wrong with them; one sentence for each thing that is."""
    wrong = []

    def must_be_zero(what: str, query: str) -> None:
        if found := number(database, query):
            wrong.append(f"{found} {what}")

    must_be_zero("damaged pages", "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check != 'ok'")
    must_be_zero("replies left reserved", "SELECT count(*) FROM replies WHERE state = 'reserved'")
    must_be_zero("answers never taken in", "SELECT count(*) FROM replies WHERE state = 'answered' AND processed = 0")
    must_be_zero("programs not finished", "SELECT count(*) FROM programs WHERE state != 'finished'")
    must_be_zero("identities twice", "SELECT count(*) - count(DISTINCT identity) FROM programs")
    must_be_zero("programs without a verdict", "SELECT count(*) FROM programs WHERE verdict IS NULL")
    must_be_zero("harness failures", "SELECT count(*) FROM harness_failures")
    must_be_zero("signatures twice", "SELECT count(*) - count(DISTINCT signature_hash) FROM findings")
    must_be_zero(
        "inconsistent programs that are not exactly one occurrence",
        "SELECT count(*) FROM programs p WHERE verdict = 'inconsistent' AND "
        "(SELECT count(*) FROM occurrences o WHERE o.program = p.id) != 1",
    )
    must_be_zero(
        "confirmed findings that were not tried with ordinary inputs",
        "SELECT count(*) FROM findings WHERE disposition != 'held(flaky)' AND trigger != 'ordinary'",
    )
    must_be_zero(
        "findings without a draft", "SELECT count(*) FROM findings WHERE id NOT IN (SELECT finding FROM drafts)"
    )
    must_be_zero(
        "requests of unknown outcome that are not charged",
        "SELECT count(*) FROM replies WHERE state = 'unknown' AND charged_nano_dollars = 0",
    )
    return wrong


def ledger(scene: Scene, database: sqlite3.Connection) -> list[str]:
    """Every reply that was paid for is there, or its request is charged as one of unknown outcome."""
    wrong = []
    answered = number(database, "SELECT count(*) FROM replies WHERE state = 'answered'")
    unknown = number(database, "SELECT count(*) FROM replies WHERE state = 'unknown'")
    charged = number(database, "SELECT sum(charged_nano_dollars) FROM replies")
    sent = scene.sent()
    billed = sum(price * entry["usage"][kind] for entry in sent for kind, price in NANO_DOLLARS.items())
    if not answered <= len(sent) <= answered + unknown:
        wrong.append(f"{len(sent)} replies were sent, but {answered} are stored and {unknown} are of unknown outcome")
    if billed > charged:
        wrong.append(f"the API's bill is {billed} nano-dollars, the database knows of {charged}")
    print(f"{len(sent)} replies sent, {answered} stored, {unknown} unknown; billed {billed}, charged {charged}")
    return wrong


def drain_and_audit(scene: Scene) -> list[str]:
    """One sentence for each thing that is wrong once the last daemon has done what was left."""
    enough = "SELECT (SELECT count(*) FROM findings) > 0 AND count(*) >= 10 FROM programs"
    run_until(scene, "ten programs and a finding", enough)
    last = scene.daemon("--drain", "--json")
    output, _ = last.communicate(timeout=DRAIN_SECONDS)
    database = scene.database()
    wrong = tables(database) + ledger(scene, database)
    if last.returncode != 0:
        wrong.append(f"the last run ended with {last.returncode}: {output[-2000:]}")
    else:
        summary = json.loads(next(line for line in output.splitlines() if line.startswith("{")))
        if not summary["valid"] <= summary["programs"]:
            wrong.append(f"more valid programs than programs: {summary}")
    programs, findings = (number(database, f"SELECT count(*) FROM {table}") for table in ("programs", "findings"))
    print(f"{programs} programs, {findings} findings")
    return wrong
