"""The folders of the syntax process's modules: each groups related modules, which are imported by their plain names. No
two modules have the same name. The folders are listed only here."""

import os

SYNTAX = os.path.dirname(os.path.abspath(__file__))
_NAMES = ("text", "scripts", "reducing", "mutating", "sources")
FOLDERS = (SYNTAX, *(os.path.join(SYNTAX, name) for name in _NAMES), os.path.join(os.path.dirname(SYNTAX), "shared"))
