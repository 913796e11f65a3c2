"""What the worker notes of a program's names while it runs eager."""

import json
import sys
import unittest

from driver import Worker, program

SOURCE = program("""
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(3, 2)

        def forward(self, x, flag):
            n = x.shape[0]
            y = (x
                 + 1)
            z = self.linear(y).t()
            for turn in range(2):
                z = z.cumsum(1)
                part = z[turn:]
            mask = z > 100
            x.add_(50)
            return self.ended(z * n, mask)

        def ended(self, product, mask):
            if mask is None:
                raise ValueError("none")
            return product.to(torch.int32)


    def get_inputs():
        return [torch.randn(4, 3), True]
""")


def line_of(text: str) -> int:
    return next(number for number, line in enumerate(SOURCE.splitlines(), 1) if text in line)


class Values(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.worker = Worker()
        cls.addClassCleanup(cls.worker.__exit__)

    def values(self, source: str = SOURCE, **fields: object) -> dict[tuple[int, str], dict[str, object]]:
        answer = self.worker.run(source, "eager", "inductor", values=True, **fields)
        self.assertEqual(answer["tainted"], "")
        return {(row["line"], row["name"]): row for row in json.loads(answer["values"])}

    def test_tensors_with_layout_and_range_and_plain_values(self) -> None:
        found = self.values()
        z = found[line_of("z = self.linear"), "z"]
        self.assertEqual((z["shape"], z["stride"], z["dtype"]), ([2, 4], [1, 2], "float32"))
        self.assertLess(z["low"], z["high"])
        self.assertEqual(found[line_of("n = x"), "n"]["value"], "4")
        self.assertEqual(found[line_of("mask = "), "mask"]["dtype"], "bool")
        self.assertEqual(found[line_of("def forward"), "flag"]["value"], "True")
        self.assertEqual(found[line_of("def ended"), "product"]["shape"], [2, 4])

    def test_in_place_changes_are_seen_after_their_statement(self) -> None:
        found = self.values()
        self.assertLess(found[line_of("mask = "), "x"]["high"], 40)
        self.assertGreater(found[line_of("x.add_"), "x"]["low"], 40)

    def test_a_name_with_several_shapes_on_one_line_has_no_value(self) -> None:
        found = self.values()
        self.assertIn((line_of("z = z.cumsum"), "z"), found)
        self.assertNotIn((line_of("part = z"), "part"), found)

    def test_values_are_recorded_up_to_the_exception(self) -> None:
        found = self.values(SOURCE.replace("mask = z > 100", "mask = None"))
        self.assertIn((line_of("x.add_"), "z"), found)

    def test_objects_without_values_are_skipped(self) -> None:
        source = program("""
            class Model(torch.nn.Module):
                def forward(self, x):
                    def row(r):
                        kept = r * 2
                        return kept
                    there = torch.empty(2, device="meta")
                    return torch.vmap(row)(x)


            def get_inputs():
                return [torch.randn(4, 3)]
        """)
        answer = self.worker.run(source, "eager", values=True)
        self.assertEqual(answer["evidence"]["outcomes"]["eager"]["kind"], "ran")
        names = {row["name"] for row in json.loads(answer["values"])}
        self.assertEqual(names & {"r", "kept", "there", "x"}, {"x"})

    def test_values_are_not_recorded_unless_requested(self) -> None:
        answer = self.worker.run(SOURCE, "eager")
        self.assertEqual(json.loads(answer["values"]), [])
        self.assertIsNone(sys.gettrace())


if __name__ == "__main__":
    unittest.main()
