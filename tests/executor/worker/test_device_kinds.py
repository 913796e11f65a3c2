"""Torch has the functions that rows of devices.json name, also those of docs/adding-a-device.md that nobody has tried;
what a row lacks answers as the processor does."""

import json
import re
import sys
import types
import unittest
from unittest import mock

import torch
from driver import FOLDERS, SOURCES

sys.path += FOLDERS
from device_kinds import KINDS, Kind
from device_names import model_of
from device_table import ROWS, Row

ASKED = ("is_available", "is_initialized", "synchronize", "empty_cache", "memory_reserved", "mem_get_info")
PAGE = SOURCES.parents[1] / "docs/adding-a-device.md"


class DeviceKinds(unittest.TestCase):
    def test_torch_has_the_functions_of_all_rows(self):
        told = [Row(**json.loads(text)) for text in re.findall(r"```json\n(.*?)```", PAGE.read_text(), re.DOTALL)]
        self.assertEqual([row.name for row in told], ["cuda", "cuda", "xpu", "mps"])
        self.assertEqual(told[0], ROWS["cuda"])
        for row in (row for row in (*ROWS.values(), *told) if row.module):
            self.assertIs(torch.get_device_module(row.name), sys.modules[row.module])
            self.assertLessEqual(row.functions.keys(), set(ASKED))
            for name in filter(None, (row.functions.get(function, function) for function in ASKED)):
                self.assertTrue(callable(getattr(sys.modules[row.module], name)), f"{row.module}.{name}")

    def test_a_row_names_the_functions_of_its_module(self):
        made_up = types.SimpleNamespace(
            is_available=lambda: True,
            is_initialized=lambda: True,
            synchronize=mock.Mock(),
            taken=lambda: 7,
            mem_get_info=lambda: (3, 9),
        )
        functions = {"memory_reserved": "taken", "empty_cache": ""}
        with mock.patch.dict(sys.modules, {"made_up": made_up}):
            kind = Kind(Row("made_up", "", "", "triton", module="made_up", functions=functions))
            self.assertEqual((kind.is_gpu, kind.is_available(), kind.is_initialized()), (True, True, True))
            self.assertEqual((kind.reserved_bytes(), kind.free_bytes()), (7, 3))
            kind.synchronize()
            kind.empty_cache()
            made_up.synchronize.assert_called_once_with()
        self.assertEqual(model_of(kind.row), "unknown")

    def test_the_cpu_has_nothing_to_synchronize(self):
        kind = KINDS["cpu"]
        self.assertEqual((kind.is_gpu, kind.is_available(), kind.is_initialized()), (False, True, False))
        self.assertEqual((kind.reserved_bytes(), kind.free_bytes()), (0, None))
        kind.synchronize()


if __name__ == "__main__":
    unittest.main()
