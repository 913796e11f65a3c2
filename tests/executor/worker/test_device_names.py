"""Which GPU's model a worker gives for its own, on a machine with several kinds."""

import pathlib
import sys
import tempfile
import unittest

from driver import FOLDERS

sys.path += FOLDERS
import device_names

INFORMATION = """Model: \t\t {model}
IRQ:   \t\t 33
GPU UUID: \t {uuid}
Bus Location: \t 0000:01:00.0
"""
GPUS = {"0000:81:00.0": ("NVIDIA A100", "GPU-aa11"), "0000:01:00.0": ("NVIDIA H100", "GPU-bb22")}


class DeviceNames(unittest.TestCase):
    def test_the_model_is_that_of_the_first_gpu_a_worker_sees(self):
        with tempfile.TemporaryDirectory() as root:
            for place, (model, uuid) in GPUS.items():
                folder = pathlib.Path(root, place)
                folder.mkdir()
                (folder / "information").write_text(INFORMATION.format(model=model, uuid=uuid))
            for visible, model in {
                "": "NVIDIA H100",
                "0": "NVIDIA H100",
                "1": "NVIDIA A100",
                " 1 ,0": "NVIDIA A100",
                "GPU-aa11": "NVIDIA A100",
                "GPU-bb22,GPU-aa11": "NVIDIA H100",
                "GPU-bb": "NVIDIA H100",
                "7": "unknown",
                "MIG-aa11": "unknown",
            }.items():
                with self.subTest(visible):
                    self.assertEqual(device_names.gpu_model(visible, root), model)

    def test_without_the_drivers_files_the_model_is_unknown(self):
        self.assertEqual(device_names.gpu_model("", "/nowhere"), "unknown")
