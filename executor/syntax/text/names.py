"""Which names a program binds, and which it uses without binding them."""

from __future__ import annotations

import ast
import builtins
from collections import Counter

KNOWN_IMPORTS = {
    "torch": "import torch",
    "nn": "import torch.nn as nn",
    "F": "import torch.nn.functional as F",
    "math": "import math",
    "np": "import numpy as np",
    "functools": "import functools",
    "itertools": "import itertools",
    "collections": "import collections",
    "operator": "import operator",
    "random": "import random",
    "typing": "import typing",
    "dataclasses": "import dataclasses",
    "enum": "import enum",
    "contextlib": "import contextlib",
    "Tensor": "from torch import Tensor",
    "dataclass": "from dataclasses import dataclass",
    "field": "from dataclasses import field",
    "partial": "from functools import partial",
    "reduce": "from functools import reduce",
    "namedtuple": "from collections import namedtuple",
    "OrderedDict": "from collections import OrderedDict",
    "defaultdict": "from collections import defaultdict",
    "Counter": "from collections import Counter",
    "deque": "from collections import deque",
    "Enum": "from enum import Enum",
    "contextmanager": "from contextlib import contextmanager",
    "chain": "from itertools import chain",
    "nullcontext": "from contextlib import nullcontext",
    "parametrize": "from torch.nn.utils import parametrize",
    "checkpoint": "from torch.utils.checkpoint import checkpoint",
}
TYPING = ("Any", "Callable", "Dict", "Iterable", "List", "NamedTuple", "Optional", "Sequence", "Tuple", "Union")
KNOWN_IMPORTS.update({name: f"from typing import {name}" for name in TYPING})


def reads(tree: ast.AST) -> Counter[str]:
    """How often each name is read."""
    return Counter(n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))


def bound(tree: ast.AST) -> set[str]:
    """Every name bound anywhere in the tree, whatever its scope."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {imported_name(alias) for alias in node.names}
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            names.add(node.name)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            names |= set(node.names)
    return names


def imported_name(alias: ast.alias) -> str:
    return alias.asname or alias.name.split(".")[0]


def loaded(tree: ast.AST) -> set[str]:
    """Every name read or deleted anywhere in the tree, string annotations included."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            names |= set(node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
            names.add(node.value)
    return names


def undefined(tree: ast.Module) -> list[str]:
    """Names read somewhere and bound nowhere."""
    used = set(reads(tree))
    return sorted(used - bound(tree) - set(dir(builtins)) - {"__file__"})
