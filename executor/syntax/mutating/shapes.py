"""What can be told about values without running: which expressions are tensors, which are floating, the rank of
inputs."""

from __future__ import annotations

import ast
from typing import Literal

from source import Source, dotted, last_name, words

Kind = Literal["float", "tensor", ""]

FLOAT_CALLS = words(
    "sin cos tan sinh cosh tanh asinh atan exp expm1 sigmoid sqrt rsqrt log log1p erf erfc softmax "
    "log_softmax gelu silu mish elu selu celu softplus softsign hardswish hardtanh hardsigmoid leaky_relu "
    "logsigmoid relu6 mean std var logsumexp linear layer_norm batch_norm group_norm instance_norm "
    "normalize conv1d conv2d conv3d avg_pool1d avg_pool2d interpolate dropout "
    "scaled_dot_product_attention rms_norm float double half bfloat16 adaptive_avg_pool2d "
    "adaptive_avg_pool1d"
)
TENSOR_CALLS = FLOAT_CALLS | words(
    "relu abs neg square clamp matmul mm bmm addmm baddbmm einsum sum amax amin prod cumsum cumprod cat "
    "stack where maximum minimum transpose permute reshape view flatten unsqueeze squeeze expand "
    "contiguous clone flip roll masked_fill pad gather index_select add sub mul div pow floor ceil round "
    "trunc sign tril triu unfold narrow outer t zeros_like ones_like"
)
# The result of these is floating if the tensor they are called on is.
KEEPING = words(
    "relu abs neg square clamp sum amax amin cumsum transpose permute reshape view flatten unsqueeze "
    "squeeze expand contiguous clone flip roll masked_fill tril triu unfold narrow t matmul mm bmm pow "
    "floor ceil round trunc sign add sub mul div"
)
FUNCTION_ROOTS = {"torch", "F", "torch.nn.functional", "nn.functional"}


class Values:
    """Kinds of a function's local names, inferred from its assignments only."""

    def __init__(self, function: ast.FunctionDef, inputs: dict[str, Kind]) -> None:
        self.kinds: dict[str, Kind] = {}
        assigned: dict[str, list[ast.expr | None]] = {}
        for node in ast.walk(function):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    whole = isinstance(target, ast.Name)
                    for name in (
                        n for n in ast.walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
                    ):
                        assigned.setdefault(name.id, []).append(node.value if whole else None)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                assigned.setdefault(node.id, [])
        for node in ast.walk(function):
            if isinstance(node, (ast.For, ast.comprehension, ast.NamedExpr)):
                for name in (n for n in ast.walk(node.target) if isinstance(n, ast.Name)):
                    assigned.setdefault(name.id, []).append(None)
        self.kinds.update(inputs)
        for _ in range(len(assigned) + 1):
            before = dict(self.kinds)
            for name, values in assigned.items():
                kinds = {self.kind(value) if value is not None else "" for value in values}
                kinds |= {inputs[name]} if name in inputs else set()
                known = kinds and "" not in kinds
                self.kinds[name] = ("float" if kinds == {"float"} else "tensor") if known else ""
            if before == self.kinds:
                break

    def kind(self, node: ast.expr) -> Kind:
        if isinstance(node, ast.Name):
            return self.kinds.get(node.id, "")
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
            return self.kind(node.operand)
        if isinstance(node, ast.BinOp):
            sides = (self.kind(node.left), self.kind(node.right))
            return "float" if "float" in sides else "tensor" if "tensor" in sides else ""
        if isinstance(node, ast.Call):
            return self.call_kind(node)
        return ""

    def call_kind(self, call: ast.Call) -> Kind:
        name = last_name(call.func)
        if name not in TENSOR_CALLS or not isinstance(call.func, ast.Attribute):
            return ""
        function = dotted(call.func.value) in FUNCTION_ROOTS
        operand = (call.args[0] if call.args else None) if function else call.func.value
        if name in FLOAT_CALLS:
            return "float" if function or self.kind(call.func.value) or name == "float" else ""
        if operand is None or isinstance(operand, (ast.List, ast.Tuple)):
            return "tensor" if function else ""
        inner = self.kind(operand)
        if any(k.arg == "dtype" for k in call.keywords):
            return "tensor" if inner or function else ""
        return inner if name in KEEPING and inner else ("tensor" if function else inner and "tensor")


def literal_inputs(code: Source) -> dict[str, ast.Call]:
    """Forward's parameters whose input is a plain `torch.randn(…)` or `torch.rand(…)` with literal sizes."""
    forward, inputs = code.method("Model", "forward"), code.function_named("get_inputs")
    if forward is None or inputs is None or forward.args.vararg:
        return {}
    returns = [n.value for n in ast.walk(inputs) if isinstance(n, ast.Return)]
    if len(returns) != 1 or not isinstance(returns[0], (ast.List, ast.Tuple)):
        return {}
    assigned: dict[str, list[ast.expr]] = {}
    for node in ast.walk(inputs):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            assigned.setdefault(node.targets[0].id, []).append(node.value)
    found: dict[str, ast.Call] = {}
    for parameter, element in zip(forward.args.args[1:], returns[0].elts, strict=False):
        if isinstance(element, ast.Name) and len(assigned.get(element.id, [])) == 1:
            element = assigned[element.id][0]
        if isinstance(element, ast.Call) and plain_random(element):
            found[parameter.arg] = element
    return found


def plain_random(call: ast.Call) -> bool:
    """`torch.randn(2, 3)` in the default dtype, with literal sizes."""
    sizes = bool(call.args) and not isinstance(call.args[0], (ast.Tuple, ast.List))
    return (
        sizes
        and dotted(call.func) in ("torch.randn", "torch.rand")
        and not any(k.arg == "dtype" for k in call.keywords)
    )
