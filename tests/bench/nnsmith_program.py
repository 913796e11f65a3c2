"""A bug folder of NNSmith as a program in parityd's form: NNSmith's text of the model, the same weights and inputs.

nnsmith_program.py BUG_FOLDER      with the checkout in PYTHONPATH
"""

import base64
import pathlib
import pickle
import sys

import numpy
import torch
from nnsmith.materialize.torch import TorchModelCPU


def written(value: torch.Tensor) -> str:
    """An expression for the tensor, to the bit."""
    flat = value.detach().cpu().contiguous().reshape(-1)
    data = base64.b64encode(flat.view(torch.uint8).numpy().tobytes()).decode() if flat.numel() else ""
    made = f"torch.frombuffer(bytearray(base64.b64decode('{data}')), dtype={value.dtype}).clone()"
    made = made if flat.numel() else f"torch.empty(0, dtype={value.dtype})"
    return f"{made}.reshape({tuple(value.shape)})"


def main() -> int:
    folder = pathlib.Path(sys.argv[1])
    model = TorchModelCPU.load(str(folder / "model.pth"))
    inputs = pickle.loads((folder / "oracle.pkl").read_bytes())["input"]
    print("import base64\n\nimport torch\nfrom torch import device, inf, nan\nfrom torch.nn import *\n\n")
    print(model.emit_def("m", "Traced").rpartition("\nm = ")[0])
    print("\nclass Model(Traced):\n    def __init__(self):\n        super().__init__()")
    state = [f"'{name}': {written(value)}" for name, value in model.native_model.state_dict().items()]
    print(f"        self.load_state_dict({{{', '.join(state)}}}, strict=False)")
    given = [written(torch.from_numpy(numpy.ascontiguousarray(value))) for value in inputs.values()]
    print(f"\n\ndef get_inputs():\n    return [{', '.join(given)}]")
    return 0


if __name__ == "__main__":
    sys.exit(main())
