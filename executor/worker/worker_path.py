"""The folders of the worker's own modules: each groups related modules, which are imported by their plain names. No two
modules have the same name. The folders are listed only here."""

import os

WORKER = os.path.dirname(os.path.abspath(__file__))
SHARED = os.path.join(os.path.dirname(WORKER), "shared")
_NAMES = ("running", "excuses", "results", "watching", "inspecting", "composing", "priming")
FOLDERS = (WORKER, *(os.path.join(WORKER, name) for name in _NAMES), SHARED)
