"""What must hold of random numbers of the compiler's own: functions stand in for compiled ones, each with a fault."""

import contextlib
import sys
import unittest

import torch
from driver import FOLDERS

sys.path += FOLDERS
import draws
from program import Arguments


def subject(forward, differentiates=False, dtype=torch.float32):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.full((16,), 1.5, dtype=dtype))
            self.register_buffer("calls", torch.zeros(()))

        def forward(self, x):
            self.calls += 1
            return forward(x * self.weight)

    def inputs():
        x = torch.linspace(-1, 1, 16 * 16, dtype=dtype).reshape(16, 16)
        return [Arguments([x.requires_grad_(differentiates)], {})]

    def call(function, calls):
        return function(*calls[-1].positional)

    return draws.Rerun(Model(), inputs, call, differentiates, contextlib.nullcontext)


def standing_in(model, compiled):
    def function(x):
        model.calls += 1
        return compiled(x * model.weight)

    return function


def failed(eager, compiled, differentiates=False):
    """Paths of the numbers that differ."""
    found = {}
    for side, forward in (("eager", None), ("compiled", compiled)):
        one = subject(eager, differentiates)
        model = one.model
        function = model if forward is None else standing_in(model, compiled)
        groups = draws.Draws(one, 0).of(function, forward is not None)
        found[side] = {leaf.path: float(leaf.tensor.sum()) for _, flat in groups for leaf in flat}
    return sorted(path for path, value in found["eager"].items() if found["compiled"][path] != value)


def otherwise(draw):
    """Other numbers of the same distribution, as a compiler draws them."""

    def drawn(x):
        torch.rand(7)
        return draw(x)

    return drawn


def dropout(x, part=0.3):
    return torch.nn.functional.dropout(x, part)


class Draws(unittest.TestCase):
    def test_other_numbers_of_the_same_distribution_are_no_difference(self):
        for draw in (
            dropout,
            torch.rand_like,
            torch.randn_like,
            torch.bernoulli,
            lambda x: torch.randint(0, 7, (33,)),
            lambda x: (torch.rand(5), torch.randn(3, dtype=torch.complex64), torch.rand(0)),
            lambda x: torch.rand(20)[torch.rand(20) > 0.5],
            lambda x: x * 2,
        ):
            given = (lambda x, draw=draw: draw(x.detach().abs() / 2)) if draw is torch.bernoulli else draw
            self.assertEqual(failed(given, otherwise(given)), [])

    def test_another_distribution_is_a_difference(self):
        for eager, compiled, paths in (
            (dropout, lambda x: dropout(x, 0.4), ["drawn.output.std"]),
            (torch.rand_like, lambda x: torch.rand_like(x) * 1.1, ["drawn.output.max", "drawn.output.mean"]),
            (torch.randn_like, lambda x: torch.randn_like(x) - 1, ["drawn.output.mean", "drawn.output.min"]),
            (lambda x: torch.randint(0, 7, (99,)), lambda x: torch.randint(0, 8, (99,)), ["drawn.output.max"]),
            (torch.randn_like, lambda x: torch.randn(16, 1).expand(16, 16) + 0, ["drawn.output.neighbours"]),
        ):
            found = failed(eager, compiled)
            self.assertLessEqual(set(paths), set(found), found)

    def test_narrower_bounds_give_finer_steps(self):
        found = failed(lambda x: torch.randint(0, 256, (999,)) / 256, lambda x: torch.rand(999))
        self.assertNotIn("drawn.output.min", found)

    def test_the_same_seed_gives_the_same_numbers(self):
        hidden = torch.Generator().manual_seed(1)
        found = failed(torch.rand_like, lambda x: torch.rand(x.shape, generator=hidden))
        self.assertEqual(found, ["drawn.output.repeat"])

    def test_two_draws_are_different(self):
        def frozen(x):
            state = torch.get_rng_state()
            drawn = torch.rand_like(x)
            torch.set_rng_state(state)
            return drawn

        self.assertEqual(failed(torch.rand_like, frozen), ["drawn.output.alike"])
        self.assertEqual(failed(lambda x: x + 1, lambda x: x + 1), [])

    def test_few_values_can_be_equal_by_chance(self):
        def draw(x):
            return torch.bernoulli(torch.full((3,), 0.95))

        self.assertEqual(failed(draw, otherwise(draw)), [])

    def test_the_kind_of_value_counts_whatever_was_drawn(self):
        groups = draws.Draws(subject(torch.rand_like), 0).of(lambda x: torch.rand_like(x).double(), True)
        output = next(leaf for _, flat in groups for leaf in flat if leaf.path == "output")
        self.assertEqual(output.tensor.dtype, torch.float64)

    def test_an_error_that_depends_on_random_numbers_is_no_difference(self):
        def picky(x, least):
            drawn = torch.rand_like(x)
            if drawn.flatten()[0] < least:
                raise ValueError("too small")
            return drawn

        self.assertEqual(failed(torch.rand_like, otherwise(lambda x: picky(x, 0.2))), [])
        with self.assertRaises(ValueError):
            failed(torch.rand_like, lambda x: picky(x, 2))

    def test_every_run_begins_with_the_same_state(self):
        one = subject(torch.rand_like)
        for _ in range(3):
            self.assertEqual(float(one.draw(one.model, 1)["buffer.calls"]), 1.0)


class Derivative(unittest.TestCase):
    def missed(self, eager, compiled):
        one = subject(eager, True, torch.float64)
        weight = one.model.weight
        return draws.derivative(one, lambda x: compiled(x * weight), 0)

    def test_gradients_match_what_forward_returned(self):
        def smooth(x):
            return dropout(x.sin()) + torch.randn_like(x) * x

        self.assertEqual(self.missed(smooth, otherwise(smooth)), 0.0)

    def test_another_mask_in_backward_is_a_difference(self):
        class Redrawn(torch.autograd.Function):
            @staticmethod
            def forward(x):
                return dropout(x)

            @staticmethod
            def setup_context(ctx, inputs, output):
                pass

            @staticmethod
            def backward(ctx, gradient):
                return dropout(gradient)

        self.assertGreater(self.missed(dropout, Redrawn.apply), draws.LEAST_MISMATCH)

    def test_there_is_no_answer_where_eager_has_no_slope(self):
        self.assertEqual(self.missed(torch.round, lambda x: x.round() + x), 0.0)


class Rank(unittest.TestCase):
    def test_is_corrected_for_ties(self):
        one, other = torch.tensor([1.0, 2, 2, 5]), torch.tensor([2.0, 3, 6, 7])
        self.assertAlmostEqual(draws.rank_distance(one, other), 1.4790, places=3)

    def test_identical_samples_have_rank_zero(self):
        self.assertEqual(draws.rank_distance(torch.ones(4), torch.ones(4)), 0.0)


if __name__ == "__main__":
    unittest.main()
