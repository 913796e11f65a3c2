import sys
import textwrap
import unittest

import torch
from driver import FOLDERS

sys.path += FOLDERS
import errors

MODEL = """
import torch
from torch import ceil

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Conv2d(1, 1, 3)

    def helper(self, x):
        return torch.bucketize(x, x)

    def forward(self, x):
        y = x.sum()
        {line}
"""
# What the line does wrong to a bool tensor of two dimensions, and what was called there.
CASES = {
    "return (y, torch.ceil(x))": "ceil",
    "return [y.mean() if False else y, -x]": "neg",
    "return bool(torch.cumsum(x, 7))": "cumsum",
    "return ceil(x)": "ceil",
    "return x.to(torch.int32).reshape(7)": "reshape",
    "return torch.add(y, torch.mul(x, x.new_zeros(5, 9)))": "mul",
    "return x - x": "sub",
    "x += torch.zeros(5, 9)": "add",
    "x.add_(torch.zeros(5, 9))": "add",
    "return torch.ops.aten.cumsum.default(x, 7)": "cumsum",
    "return x < torch.zeros(5, 9)": "lt",
    "return x[7]": "getitem",
    "x[7] = 1": "setitem",
    "return self.first(x)": "conv2d",
    "return torch.nn.functional.interpolate(x.int()[None, None], (4, 4), mode='bilinear')": "upsample_bilinear2d",
    "return torch.nn.UpsamplingBilinear2d(size=(4, 4))(x.int()[None, None])": "upsample_bilinear2d",
    "return torch.nn.functional.interpolate(x, scale_factor=2, size=(1, 1))": "interpolate",
    "return torch.nn.BatchNorm1d(3)(x[0])": "BatchNorm1d",
    "return self.helper(x)": "bucketize",
    "return y if x else x": "bool",
    "return x.imag": "imag",
    "return torch.nn.functional.pad(x,\n            (1, 1, 1))": "pad",
}


@unittest.skipUnless(sys.version_info >= (3, 11), "SKIPPED: Python tells no positions before 3.11")
class RaisedAt(unittest.TestCase):
    def test_the_call_that_raised_is_named(self):
        for line, named in CASES.items():
            with self.subTest(line=line):
                self.assertEqual(self._told(line)["user_operator"], named)

    def _told(self, line):
        source = textwrap.dedent(MODEL).format(line=line)
        space = {}
        exec(compile(source, "program.py", "exec"), space)
        try:
            space["Model"]()(torch.ones(2, 3, dtype=torch.bool))
        except Exception as error:
            return errors.report(error, "program.py", source)
        self.fail("nothing was raised")


if __name__ == "__main__":
    unittest.main()
