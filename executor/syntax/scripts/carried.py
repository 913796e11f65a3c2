"""Statements of a script that set how torch behaves: those that OPTIONS can express go there; those that make no
difference to parityd are listed by name."""

from __future__ import annotations

import ast
from typing import Any

from option_table import AIDS
from source import dotted

CONFIGS = {
    "torch._inductor.config": "inductor_config",
    "torch._dynamo.config": "dynamo_config",
    "torch._functorch.config": "functorch_config",
}
SEEDS = ("torch.manual_seed", "torch.random.manual_seed", "random.seed", "np.random.seed", "numpy.random.seed")
HARMLESS = ("print", "assert", "display", "pprint", "len", "exit", "quit", "breakpoint", "plt", "logging", "logger")
HARMLESS += ("warnings", "sys", "time", "gc", "unittest", "pytest", "pdb", "get_ipython", "log", "tqdm", "wandb")
HARMLESS += ("torch.testing", "torch.cuda", "torch._dynamo.reset", "torch.compiler.reset", "torch._logging")
HARMLESS += (
    "torch._dynamo.explain",
    "torch.set_printoptions",
    "torch.save",
    "torch._inductor.utils.fresh_inductor_cache",
)
HARMLESS += (
    "np.testing",
    "numpy.testing",
    "os.makedirs",
    "self",
    "torch._dynamo.utils",
    "torch.allclose",
    "torch.equal",
)
HARMLESS += ("torch.set_default_device", "torch.xpu", "torch.mps", "torch.profiler", "torch.utils.benchmark", "input")
QUIET_VARIABLES = ("TORCH_LOGS", "CUDA_", "TORCH_SHOW", "TORCH_COMPILE_DEBUG", "TORCHDYNAMO_VERBOSE", "PYTORCH_")
QUIET_VARIABLES += ("TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE", "TORCH_TRACE", "TORCHDYNAMO_REPRO", "TORCH_CPP_LOG")
QUIET_VARIABLES += (
    "TORCHINDUCTOR_FORCE_DISABLE_CACHES",
    "TORCHINDUCTOR_FX_GRAPH_CACHE",
    "TORCHINDUCTOR_UNIQUE_KERNEL_NAMES",
    "TORCHINDUCTOR_COMPILE_THREADS",
)
QUIET_SETTINGS = ("debug", "trace", "verbose", "log", "output_code", "suppress_errors", "compile_threads", "repro_")
QUIET_SETTINGS += (
    "fx_graph_cache",
    "force_disable_caches",
    "worker_start_method",
    "print_",
    "report_guard",
)
for aids in AIDS.values():
    QUIET_SETTINGS += aids
VARIABLES = {
    "TORCHINDUCTOR_FREEZING": "freezing",
    "TORCHINDUCTOR_MAX_AUTOTUNE": "max_autotune",
    "TORCHINDUCTOR_COORDINATE_DESCENT_TUNING": "coordinate_descent_tuning",
    "TORCHINDUCTOR_CPP_WRAPPER": "cpp_wrapper",
}
TENSOR_TYPES = {"DoubleTensor": "float64", "FloatTensor": "float32", "HalfTensor": "float16"}
TENSOR_TYPES |= {"BFloat16Tensor": "bfloat16", "double": "float64", "half": "float16", "float": "float32"}
NO_GRADIENTS = {"torch.no_grad", "torch.inference_mode", "no_grad", "inference_mode"}
QUIET_CONTEXTS = ("profile", "catch_warnings", "subTest", "nullcontext", "suppress", "record_function", "assertRaises")
QUIET_CONTEXTS += ("redirect_stdout", "redirect_stderr", "raises", "tqdm", "Timer", "fresh_inductor_cache", "fork_rng")
QUIET_CONTEXTS += ("fresh_cache", "assertRaisesRegex", "device", "freeze_rng_state", "assertLogs", "capture_stderr")


def module_aliases(tree: ast.AST) -> dict[str, str]:
    """The modules that names stand for: `cfg` of `import torch._inductor.config as cfg`."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update({a.asname: a.name for a in node.names if a.asname})
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.update({a.asname or a.name: f"{node.module}.{a.name}" for a in node.names})
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            path = full_name(node.value, found)
            if path in CONFIGS:
                found[node.targets[0].id] = path
    return found


def full_name(node: ast.AST, aliases: dict[str, str]) -> str:
    first, dot, rest = dotted(node).partition(".")
    return aliases.get(first, first) + dot + rest


def setting_of(path: str) -> tuple[str, str] | None:
    """The option and its setting: ("inductor_config", "triton.cudagraphs")."""
    for module, option in CONFIGS.items():
        if path.startswith(module + "."):
            return option, path[len(module) + 1 :]
    return None


def patched(call: ast.AST, aliases: dict[str, str]) -> dict[str, dict[str, Any]] | None:
    """The settings of `config.patch(…)`, as a context or a decorator. Raises ValueError if a value is not a
    constant."""
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr != "patch":
        return None
    option = CONFIGS.get(full_name(call.func.value, aliases))
    if option is None:
        return None
    wanted = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords if keyword.arg}
    if len(call.args) == 2:
        wanted[ast.literal_eval(call.args[0])] = ast.literal_eval(call.args[1])
    elif call.args:
        wanted |= ast.literal_eval(call.args[0])
    return {option: wanted}


def dtype_name(node: ast.AST) -> str:
    name = dotted(node).rpartition(".")[2] or (node.value if isinstance(node, ast.Constant) else "")
    name = str(name).rpartition(".")[2]
    return TENSOR_TYPES.get(name, name)


def autocast_of(call: ast.Call, name: str) -> bool | str:
    """The option for `torch.autocast(…)`; False if it is switched off."""
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    old = name.endswith(("cuda.amp.autocast", "cpu.amp.autocast"))
    places = ("enabled", "dtype") if old else ("device_type", "dtype", "enabled")
    given |= dict(zip(places, call.args, strict=False))
    enabled = given.get("enabled")
    if isinstance(enabled, ast.Constant) and enabled.value is False:
        return False
    if "dtype" in given and not (isinstance(given["dtype"], ast.Constant) and given["dtype"].value is None):
        return dtype_name(given["dtype"])
    device = given.get("device_type")
    cuda = "cuda" in name if old else isinstance(device, ast.Constant) and device.value == "cuda"
    return "float16" if cuda else "bfloat16"


def variable(node: ast.stmt) -> tuple[str, ast.expr] | None:
    """The environment variable that a statement sets."""
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        target = node.targets[0]
        if dotted(target.value) in ("os.environ", "environ") and isinstance(target.slice, ast.Constant):
            return str(target.slice.value), node.value
    call = node.value if isinstance(node, ast.Expr) else None
    if (
        isinstance(call, ast.Call)
        and dotted(call.func) in ("os.environ.setdefault", "os.putenv")
        and len(call.args) == 2
    ):
        return str(getattr(call.args[0], "value", "")), call.args[1]
    return None


def is_quiet(name: str) -> bool:
    return any(name == word or name.startswith(word + ".") for word in HARMLESS)


def is_harmless(node: ast.stmt) -> bool:
    """Whether it prints, checks or measures: nothing that a later statement could see."""
    if isinstance(node, (ast.Assert, ast.Pass, ast.Delete, ast.Global, ast.Nonlocal, ast.Raise)):
        return True
    if not isinstance(node, ast.Expr):
        return False
    if not isinstance(node.value, ast.Call):
        return True
    name = dotted(node.value.func)
    last = name.rpartition(".")[2]
    return is_quiet(name) or last.startswith(("assert_", "assertE", "assertT", "print")) or "synchronize" in name
