"""What is wrong lies in an array of numpy's."""

import torch

OPTIONS = {
    "inductor_config": {
        "cpp.inject_relu_bug_TESTING_ONLY": "accuracy",
        "triton.inject_relu_bug_TESTING_ONLY": "accuracy",
    },
}


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x).cpu().numpy()


def get_inputs():
    return [torch.linspace(-1, 1, 64)]
