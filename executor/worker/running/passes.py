"""What Inductor makes of a program before it generates code: Dynamo, AOTAutograd, decompositions, and the pre-grad,
joint-graph and post-grad passes are Inductor's own; the graphs that come out of them are run by eager kernels.

The order is that of `codegen_and_compile` in torch/_inductor/compile_fx.py, up to where it lowers the graph. A torch
that lacks a part of it raises here: then no trial of a reduction ends early."""

from collections.abc import Callable, Sequence
from typing import Any

import torch


def backend(graph: torch.fx.GraphModule, example_inputs: Sequence[Any], **settings: Any) -> Callable[..., Any]:
    from torch._inductor.compile_fx import compile_fx

    return compile_fx(graph, example_inputs, inner_compile=_interpreted, **settings)


def _interpreted(graph: torch.fx.GraphModule, example_inputs: Sequence[Any], **settings: Any) -> Callable[..., Any]:
    from torch._dynamo.utils import preserve_rng_state
    from torch._inductor import compile_fx
    from torch._inductor.virtualized import V

    with preserve_rng_state():
        compile_fx.view_to_reshape(graph)
        with torch.no_grad():
            fake_mode = compile_fx.fake_tensor_prop(graph, example_inputs)
        compile_fx._recursive_record_original_output_strides(graph)
        with V.set_fake_mode(fake_mode):
            compile_fx._recursive_post_grad_passes(graph, is_inference=settings.get("is_inference", False))
    return _run_by_eager_kernels(graph)


def _run_by_eager_kernels(graph: torch.fx.GraphModule) -> Callable[..., Any]:
    lowered = sorted(
        {str(node.target) for node in graph.graph.nodes if hasattr(node.target, "_inductor_lowering_function")}
    )
    if lowered:
        raise NotImplementedError(f"only code generation knows {', '.join(lowered)}")

    def run(inputs: list[Any]) -> Any:
        arguments = list(inputs)
        inputs.clear()  # as compiled code does: what it was given may go before it ends
        with torch.no_grad():
            return torch.fx.Interpreter(graph).run(*arguments)

    run._boxed_call = True  # type: ignore[attr-defined]
    return run
