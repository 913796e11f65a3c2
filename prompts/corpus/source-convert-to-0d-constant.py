"""_convert_to_0d_constant: a scale or zero point that is a slice (a GenericView, not at offset 0) of a larger
tensor is made contiguous and viewed as 0-d only after realize() of the view's base, so the qlinear of
compiled code may read the first element of the base instead of the sliced one."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        g = torch.Generator().manual_seed(0)
        self.register_buffer("qw", torch.randint(-100, 100, (32, 16), generator=g).to(torch.int8))
        self.register_buffer("w_scale", torch.rand(32, generator=g) * 0.01 + 0.01)
        self.register_buffer("w_zp", torch.zeros(32, dtype=torch.int32))

    def forward(self, qx, scales, zps):
        packed = torch.ops.onednn.qlinear_prepack(self.qw, None)
        return torch.ops.onednn.qlinear_pointwise.tensor(
            qx,
            scales[2:3],
            zps[1:2],
            packed,
            self.w_scale,
            self.w_zp,
            None,
            1.0,
            0,
            torch.float32,
            "none",
            [],
            "",
        )


def get_inputs():
    qx = torch.randint(0, 200, (8, 16)).to(torch.uint8)
    scales = torch.tensor([0.5, 0.25, 0.0625, 2.0])
    zps = torch.tensor([3, 17, 40], dtype=torch.int32)
    return [qx, scales, zps]


OPTIONS = {"backward": True}
