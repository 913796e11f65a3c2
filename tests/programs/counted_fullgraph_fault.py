"""Under fullgraph too, an error of the compiler's own is no refusal."""

import torch

OPTIONS = {
    "fullgraph": True,
    "inductor_config": {
        "cpp.inject_relu_bug_TESTING_ONLY": "compile_error",
        "triton.inject_relu_bug_TESTING_ONLY": "compile_error",
    },
}


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) * 2


def get_inputs():
    return [torch.linspace(-1, 1, 64)]
