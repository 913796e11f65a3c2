"""What a program takes and leaves is opened down to tensors and plain values, alike in every process."""

import collections
import dataclasses
import functools
import itertools
import pathlib
import sys
import threading
import types
import unittest
from typing import Any, NamedTuple

import torch
from torch.testing._internal.two_tensor import TwoTensor

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "executor" / "worker"))
from worker_path import FOLDERS

sys.path += FOLDERS
import leaves
from left_behind import LeftBehind
from program import Arguments


@dataclasses.dataclass(slots=True)
class Pair:
    one: int
    other: Any


class Named(NamedTuple):
    first: Any
    second: int


class Slotted:
    __slots__ = ("_Slotted__hidden", "shown")

    def __init__(self, value):
        self.shown = value


class Cached:
    @functools.cached_property
    def length(self):
        return 3


class Wrapper(torch.Tensor):
    """Holds its elements as an attribute, or where only it knows."""

    held: dict = {}

    @staticmethod
    def __new__(cls, elements, shows):
        made = torch.Tensor._make_wrapper_subclass(cls, elements.shape, dtype=elements.dtype)
        cls.held[id(made)] = elements
        if shows:
            made.elements = elements
        return made

    @classmethod
    def __torch_dispatch__(cls, function, kinds, args=(), kwargs=None):
        def plain(value):
            return cls.held[id(value)] if isinstance(value, cls) else value

        return function(*torch.utils._pytree.tree_map(plain, args), **(kwargs or {}))


def opened(value):
    return {leaf.path.removeprefix("value"): leaf for leaf in leaves.flatten(value, "value")}


class Leaves(unittest.TestCase):
    def assert_opens(self, value, *paths):
        found = opened(value)
        self.assertEqual([path for path in found if path], list(paths))
        self.assertEqual([leaf.path for leaf in found.values() if leaf.closed is not None], [])
        return found

    def test_containers_and_objects(self):
        x = torch.ones(2)
        self.assert_opens(collections.deque([x, 1], maxlen=3), "[0]", "[1]")
        self.assert_opens(types.SimpleNamespace(a=x, b=Pair(1, x)), ".a", ".b", ".b.one", ".b.other")
        self.assert_opens(Named(x, 2), ".first", ".second")
        self.assert_opens(Slotted(x), ".shown")
        self.assert_opens({(1, "a"): x, None: 2.5}, "[(1, 'a')]", "[None]")
        self.assert_opens({x: 1}, ".keys()[0]", ".values()[0]")
        self.assert_opens(torch.distributions.Independent(torch.distributions.Normal(x, x), 1), ".base_dist",
                          ".base_dist.loc", ".base_dist.scale", ".base_dist._batch_shape", ".base_dist._event_shape",
                          ".reinterpreted_batch_ndims", "._batch_shape", "._event_shape")  # fmt: skip
        self.assert_opens(itertools.count(3), ".arguments", ".arguments[0]")
        self.assert_opens(functools.partial(torch.add, x), ".func", ".args", ".args[0]", ".keywords")

    def test_sets_have_one_order(self):
        numbers = [leaf.tensor.item() for leaf in opened({2.5, 0.5, 1.5}).values() if leaf.made]
        self.assertEqual(numbers, [0.5, 1.5, 2.5])
        self.assertEqual(opened({"b", "a", 1})[""].value, "{'a', 'b', 1}")
        tensors = {torch.tensor([3.0, 1.0]), torch.tensor([1.0, 9.0]), torch.tensor([1.0, 2.0])}
        ordered = [leaf.tensor.tolist() for leaf in opened(tensors).values() if leaf.of_program]
        self.assertEqual(ordered, [[1.0, 2.0], [1.0, 9.0], [3.0, 1.0]])

    def test_arrays(self):
        numpy = self.numpy()
        self.assertEqual(opened(numpy.arange(3)[::-1])[""].tensor.tolist(), [2, 1, 0])
        self.assertEqual(opened(numpy.float32(1.5))[""].type_name, "float32")
        self.assert_opens(numpy.array([("a", 1)], dtype=[("s", "U1"), ("n", "i4")]), "['s']", "['s'].tolist()",
                          "['s'].tolist()[0]", "['n']")  # fmt: skip

    def numpy(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("SKIPPED: no numpy")
        return numpy

    def test_tensors_without_a_storage(self):
        x = torch.tensor([1.0, 2.0])
        self.assert_opens(TwoTensor(x, x), ".a", ".b", ".context")
        self.assert_opens(Wrapper(x, shows=True), ".elements")
        self.assertEqual(opened(Wrapper(x, shows=False))[".elements"].tensor.tolist(), [1.0, 2.0])
        self.assert_opens(torch.nested.nested_tensor([x, x]), "[0]", "[1]")
        self.assert_opens(torch.nested.nested_tensor([x, x], layout=torch.jagged), ".values()", ".offsets()")
        whole = TwoTensor(x, x)
        self.assertEqual([tensor is whole for _, tensor in leaves.tensors_in([whole, 2.0], "input")], [True])

    def test_long_texts_are_compared_by_their_ends(self):
        one, other = (opened("x" * 1000 + end)[""].value for end in "ab")
        self.assertNotEqual(one, other)
        self.assertLessEqual(len(one), 200)

    def test_bounds(self):
        within = [1]
        within.append(within)
        self.assert_opens(within, "[0]", "[1]")
        deep = []
        for _ in range(50):
            deep = [deep]
        self.assertTrue(any(leaf.closed is not None for leaf in leaves.flatten(deep, "value")))
        self.assertLess(len(list(leaves.flatten(list(range(50_000)), "value"))), 20_000)

    def test_objects_that_cannot_be_inspected(self):
        for value in (threading.Lock(), (part for part in "ab"), open(__file__, encoding="utf-8")):  # noqa: SIM115
            (leaf,) = leaves.flatten(value, "value")
            self.assertIsNotNone(leaf.closed)
            self.assertIn(type(value).__name__, leaf.type_name)

    def test_caches_are_left_out(self):
        cached = Cached()
        before = opened(cached)
        self.assertEqual(cached.length, 3)
        self.assertEqual(list(before), list(opened(cached)))


class State(unittest.TestCase):
    def left(self, model, forward, **names):
        program = types.ModuleType("parityd_program")
        vars(program).update(names)
        arguments = Arguments([], {})
        left = LeftBehind(program, " ".join(names), model, [arguments])
        outputs = forward()
        return {leaf.path: leaf for _, flat in left.all(outputs, arguments, [], None) for leaf in flat}

    def test_globals_and_attributes(self):
        model = torch.nn.Sequential(torch.nn.Linear(2, 2))
        seen = {"n": 0}
        model[0].lock = threading.Lock()

        def forward():
            seen["n"] += 1
            model[0].count = 3
            return model[0].lock

        found = self.left(model, forward, SEEN=seen)
        self.assertEqual(found["global.SEEN['n']"].value, "1")
        self.assertEqual(found["state.0.count"].value, "3")
        self.assertNotIn("state.0.in_features", found)
        self.assertEqual((found["output"].value, found["output"].closed), ("state.0.lock", None))

    def test_new_objects_that_cannot_be_inspected(self):
        model = torch.nn.Module()
        found = self.left(model, lambda: setattr(model, "lock", threading.Lock()))
        self.assertIsNotNone(found["state.lock"].closed)

    def test_gradients_left_by_forward(self):
        model = torch.nn.Linear(2, 1)
        found = self.left(model, lambda: model(torch.ones(2)).backward())
        self.assertEqual(found["gradient.weight"].tensor.tolist(), [[1.0, 1.0]])


if __name__ == "__main__":
    unittest.main()
