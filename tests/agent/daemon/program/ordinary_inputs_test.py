"""The text that makes a program's inputs ordinary, on inputs of every kind."""

import math
import pathlib
import sys
import unittest

try:
    import torch
except ImportError:
    print("SKIPPED: no torch here")
    sys.exit(0)

CODE: dict = {}
exec(compile(pathlib.Path(sys.argv.pop(1)).read_text(), "ordinary_inputs.py", "exec"), CODE)


def ordinary(make, seed=1):
    return CODE["_parityd_ordinary"](make, seed)


class OrdinaryInputs(unittest.TestCase):
    def made(self, *inputs, seed=1):
        return ordinary(lambda: list(inputs), seed)()

    def test_values_are_replaced_and_finite(self):
        for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.complex64, torch.float8_e5m2):
            own = torch.tensor([float("nan"), float("inf"), 1.5, -3.0]).to(dtype)
            (made,) = self.made(own.clone())
            self.assertEqual((made.dtype, made.shape), (dtype, own.shape))
            wide = torch.view_as_real(made) if made.is_complex() else made.double()
            self.assertTrue(torch.isfinite(wide).all(), dtype)
            self.assertLess(wide.abs().max().item(), 10)

    def test_seeds_differ_and_repeat(self):
        draws = [self.made(torch.full((20,), -1.0), seed=seed)[0] for seed in (1, 1, 2)]
        self.assertTrue(torch.equal(draws[0], draws[1]))
        self.assertFalse(torch.equal(draws[0], draws[2]))

    def test_the_programs_random_numbers_are_kept(self):
        torch.manual_seed(3)
        expected = torch.rand(3)
        torch.manual_seed(3)
        self.made(torch.ones(5))
        self.assertTrue(torch.equal(torch.rand(3), expected))

    def test_layout_sharing_and_flags_are_kept(self):
        base = torch.arange(24.0) - 5
        strided, expanded = base.reshape(4, 6).t(), base[:1].expand(7)
        leaf = torch.zeros(3, requires_grad=True)
        made = self.made(base, strided, expanded, leaf)
        self.assertEqual(made[1].stride(), (1, 6))
        self.assertEqual(made[2].stride(), (0,))
        self.assertEqual(made[0].data_ptr(), made[1].data_ptr())
        self.assertEqual(made[2][0].item(), made[0][0].item())
        self.assertTrue(made[3].requires_grad and made[3].is_leaf)
        self.assertEqual(self.made(torch.empty(0, 4))[0].shape, (0, 4))

    def test_domains_and_order_are_kept(self):
        weights, probabilities, boundaries = self.made(
            torch.tensor([0.0, 3.0, 7.0]), torch.tensor([0.1, 0.9, 0.2]), torch.tensor([-4.0, 0.0, 5.0])
        )
        self.assertTrue((weights >= 0).all())
        self.assertTrue(((probabilities >= 0) & (probabilities <= 1)).all())
        self.assertTrue((boundaries[1:] >= boundaries[:-1]).all())

    def test_small_integers_and_bools_are_kept_and_large_integers_replaced(self):
        index, large, flags = torch.tensor([0, 7, 999]), torch.tensor([2**62, -(2**40), 3]), torch.tensor([True, False])
        made = self.made(index.clone(), large.clone(), flags.clone())
        self.assertTrue(torch.equal(made[0], index))
        self.assertTrue(torch.equal(made[2], flags))
        self.assertLessEqual(made[1].abs().max().item(), 8)
        self.assertEqual(made[1][2].item(), 3)
        bytes_ = torch.tensor([0, 255], dtype=torch.uint8)
        self.assertTrue(torch.equal(self.made(bytes_.clone())[0], bytes_))

    def test_numbers_and_structures_are_replaced(self):
        made = ordinary(lambda: {"x": [torch.ones(2), (float("inf"), 0.5, 7, "word", None)]})()
        self.assertTrue(math.isfinite(made["x"][1][0]))
        self.assertEqual(made["x"][1][1:], (0.5, 7, "word", None))

    def test_a_scale_is_passed_on(self):
        import inspect

        make = ordinary(lambda scale=1: [torch.ones(scale)])
        self.assertIn("scale", inspect.signature(make).parameters)
        self.assertEqual(make(scale=4)[0].shape, (4,))


if __name__ == "__main__":
    unittest.main()
