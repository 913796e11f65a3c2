"""What a piece of the compiler's source looks at before it acts, told in our own words.

The source is parsed, never quoted: each test it holds is recognised by the names it reads and becomes one of the
sentences below, which say at once what to vary.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from typing import Any


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# A name that the source reads, and what reading it looks at. Order is the order in which they are told.
LOOKS_AT: dict[str, tuple[str, ...]] = {
    "the dtype of its operands": words(
        "dtype is_floating_point is_complex is_integer_dtype is_float_dtype is_boolean_dtype get_dtype itemsize "
        "element_type same_dtype torch_dtype"
    ),
    "whether an intermediate has other users": words("users _users num_users has_multiple_users"),
    "the rank": words("ndim dim ndimension"),
    "sizes being equal, one, or divisible": words(
        "shape size get_size sizes numel get_numel statically_known_equals same_shape sym_sizes"
    ),
    "whether sizes are known when it compiles": words(
        "statically_known_true statically_known_leq statically_known_lt statically_known_geq "
        "statically_known_multiple_of "
        "guard_or_false guard_or_true is_dynamic free_symbols SymInt size_hint size_hints guard_equals "
        "has_free_symbols guard_int evaluate_static_shape evaluate_static_shapes optimization_hint"
    ),
    "strides and memory layout": words(
        "stride get_stride is_contiguous memory_format is_channels_last_contiguous layout get_layout channels_last "
        "storage_offset is_storage_and_layout FlexibleLayout FixedLayout same_meta contiguous_format"
    ),
    "the device": words("device get_device get_device_type is_cpu is_gpu device_type is_cuda cpu cuda"),
    "aliasing, views and in-place writes": words(
        "mutation_region_id is_mutation_op same_mutation_regions get_storage any_is_mutated untyped_storage "
        "get_node_storage is_view _is_view inplaceable mutated_inputs data_ptr"
    ),
    "an argument being a constant or a scalar": words(
        "Number Constant is_scalar constant_value ConstantArgument item fill_value value alpha beta"
    ),
    "requires_grad or training mode": words("requires_grad training is_inference is_grad_enabled"),
    "random state": words("rng seed generator Generator fallback_random"),
    "the number of elements or bytes, against a limit": words(
        "get_numel numel_hint size_bytes nbytes threshold unroll_reductions_threshold max_pointwise_cat_inputs "
        "realize_reads_threshold"
    ),
    "indices and their bounds": words("indirect_indexing index_select indices check_bounds bounds"),
}

# What to do about each: one case the guard takes, one it must refuse.
VARY: dict[str, str] = {
    "the dtype of its operands": "one branch in float32, one in a neighbouring dtype (half, float64, integer, bool), "
    "one that mixes two",
    "whether an intermediate has other users": "the intermediate used once, and used once more by an output or a write",
    "the rank": "operands of the expected rank, and of one less or more by a dimension of size one",
    "sizes being equal, one, or divisible": "sizes that fit exactly, sizes that broadcast, and sizes off by one",
    "whether sizes are known when it compiles": "static sizes, and the same with sizes that come from shapes",
    "strides and memory layout": "contiguous operands, and transposed, sliced, expanded or channels_last ones",
    "the device": "operands made from the inputs, and scalars or zero-dimensional tensors made on the side",
    "aliasing, views and in-place writes": "no write nearby, and a write through a view between the matched operators",
    "an argument being a constant or a scalar": "the neutral constant, another one, a number as a tensor, a "
    "default left out",
    "requires_grad or training mode": "inputs with and without a gradient",
    "random state": "the same with and without a random operator before it",
    "the number of elements or bytes, against a limit": "very few and very many elements",
    "indices and their bounds": "indices in order, repeated, negative, and at both ends",
}


def source_tree(function: Callable[..., Any]) -> ast.AST | None:
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function))))
    except (OSError, TypeError, SyntaxError, ValueError):
        return None


def names_read(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Name):
            yield node.id


def looked_at(*functions: Callable[..., Any] | None) -> list[str]:
    """What these functions look at, in the order of LOOKS_AT."""
    read: set[str] = set()
    for function in functions:
        tree = source_tree(function) if function is not None else None
        read |= set(names_read(tree)) if tree is not None else set()
    return [told for told, names in LOOKS_AT.items() if read & set(names)]


def switches(*functions: Callable[..., Any] | None) -> list[str]:
    """Settings of Inductor that these functions ask, as `config.NAME` is written."""
    found: set[str] = set()
    for function in functions:
        tree = source_tree(function) if function is not None else None
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.Attribute) and isinstance(node.value, (ast.Name, ast.Attribute)):
                path = ast.unparse(node)
                found |= {path.split("config.", 1)[1]} if "config." in path else set()
    return sorted(found)


def vary(looks: list[str], most: int = 3) -> str:
    return "; ".join(VARY[told] for told in looks[:most])
