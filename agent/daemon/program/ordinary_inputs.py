# ---- Appended by parityd: the same program with ordinary inputs.


def _parityd_ordinary(make, seed):
    """`make`, but its tensors keep only what is not a value: shape, layout, dtype, who shares memory with whom.

    Floating values become normal ones, as absolute values or in [0, 1] where the program's own are; integers stay as
    they are while small. What the program sorted stays sorted.
    """
    import functools
    import math

    import torch
    from torch.utils._pytree import tree_map

    most, whole = 1e6, 1000

    def real(own, generator):
        drawn = torch.randn(own.shape, generator=generator, dtype=torch.float64)
        finite = own[torch.isfinite(own)]
        if finite.numel() and bool((finite >= 0).all()):
            unit = bool((finite <= 1).all()) and bool((finite != finite.trunc()).any())
            drawn = torch.rand(own.shape, generator=generator, dtype=torch.float64) if unit else drawn.abs()
        ascending = own.numel() > 1 and bool((own[1:] >= own[:-1]).all()) and bool((own[1:] > own[:-1]).any())
        return drawn.sort().values if ascending else drawn

    def integral(own, generator):
        low, high = min(max(int(own.min()), -8), 1), max(min(int(own.max()), 8), -8)
        drawn = torch.randint(low, max(high, low) + 1, own.shape, generator=generator)
        return torch.where((own >= -whole) & (own <= whole), own, drawn)

    def values(own, generator):
        if own.dtype == torch.bool or own.numel() == 0:
            return own
        if own.is_complex():
            wide = torch.view_as_real(own.to(torch.complex128))
            return torch.view_as_complex(torch.stack([real(part, generator) for part in wide.unbind(-1)], -1))
        return real(own.double(), generator) if own.is_floating_point() else integral(own.long(), generator)

    def refill(tensor, generator, done):
        storage = tensor.untyped_storage()
        if storage.data_ptr() in done:
            return
        done.add(storage.data_ptr())
        flat = torch.empty(0, dtype=tensor.dtype).set_(storage)
        flat.copy_(values(flat.clone(), generator))

    def ordinary(value, generator, done):
        if isinstance(value, torch.Tensor):
            if value.layout == torch.strided and not value.is_quantized and value.device.type == "cpu":
                with torch.no_grad():
                    refill(value.detach(), generator, done)
        elif isinstance(value, float) and not (math.isfinite(value) and abs(value) <= most):
            return float(torch.randn((), generator=generator))
        return value

    @functools.wraps(make)
    def made(*positional, **named):
        generator = torch.Generator().manual_seed(seed)
        done = set()
        return tree_map(lambda value: ordinary(value, generator, done), make(*positional, **named))

    return made
