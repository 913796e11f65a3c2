"""Where the worker's own modules lie: in folders, one for what belongs together, and found by their plain names. No two
have the same. Each folder is named here, and nowhere else."""

import os

WORKER = os.path.dirname(os.path.abspath(__file__))
SHARED = os.path.join(os.path.dirname(WORKER), "shared")
_NAMES = ("running", "excuses", "results", "watching", "inspecting", "composing", "priming")
FOLDERS = (WORKER, *(os.path.join(WORKER, name) for name in _NAMES), SHARED)
