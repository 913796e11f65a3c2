"""The kinds of device: the rows of devices.json, which C++ is built from, too (docs/adding-a-device.md). No imports of
the worker, and none of torch."""

import json
import os
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Row:
    name: str  # of torch.device; in the protocol, the database and on every page
    about: str
    words: str  # for it in titles and errors
    kernels: str  # what Inductor writes kernels in, and which of its settings are about them: cpp, triton
    threads: bool = False  # kernels run on as many threads as OPTIONS say
    module: str = ""  # torch's, with the functions that the worker calls (device_kinds.py); empty: the processor
    functions: dict[str, str] = field(default_factory=dict)  # called otherwise than torch.cuda's; empty: there is none
    visible: str = ""  # the environment variable that says which devices a process sees
    model: str = ""  # of the worker's device_names.py: what finds the model without initialising the device


def read(folder: str) -> dict[str, Row]:
    with open(os.path.join(folder, "devices.json"), encoding="utf-8") as file:
        return {row["name"]: Row(**row) for row in json.load(file)}


ROWS = read(os.path.dirname(os.path.abspath(__file__)))
