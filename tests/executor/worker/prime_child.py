"""Learns the instruction sets as a worker does, and tells as JSON how many processes that started and what the compiler
then generates: prime_child.py SOURCES [PROCESSOR]; with PROCESSOR this host is taken to have another one."""

import json
import os
import subprocess
import sys

sys.path.insert(0, sys.argv[1])
from worker_path import FOLDERS

sys.path[:0] = FOLDERS
started = []


class Watched(subprocess.Popen):
    def __init__(self, *arguments, **named):
        started.append(arguments)
        super().__init__(*arguments, **named)


subprocess.Popen = Watched

import prime  # noqa: E402
import shared_cache  # noqa: E402
import torch  # noqa: E402
from torch._inductor.cpu_vec_isa import pick_vec_isa  # noqa: E402
from torch._inductor.utils import run_and_get_code  # noqa: E402


def function(x):
    return torch.softmax(x.to(torch.bfloat16).exp() * 1.5, dim=-1).float().sum(dim=0)


def learn():
    if len(sys.argv) > 2:
        shared_cache._processor = lambda: {"flags": sys.argv[2]}
    prime.import_compiler()
    started.clear()  # an import may ask ldconfig
    instruction_sets = prime.VectorIsa(shared_cache.SharedCache(os.environ.get("PARITYD_CACHE", "")))
    instruction_sets.install()
    instruction_sets.settle()
    return len(started)


processes = learn()
before = dict(vars(torch.nn.Module))
_, code = run_and_get_code(torch.compile(function), torch.linspace(-1, 1, 4 * 40).reshape(4, 40))
isa = pick_vec_isa()
rebound = [name for name, value in vars(torch.nn.Module).items() if before.get(name) is not value]
told = f"{isa} {isa.build_arch_flags()} {isa.build_macro()}"
json.dump({"started": processes, "code": code, "rebound": rebound, "isa": told}, sys.stdout)
