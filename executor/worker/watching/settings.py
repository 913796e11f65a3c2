"""Global values of torch that a program may set and that can be restored."""

import sys
from collections.abc import Callable
from typing import Any

import torch
import torch.backends.opt_einsum  # torch 2.6 does not import it itself
import torch.utils._device
import torch.utils.deterministic
from device_table import ROWS

CALLABLES = (
    "_allowed_callable_ids",
    "_disallowed_callable_ids",
    "_leaf_function_ids",
    "_nonstrict_trace_callable_ids",
)


class Setting:
    """One global value of torch or Python, read and restored by name."""

    def __init__(self, name: str, read: Callable[[], Any], write: Callable[[Any], Any]) -> None:
        self.name, self.read, self.write = name, read, write


def attribute(owner: Any, name: str, shown: str = "") -> Setting:
    shown = shown or f"{owner.__name__}.{name}"
    return Setting(shown, lambda: getattr(owner, name), lambda value: setattr(owner, name, value))


def _pair(name: str, read: str, write: str) -> list[Setting]:
    """A flag read and written by these two functions, if this torch has them and this build can read it."""
    getter, setter = getattr(torch._C, read, None), getattr(torch._C, write, None)
    if getter is None or setter is None:
        return []
    try:
        getter()
    except (RuntimeError, TypeError):
        return []
    return [Setting(name, getter, lambda value: setter(*value) if isinstance(value, tuple) else setter(value))]


def _precisions() -> list[Setting]:
    """Torch 2.9+: TF32 and the like, by backend and operation. Combined with the older flags they make those
    unreadable."""
    getter = getattr(torch._C, "_get_fp32_precision_getter", None)
    setter = getattr(torch._C, "_set_fp32_precision_setter", None)
    found = []
    for backend, operations in {
        "generic": ("all",),
        "cuda": ("all", "matmul", "conv", "rnn"),
        "mkldnn": ("all", "matmul", "conv", "rnn"),
    }.items():
        for operation in operations:
            try:
                getter(backend, operation)  # type: ignore[misc]
            except Exception:  # neither known nor there
                continue
            found.append(
                Setting(
                    f"fp32 precision of {backend} {operation}",
                    lambda backend=backend, operation=operation: getter(backend, operation),
                    lambda value, backend=backend, operation=operation: setter(backend, operation, value),
                )
            )
    return found


def _write_autocast(wanted: list[tuple[bool, torch.dtype]]) -> None:
    for device, (enabled, dtype) in zip(ROWS, wanted, strict=True):
        torch.set_autocast_enabled(device, enabled)
        torch.set_autocast_dtype(device, dtype)


def _write_deterministic(wanted: tuple[bool, bool]) -> None:
    torch.use_deterministic_algorithms(wanted[0], warn_only=wanted[1])


def _default_device() -> Any:
    return torch.utils._device.CURRENT_DEVICE


_SMALLEST = float.fromhex("0x1p-1022")


def _flushes_denormals() -> bool:
    return _SMALLEST / 2 == 0.0  # the processor's mode also applies to Python's arithmetic


def _stance() -> list[Setting]:
    from torch._dynamo import eval_frame

    return [attribute(eval_frame, "_stance", "compiler stance")] if hasattr(eval_frame, "_stance") else []


def _eval_frame_callback() -> list[Setting]:
    from torch._C._dynamo import eval_frame

    read = getattr(eval_frame, "get_eval_frame_callback", None)
    return [Setting("eval frame callback", read, eval_frame.set_eval_frame)] if read else []


def _plain_attributes() -> list[Setting]:
    wanted = (
        (torch.utils.deterministic, "fill_uninitialized_memory"),
        (torch.backends.opt_einsum, "enabled"),
        (torch.backends.opt_einsum, "strategy"),
        (torch.backends.quantized, "engine"),
        (torch._tensor_str.PRINT_OPTS, "precision"),
        (torch._tensor_str.PRINT_OPTS, "threshold"),
        (torch._tensor_str.PRINT_OPTS, "edgeitems"),
        (torch._tensor_str.PRINT_OPTS, "linewidth"),
        (torch._tensor_str.PRINT_OPTS, "sci_mode"),
    )
    found = []
    for owner, name in wanted:
        try:
            getattr(owner, name)
        except (AttributeError, RuntimeError):
            continue
        found.append(attribute(owner, name, f"{getattr(owner, '__name__', 'print options')}.{name}"))
    return found


_FLAGS = (
    ("cublas TF32", "_get_cublas_allow_tf32", "_set_cublas_allow_tf32"),
    ("cudnn TF32", "_get_cudnn_allow_tf32", "_set_cudnn_allow_tf32"),
    ("onednn TF32", "_get_onednn_allow_tf32", "_set_onednn_allow_tf32"),
    ("matmul precision", "_get_float32_matmul_precision", "_set_float32_matmul_precision"),
    (
        "fp16 accumulation",
        "_get_cublas_allow_fp16_accumulation",
        "_set_cublas_allow_fp16_accumulation",
    ),
    (
        "fp16 reduction on the CPU",
        "_get_cpu_allow_fp16_reduced_precision_reduction",
        "_set_cpu_allow_fp16_reduced_precision_reduction",
    ),
    (
        "fp16 reduction",
        "_get_cublas_allow_fp16_reduced_precision_reduction",
        "_set_cublas_allow_fp16_reduced_precision_reduction",
    ),
    (
        "bf16 reduction",
        "_get_cublas_allow_bf16_reduced_precision_reduction",
        "_set_cublas_allow_bf16_reduced_precision_reduction",
    ),
    ("cudnn", "_get_cudnn_enabled", "_set_cudnn_enabled"),
    ("cudnn benchmark", "_get_cudnn_benchmark", "_set_cudnn_benchmark"),
    ("cudnn deterministic", "_get_cudnn_deterministic", "_set_cudnn_deterministic"),
    ("mkldnn", "_get_mkldnn_enabled", "_set_mkldnn_enabled"),
    ("mkldnn deterministic", "_get_mkldnn_deterministic", "_set_mkldnn_deterministic"),
    ("nnpack", "_get_nnpack_enabled", "_set_nnpack_enabled"),
    ("sdp flash", "_get_flash_sdp_enabled", "_set_sdp_use_flash"),
    ("sdp memory efficient", "_get_mem_efficient_sdp_enabled", "_set_sdp_use_mem_efficient"),
    ("sdp math", "_get_math_sdp_enabled", "_set_sdp_use_math"),
    ("sdp cudnn", "_get_cudnn_sdp_enabled", "_set_sdp_use_cudnn"),
    ("sdp overrideable", "_get_overrideable_sdp_enabled", "_set_sdp_use_overrideable"),
    (
        "sdp reduced reduction",
        "_get_math_sdp_allow_fp16_bf16_reduction",
        "_set_math_sdp_allow_fp16_bf16_reduction",
    ),
    ("sdp priorities", "_get_sdp_priority_order", "_set_sdp_priority_order"),
    ("linalg backend", "_get_linalg_preferred_backend", "_set_linalg_preferred_backend"),
    ("blas backend", "_get_blas_preferred_backend", "_set_blas_preferred_backend"),
    ("warn always", "_get_warnAlways", "_set_warnAlways"),
    ("backward threads", "_is_multithreading_enabled", "_set_multithreading_enabled"),
    ("view replay", "_is_view_replay_enabled", "_set_view_replay_enabled"),
    ("graph executor", "_get_graph_executor_optimize", "_set_graph_executor_optimize"),
)


def _own_callables() -> set[int]:
    """What compiled autograd binds once for each kind of node."""
    operators = getattr(sys.modules.get("torch._dynamo.compiled_autograd"), "ops", None)
    return {id(value) for value in vars(operators).values()} if operators is not None else set()


def _callables(name: str) -> list[Setting]:
    """Functions that Dynamo treats specially, by their ids: another function may later have the same id."""
    rules = sys.modules.get("torch._dynamo.trace_rules")
    ids = getattr(rules, name, None)
    if ids is None:
        return []

    def read() -> tuple[bool, set[int]]:
        return getattr(rules, name, None) is ids, ids() - _own_callables()

    def write(wanted: tuple[bool, set[int]]) -> None:
        setattr(rules, name, ids)
        ids().intersection_update(wanted[1] | _own_callables())
        ids().update(wanted[1])

    return [Setting(f"torch._dynamo.trace_rules.{name}", read, write)]


def torch_settings() -> list[Setting]:
    """In the order in which they must be restored."""
    return [
        # First: while a default device or a mode is set, many other values read differently.
        Setting("default device", _default_device, torch.set_default_device),
        Setting("default dtype", torch.get_default_dtype, torch.set_default_dtype),
        Setting("grad mode", torch.is_grad_enabled, torch._C._set_grad_enabled),
        Setting(
            "deterministic algorithms",
            lambda: (
                torch.are_deterministic_algorithms_enabled(),
                torch.is_deterministic_algorithms_warn_only_enabled(),
            ),
            _write_deterministic,
        ),
        # Before the older flags, which cannot be read while the two disagree; after them, because they write these.
        *_precisions(),
        *(setting for names in _FLAGS for setting in _pair(*names)),
        *_precisions(),
        Setting("threads", torch.get_num_threads, torch.set_num_threads),
        Setting("anomaly mode", torch.is_anomaly_enabled, torch.set_anomaly_enabled),
        Setting(
            "autocast",
            lambda: [(torch.is_autocast_enabled(d), torch.get_autocast_dtype(d)) for d in ROWS],
            _write_autocast,
        ),
        Setting("autocast cache", torch.is_autocast_cache_enabled, torch.set_autocast_cache_enabled),
        Setting("flush denormal", _flushes_denormals, torch.set_flush_denormal),
        Setting(
            "fast path of attention",
            torch.backends.mha.get_fastpath_enabled,
            torch.backends.mha.set_fastpath_enabled,
        ),
        *_plain_attributes(),
        *_stance(),
        *(setting for name in CALLABLES for setting in _callables(name)),
        *_eval_frame_callback(),
    ]
