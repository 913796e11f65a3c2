"""What is watched in a warm worker: names, the objects behind them, and the process itself. Set up before its first
program; fresh children end with theirs, so nothing is watched there."""

import sys
from typing import Any

import parityd_worker
from fingerprint import RESTLESS, Code, own_classes, own_modules
from settings import CALLABLES

# Keys and attributes behind which normal use changes something: caches, counters, values filled in at first use.
RESTLESS_CONTENTS = [
    *RESTLESS, *CALLABLES, "DUMPED_FILES", "_ENVIRON", "_METRICS_CONTEXT", "_WARNINGS_SHOWN", "__dynamo_disable",
    "_deprecation_warned", "_dir", "_dispatch_cache", "_handle", "_known_forms", "_known_precompiled_patterns",
    "_lazy_handle", "_lazy_seed_tracker", "_modules", "_namespace", "_opname", "_passes", "_programs", "_sent",
    "_wrapped_fns_to_patch", "artifact_log_qnames", "binary_folding_pass", "cached_ops", "environ",
    "graph_break_dup_warning_checker", "has_warned", "hash", "hide", "inductor_code_side_table", "kernel_side_table",
    "next_id", "op_count", "op_implementations_dict", "pass_patterns", "simple_call_counter", "source_location",
    "torch_function_mode_stack_state_mgr", "used_global_vals", "user_override",
]  # fmt: skip
# Behind these names a program could most easily hide the next one's faults.
_NEAR = (
    "torch", "torch.nn.functional", "torch._ops", "torch._dynamo.backends.registry", "torch._dynamo.convert_frame",
    "torch._dynamo.eval_frame", "torch._dynamo.output_graph", "torch._functorch.aot_autograd",
    "torch._functorch.partitioners", "torch._inductor.codecache", "torch._inductor.codegen.common",
    "torch._inductor.codegen.cpp", "torch._inductor.codegen.wrapper", "torch._inductor.compile_fx",
    "torch._inductor.decomposition", "torch._inductor.ir", "torch._inductor.scheduler", "torch.autograd",
    "torch.fx.experimental.proxy_tensor", "torch.library", "torch.nn.modules.module", "torch.overrides",
    "torch.utils._pytree",
)  # fmt: skip
_NEAR_DEPTH, _FAR_DEPTH = 3, 5  # a wrapper's closure, its cell, the function that calls, its code, the code's constants


def watch_attributes(code: Code, name: str, value: Any) -> None:
    """Watches an object of the harness from now on."""
    code.near.add(name, vars(value), parityd_worker.Scope.closed, RESTLESS_CONTENTS)


def guard(code: Code, native: Any, baseline: Any) -> Any:
    """Runs all watches, without Python code of ours, to see whether everything is unchanged."""
    near = parityd_worker.ContentsWatch(RESTLESS_CONTENTS, False)
    far = parityd_worker.ContentsWatch(RESTLESS_CONTENTS, True)
    watch_attributes(code, "baseline", baseline)
    near.add("baseline", baseline, _FAR_DEPTH, parityd_worker.Growth.caches)
    for watch in (near, far):
        for module in own_modules():
            watch.add(module.__name__, vars(module), _FAR_DEPTH, parityd_worker.Growth.none)
        for name, owner in own_classes():
            watch.add(name, owner, _FAR_DEPTH, parityd_worker.Growth.none)
    growth = parityd_worker.Growth.caches
    for name in _NEAR:
        if name in sys.modules:
            near.add_values(name, vars(sys.modules[name]), _NEAR_DEPTH, growth)
    for name, module in list(sys.modules.items()):
        if name.startswith("torch") and type(getattr(module, "__dict__", None)) is dict:
            far.add_values(name, vars(module), _FAR_DEPTH, growth)
    return parityd_worker.Guard(code.near, near, code.far, far, native)
