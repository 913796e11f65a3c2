import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, frame, background):
        diff = frame - background
        size = diff.abs()
        gray = size.sum(dim=1, keepdim=True)
        noise = gray % 3
        clean = gray - noise
        dark = clean < 8
        clean = clean.masked_fill(dark, 0)
        summary = torch.nn.functional.adaptive_max_pool2d(clean, output_size=(3, None))
        rows = summary.sum(dim=-1)
        low = rows.amin(dim=-1)
        span = rows.amax(dim=-1) - low
        return span.float().sqrt(), summary


def get_inputs():
    return [
        torch.arange(90, dtype=torch.int32).reshape(1, 3, 6, 5) % 17,
        torch.full((1, 3, 6, 5), 4, dtype=torch.int32),
    ]
