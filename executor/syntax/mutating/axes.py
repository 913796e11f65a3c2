"""The axes along which a hypothesis about a program varies it: the kinds of edits that its words mention."""

from __future__ import annotations

import re

WORDS = {  # by kind of edit (edits.py)
    "dtype": r"dtype|promot|\b(u?int|b?float|complex)\d+|\bhalf\b|\bbool|\bdouble|\bcast|integer",
    "shape": r"\bsize|\bshape|empty|zero-dim|0-d|\brank\b|\bdims?\b|dimension|broadcast|\bbatch",
    "layout": r"stride|channels_last|layout|contiguous|transpos|memory format|expand|offset",
    "view": r"\bview|slice|alias|in.place|mutat|overlap|storage|\bwrit",
    "constant": r"\bnan\b|\binf|negative|overflow|2\*\*|round|\bsign|\blarge|fraction|\bedge",
    "operator": r"sibling|alpha|beta|keyword|operator",
    "option": r"dynamic|backward|gradient|\btrain|thread|inductor_config|autocast",
}


PLACE = re.compile(r"^\S+\.py:\S+:\d+:")


def axes(hypothesis: str) -> list[str]:
    said = PLACE.sub("", hypothesis)
    return [kind for kind, words in WORDS.items() if re.search(words, said, re.IGNORECASE)]
