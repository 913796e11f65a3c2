"""Mutants of a program: the same text with a few edits, or spliced with another program. Only a run can tell which are
valid; here they only have to parse.
"""

from __future__ import annotations

import random
from typing import Any

import edits
from axes import axes
from source import Source, clean
from splice import spliced

MOST_EDITS = 3
SPLICES_IN_HUNDRED = 15
TRIES = 4  # per requested mutant
LARGEST = 12_000  # characters: mutants of mutants must not grow without limit
MOST = 256


def mutants(code: Source, others: list[str], seed: int, count: int, along: str) -> dict[str, Any]:
    """`count` mutants that differ from the program and from each other, or fewer if there are not that many. `along`: a
    hypothesis about the program, whose axes each mutant varies first; empty: none."""
    dice = random.Random(seed)
    count = min(count, MOST)
    offered = edits.by_kind(code)
    first = {kind: offered[kind] for kind in axes(along) if kind in offered}
    known = {code.text}
    found: list[dict[str, str]] = []
    for _ in range(TRIES * count):
        if len(found) == count:
            break
        mutant = drawn(code, [] if first else others, offered, first or offered, dice)
        if mutant is None or len(mutant["program"]) > LARGEST:
            continue
        if mutant["program"] not in known:
            known.add(mutant["program"])
            found.append(mutant)
    return {"mutants": found}


def drawn(
    code: Source,
    others: list[str],
    offered: dict[str, list[edits.Edit]],
    first: dict[str, list[edits.Edit]],
    dice: random.Random,
) -> dict[str, str] | None:
    try:
        if others and dice.randrange(100) < SPLICES_IN_HUNDRED:
            result = spliced(code, Source(clean(dice.choice(others))), dice)
            return result and {"program": result.text, "kind": "splice", "description": "spliced with another"}
        chosen = choose(offered, first, dice)
        if not chosen:
            return None
        program = code.changed_together([edit.changes for edit in chosen]).text
    except SyntaxError:  # an edit that fits only some texts, or an unusual one combined with others
        return None
    kinds = dict.fromkeys(edit.kind for edit in chosen)
    return {"program": program, "kind": "+".join(kinds), "description": "; ".join(e.description for e in chosen)}


def choose(
    offered: dict[str, list[edits.Edit]], first: dict[str, list[edits.Edit]], dice: random.Random
) -> list[edits.Edit]:
    """Draws the kind first: there are far more places to write in place than operators to replace."""
    if not offered:
        return []
    chosen: list[edits.Edit] = []
    for number in range(1 + dice.randrange(MOST_EDITS)):
        among = offered if number else first
        edit = dice.choice(among[dice.choice(sorted(among))])
        if edit not in chosen:
            chosen.append(edit)
    return chosen
