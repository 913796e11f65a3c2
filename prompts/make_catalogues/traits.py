"""Writes catalogues/traits.jsonl: what past bugs of the compiler had in common, from the table of known issues.

    python prompts/make_catalogues/traits.py store/known_issues.jsonl prompts/catalogues/traits.jsonl

The table holds facts; traits.json says of each of its traits, in our own words, what goes wrong and where. Traits that
are noise (rounding, ties, what is undefined) have no words there and are left out.
"""

from __future__ import annotations

import collections
import json
import pathlib
import sys

LEAD = "The trait that past bugs shared:"
ENTRY = (
    "{{what}}{{#operators}} Seen so far with: {{operators}}.{{/operators}}"
    "{{#kinds}} It showed as: {{kinds}}.{{/kinds}}{{#stages}} Stage: {{stages}}.{{/stages}}"
)
KINDS = {
    "numerical": "wrong values",
    "behaviour": "an error only when compiled",
    "missing_check": "an error only in eager mode",
    "metadata": "another type, shape or stride",
    "mutation": "inputs or state left different",
    "gradient": "wrong gradients",
    "crash": "the process's death",
    "hang": "no end",
}
OPERATOR_CAP = 8


def commonest(values: list[str], most: int) -> list[str]:
    return [value for value, _ in collections.Counter(values).most_common(most) if value]


def main() -> None:
    known, target = (pathlib.Path(argument) for argument in sys.argv[1:3])
    words = json.loads((pathlib.Path(__file__).parent / "traits.json").read_text())
    by_trait: dict[str, list[dict]] = collections.defaultdict(list)
    for line in known.read_text().splitlines():
        issue = json.loads(line)
        if "trait" in issue:
            by_trait[issue["trait"]].append(issue)
    rows = [{"lead": LEAD, "entry": ENTRY}]
    for trait in sorted(set(words) & set(by_trait)):
        issues = by_trait[trait]
        rows.append(
            {
                "trait": trait,
                "what": words[trait],
                "operators": commonest([o for issue in issues for o in issue["operators"]], OPERATOR_CAP),
                "kinds": [KINDS[kind] for kind in commonest([issue["kind"] for issue in issues], 3)],
                "stages": commonest([issue["stage"] for issue in issues], 2),
                "issues": len(issues),
            }
        )
    target.write_text("".join(json.dumps(row) + "\n" for row in rows))
    print(f"{len(rows) - 1} traits; without words: {sorted(set(by_trait) - set(words))}")
    if stale := sorted(set(words) - set(by_trait)):
        print(f"no issue has the trait: {stale}", file=sys.stderr)


if __name__ == "__main__":
    main()
