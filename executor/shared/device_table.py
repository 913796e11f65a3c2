"""The device kinds: the rows of devices.json, from which the C++ is generated, too (docs/adding-a-device.md). Imports
neither the worker nor torch."""

import json
import os
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Row:
    name: str  # as in torch.device; in the protocol, the database and on every page
    about: str
    words: str  # its name in titles and errors
    kernels: str  # what Inductor writes kernels in, and the prefix of the settings about them: cpp, triton
    threads: bool = False  # kernels run on as many threads as OPTIONS say
    module: str = ""  # torch's module with the functions that the worker calls (device_kinds.py); empty: the processor
    # those with names other than torch.cuda has; an empty name: no such function
    functions: dict[str, str] = field(default_factory=dict)
    visible: str = ""  # the environment variable that says which devices a process sees
    model: str = ""  # function of the worker's device_names.py that finds the model without initialising the device


def read(folder: str) -> dict[str, Row]:
    with open(os.path.join(folder, "devices.json"), encoding="utf-8") as file:
        return {row["name"]: Row(**row) for row in json.load(file)}


ROWS = read(os.path.dirname(os.path.abspath(__file__)))
