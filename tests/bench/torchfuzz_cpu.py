"""A device plugin for torchfuzz: the templates of its own plugin that run without a GPU, on the processors.

TORCHFUZZ_DEVICE_MODULE=torchfuzz_cpu      with this folder in PYTHONPATH
"""

from torchfuzz import cuda
from torchfuzz.codegen import DeviceInfo

TEMPLATES = ("default", "unbacked")  # the others need a mesh of GPUs or CUDA's streams


def on_cpu(template: type) -> type:
    def flags_codegen(self: object) -> list[str]:
        return [line.replace("'cuda'", "'cpu'") for line in template.flags_codegen(self)]

    return type(template.__name__, (template,), {"flags_codegen": flags_codegen})


def register_codegen() -> dict[str, type]:
    return {name: on_cpu(template) for name, template in cuda.register_codegen().items() if name in TEMPLATES}


def get_device_info() -> DeviceInfo:
    return DeviceInfo("cpu")
