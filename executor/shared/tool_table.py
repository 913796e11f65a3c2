"""PyTorch's debugging tools: the rows of tools.json, from which the C++ is generated, too (docs/adding-a-tool.md)."""

import json
import os

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "tools.json"), encoding="utf-8") as _file:
    ROWS = json.load(_file)
