"""Where the modules of the syntax process lie: in folders, one for what belongs together, and found by their plain
names. No two have the same. Each folder is named here, and nowhere else."""

import os

SYNTAX = os.path.dirname(os.path.abspath(__file__))
_NAMES = ("text", "scripts", "reducing", "mutating", "sources")
FOLDERS = (SYNTAX, *(os.path.join(SYNTAX, name) for name in _NAMES), os.path.join(os.path.dirname(SYNTAX), "shared"))
