"""What the partitioner saves for backward. An input that forward writes in place is saved unchanged, and the write
comes at the end of forward: backward then reads the new value where it needs the old one."""

from typing import Any

import torch

WRITTEN_INPUTS = "written_inputs"
NOTHING_RECOMPUTED = "nothing_recomputed"


def save_copies(forward: torch.fx.GraphModule, outputs: int) -> None:
    """Saves inputs that forward writes as copies made before the write. The first `outputs` of forward's results are
    its own, the rest are saved values."""
    (end,) = forward.graph.find_nodes(op="output")
    returned = list(end.args[0])
    for place in range(outputs, len(returned)):
        if _is_written(returned[place]):
            returned[place] = _copy_of(forward.graph, returned[place])
    end.args = (tuple(returned),)
    forward.recompile()


def _is_written(node: Any) -> bool:
    if not isinstance(node, torch.fx.Node) or node.op != "placeholder":
        return False
    return any(user.target is torch.ops.aten.copy_.default and user.args[0] is node for user in node.users)


def _copy_of(graph: torch.fx.Graph, node: torch.fx.Node) -> torch.fx.Node:
    last = graph.find_nodes(op="placeholder")[-1]
    with graph.inserting_after(last):
        copy = graph.call_function(torch.ops.aten.clone.default, (node,))
    copy.meta.update(node.meta)
    return copy
