"""Which files of torch are read, and which part of the compiler each belongs to."""

from __future__ import annotations

import os

# Not part of the compiler: what users are promised, and how PyTorch tests its operators.
DOCUMENTATION, SAMPLES = "documentation", "samples"
# Never runs where there is no GPU.
GPU_CODE = "GPU code generation"

AREAS = (
    # The first prefix that matches a path counts.
    ("_inductor/lowering.py", "lowerings"),
    ("_inductor/mkldnn_lowerings.py", "lowerings"),
    ("_inductor/quantized_lowerings.py", "lowerings"),
    ("_inductor/jagged_lowerings.py", "lowerings"),
    ("_inductor/inductor_prims.py", "lowerings"),
    ("_inductor/decomposition.py", "decompositions"),
    ("_decomp/", "decompositions"),
    ("_refs/", "refs"),
    ("_prims/", "refs"),
    ("_meta_registrations.py", "meta functions"),
    ("_subclasses/fake_impls.py", "meta functions"),
    ("_inductor/fx_passes/", "graph passes"),
    ("_inductor/pattern_matcher.py", "graph passes"),
    ("_inductor/constant_folding.py", "graph passes"),
    ("_inductor/freezing.py", "graph passes"),
    ("_inductor/fx_utils.py", "graph passes"),
    ("_inductor/codegen/cpp_gemm_template.py", "kernel templates"),
    ("_inductor/codegen/cpp_bmm_template.py", "kernel templates"),
    ("_inductor/codegen/cpp_grouped_gemm_template.py", "kernel templates"),
    ("_inductor/codegen/cpp_flex_attention_template.py", "kernel templates"),
    ("_inductor/codegen/cpp_micro_gemm.py", "kernel templates"),
    ("_inductor/codegen/cpp_template", "kernel templates"),
    ("_inductor/codegen/simd", GPU_CODE),
    ("_inductor/codegen/triton", GPU_CODE),
    ("_inductor/codegen/cuda", GPU_CODE),
    ("_inductor/codegen/cpp_wrapper_gpu.py", GPU_CODE),
    ("_inductor/codegen/multi_kernel.py", GPU_CODE),
    ("_inductor/tiling_utils.py", GPU_CODE),
    ("_inductor/codegen/", "code generation"),
    ("_inductor/ops_handler.py", "code generation"),
    ("_inductor/dtype_propagation.py", "code generation"),
    ("_inductor/bounds.py", "code generation"),
    ("_inductor/optimize_indexing.py", "code generation"),
    ("_inductor/index_propagation.py", "code generation"),
    ("_inductor/scheduler.py", "scheduler"),
    ("_inductor/dependencies.py", "scheduler"),
    ("_inductor/memory.py", "scheduler"),
    ("_inductor/ir.py", "IR"),
    ("_inductor/mkldnn_ir.py", "IR"),
    ("_inductor/loop_body.py", "IR"),
    ("_inductor/graph.py", "IR"),
    ("_inductor/subgraph_lowering.py", "IR"),
    ("_inductor/kernel/", "kernel templates"),
    ("_inductor/select_algorithm.py", "kernel templates"),
    ("_functorch/_aot_autograd/functional_utils.py", "functionalisation"),
    ("_subclasses/functional_tensor.py", "functionalisation"),
    ("_functorch/_aot_autograd/", "AOTAutograd"),
    ("_functorch/aot_autograd.py", "AOTAutograd"),
    ("_functorch/partitioners.py", "partitioner"),
    ("_dynamo/variables/", "Dynamo variables"),
    ("_dynamo/polyfills/", "Dynamo variables"),
    ("_dynamo/symbolic_convert.py", "Dynamo variables"),
    ("_dynamo/side_effects.py", "Dynamo variables"),
    ("fx/experimental/symbolic_shapes.py", "symbolic shapes"),
    ("fx/experimental/sym_node.py", "symbolic shapes"),
    ("utils/_sympy/", "symbolic shapes"),
    ("_inductor/sizevars.py", "symbolic shapes"),
    ("_higher_order_ops/", "higher-order operators"),
    ("_inductor/utils.py", "helpers"),
    ("_prims_common/", "helpers"),
    ("_torch_docs.py", DOCUMENTATION),
    ("_tensor_docs.py", DOCUMENTATION),
    ("functional.py", DOCUMENTATION),
    ("nn/functional.py", DOCUMENTATION),
    ("special/__init__.py", DOCUMENTATION),
    ("linalg/__init__.py", DOCUMENTATION),
    ("fft/__init__.py", DOCUMENTATION),
    ("testing/_internal/common_methods_invocations.py", SAMPLES),
    ("testing/_internal/opinfo/definitions/", SAMPLES),
)

# None of these can make one program differ on one device: generated and vendored files, back ends that none of our
# groups runs, code for several devices, estimates of time and memory, logs and caches.
LEFT_OUT = (
    "_functorch/_aot_autograd/autograd_cache.py",
    "_functorch/_aot_autograd/logging_utils.py",
    "_higher_order_ops/executorch_call_delegate.py",
    "_inductor/codegen/aoti_hipify_utils.py",
    "_inductor/codegen/cpp_wrapper_mps.py",
    "_inductor/codegen/cutedsl/",
    "_inductor/codegen/cutlass/",
    "_inductor/codegen/debug_utils.py",
    "_inductor/codegen/halide",
    "_inductor/codegen/metal",
    "_inductor/codegen/mps",
    "_inductor/codegen/mtia/",
    "_inductor/codegen/nv_universal_gemm/",
    "_inductor/codegen/pallas",
    "_inductor/codegen/python_wrapper_mtia.py",
    "_inductor/codegen/rocm/",
    "_inductor/codegen/xpu/",
    "_inductor/fx_passes/bucketing.py",
    "_inductor/fx_passes/ddp_fusion.py",
    "_inductor/fx_passes/decomp_comms.py",
    "_inductor/fx_passes/fsdp.py",
    "_inductor/fx_passes/low_contention_collectives.py",
    "_inductor/fx_passes/memory_estimator.py",
    "_inductor/fx_passes/micro_pipeline_tp.py",
    "_inductor/fx_passes/node_runtime_estimation.py",
    "_inductor/fx_passes/overlap_",
    "_inductor/fx_passes/profile_guided_estimation.py",
    "_inductor/fx_passes/serialized_patterns/",
    "_inductor/fx_passes/spmd_check.py",
    "_inductor/kernel/flex/flex_mps.py",
    "_inductor/kernel/vendored_templates/",
    "testing/_internal/opinfo/definitions/__init__.py",
    "testing/_internal/opinfo/definitions/nested.py",
    "testing/_internal/opinfo/definitions/sparse.py",
)


def area_of(file: str) -> str:
    """Empty: the file is not read."""
    if not file.endswith(".py") or file.startswith(LEFT_OUT):
        return ""
    return next((area for start, area in AREAS if file.startswith(start)), "")


def files_in(folder: str) -> list[str]:
    """The files of a torch that are read, relative to its folder, sorted."""
    found = set()
    for start, _ in AREAS:
        if start.endswith(".py"):
            found.add(start)
            continue
        for at, _, names in os.walk(os.path.join(folder, os.path.dirname(start))):
            found.update(os.path.relpath(os.path.join(at, name), folder) for name in names)
    return sorted(file for file in found if area_of(file) and os.path.isfile(os.path.join(folder, file)))
