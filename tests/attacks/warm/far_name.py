"""A name of a module that no program's own check looks at."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.abs(x) + 4.5


def get_inputs():
    from torch._inductor import compile_fx, config

    real = compile_fx.fx_codegen_and_compile

    def patched(*arguments, **named):
        config.cpp.inject_relu_bug_TESTING_ONLY = None
        return real(*arguments, **named)

    compile_fx.fx_codegen_and_compile = patched
    return [torch.randn(4, 5)]
