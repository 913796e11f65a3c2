"""An error raised and caught inside forward, with a way out."""

import torch


class Model(torch.nn.Module):
    def forward(self, x, y):
        log = []
        try:
            z = x @ y
            log.append("product")
        except RuntimeError:
            z = x[:, : y.shape[0]] @ y
            log.append("cropped")
        finally:
            log.append("done")
        return z * len(log), {"steps": z.new_tensor(len(log))}


def get_inputs():
    return [torch.randn(3, 4), torch.randn(4, 2)]
