"""What the worker says of whole programs, through the protocol."""

import unittest

from driver import program, shared_worker

LINEAR = program("""
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(10, 4)

        def forward(self, x):
            return torch.relu(self.linear(x)), x.sum()

    def get_inputs():
        return [torch.randn(2, 10)]
""")


def leaves(answer, expected="eager", actual="inductor"):
    for measurement in answer["evidence"]["measurements"]:
        if (measurement["expected"], measurement["actual"]) == (expected, actual):
            return {leaf["path"]: leaf for leaf in measurement["leaves"]}
    raise AssertionError(f"{expected} was not measured against {actual}")


def differing(found):
    """Paths whose values or metadata differ beyond rounding."""
    flags = ("missing", "type_differs", "dtype_differs", "shape_differs", "stride_differs", "requires_grad_differs",
             "alias_differs", "nan_differs", "inf_differs", "exceeds_tolerance")  # fmt: skip
    exact = [
        path for path, leaf in found.items() if leaf.get("unequal") and not leaf["dtype"].startswith(("f", "b", "c"))
    ]
    return sorted({path for path, leaf in found.items() if any(leaf.get(flag) for flag in flags)} | set(exact))


class Programs(unittest.TestCase):
    def test_consistent(self):
        with shared_worker() as worker:
            answer = worker.run(LINEAR)
        outcomes = answer["evidence"]["outcomes"]
        self.assertEqual(
            {mode: outcome["kind"] for mode, outcome in outcomes.items()}, {"eager": "ran", "inductor": "ran"}
        )
        self.assertEqual(outcomes["inductor"]["graphs"], 1)
        self.assertIn("aten.relu.default", outcomes["inductor"]["operators"])
        found = leaves(answer)
        self.assertEqual(differing(found), [])
        self.assertTrue({"input[0]", "output", "output[0]", "input_after[0]", "parameter.linear.weight"} <= set(found))
        self.assertEqual(answer["tainted"], "")
        self.assertEqual(
            [step for mode, step in worker.steps if mode == "inductor"],
            ["start", "import_program", "inputs", "model", "compile", "measure", "reset", "compare", "reset"],
        )

    def test_many_programs_in_one_worker(self):
        with shared_worker() as worker:
            first = worker.run(LINEAR)
            for size in range(3, 9):
                source = LINEAR.replace("randn(2, 10)", f"randn({size}, 10)")
                answer = worker.run(source)
                self.assertEqual(answer["tainted"], "")
                self.assertEqual(answer["evidence"]["outcomes"]["inductor"]["graphs"], 1)
                self.assertEqual(differing(leaves(answer)), [])
            again = worker.run(LINEAR)
        self.assertEqual(leaves(first), leaves(again))

    def test_injected_bug_is_measured(self):
        bug = "\nOPTIONS = {'inductor_config': {'cpp.inject_relu_bug_TESTING_ONLY': 'accuracy'}}\n"
        with shared_worker() as worker:
            broken, sound = worker.run(LINEAR + bug), worker.run(LINEAR)
        self.assertEqual(differing(leaves(broken)), ["output[0]"])
        self.assertEqual(differing(leaves(sound)), [])

    def test_injected_compile_error(self):
        bug = "\nOPTIONS = {'inductor_config': {'cpp.inject_relu_bug_TESTING_ONLY': 'compile_error'}}\n"
        with shared_worker() as worker:
            outcomes = worker.run(LINEAR + bug)["evidence"]["outcomes"]
        self.assertEqual(outcomes["eager"]["kind"], "ran")
        self.assertEqual((outcomes["inductor"]["kind"], outcomes["inductor"]["step"]), ("raised", "compile"))
        error = outcomes["inductor"]["error"]
        self.assertEqual(error["inner_class"], "CppCompileError")
        self.assertTrue(error["compiler_frame"])
        self.assertIn("aten.relu.default", outcomes["inductor"]["operators"])

    def test_error_shows_live_tensors(self):
        source = program("""
            class Model(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.mm_layer = torch.nn.Linear(10, 10)

                def forward(self, x1, inp):
                    v1 = torch.mm(x1, inp)
                    return v1 + inp

            def get_inputs():
                return [torch.randn(2, 10), torch.randn(2, 10)]
        """)
        with shared_worker() as worker:
            outcomes = worker.run(source)["evidence"]["outcomes"]
        error = outcomes["eager"]["error"]
        self.assertEqual(outcomes["eager"]["step"], "forward")
        self.assertEqual(error["user_source"], "v1 = torch.mm(x1, inp)")
        self.assertEqual(error["user_operator"], "mm")
        self.assertEqual(source.splitlines()[error["user_line"] - 1].strip(), error["user_source"])
        shapes = [(tensor["expression"], tensor["dtype"], tensor["shape"]) for tensor in error["live_tensors"]]
        self.assertEqual(shapes, [("x1", "float32", [2, 10]), ("inp", "float32", [2, 10])])
        self.assertIn("(2x10 and 2x10)", error["message"])
        self.assertEqual(error["compiler_frame"], "")
        compiled = outcomes["inductor"]["error"]
        self.assertEqual(compiled["user_source"], error["user_source"])
        self.assertTrue(compiled["compiler_frame"].endswith("meta_mm"))

    def test_features_of_the_compiler_are_reported(self):
        source = program("""
            class Model(torch.nn.Module):
                def forward(self, x):
                    print("a break")
                    return torch.nn.functional.silu(x).amax(0)

            def get_inputs():
                return [torch.randn(4, 4)]
        """)
        with shared_worker() as worker:
            features = worker.run(source)["evidence"]["features"]
            again = worker.run(source)["evidence"]["features"]
        self.assertIn("lowering:aten.amax.default", features)
        self.assertIn("decomposition:aten.silu.default", features)
        self.assertIn("guard:TENSOR_MATCH", features)
        self.assertTrue(any(feature.startswith("graph_break:") for feature in features), features)
        self.assertEqual(features, again)

    def test_storage_sharing_is_recorded(self):
        source = program("""
            class Model(torch.nn.Module):
                def forward(self, x, y, z):
                    x.add_(1)
                    return y.clone(), y, z.is_conj(), z.resolve_conj()

            def get_inputs():
                base = torch.zeros(4, 6)
                return [base[1:], base.t()[2:, ::2], torch.randn(3, dtype=torch.complex64).conj()]
        """)
        with shared_worker() as worker:
            answer = worker.run(source, "eager", "reference", "inductor", artefacts=worker.scratch.name + "/artefacts")
            from artefact import read

            for mode in ("eager", "reference"):
                header, _ = read(f"{worker.scratch.name}/artefacts/{mode}.run")
                found = {leaf["path"]: leaf for leaf in header["leaves"]}
                before, after = found["input[0]"], found["input_after[0]"]
                self.assertEqual(before["storage"], found["input[1]"]["storage"])
                self.assertNotEqual(before["storage"], after["storage"])
                self.assertEqual(after["storage"], found["output[1]"]["storage"])
                self.assertEqual((found["input[1]"]["offset"], found["input[1]"]["stride"]), (2, [1, 12]))
                self.assertTrue(found["input[2]"]["conjugate"])
                self.assertEqual(found["output[2]"]["value"], "True")
        self.assertEqual(answer["evidence"]["outcomes"]["inductor"]["kind"], "ran")

    def test_text_that_is_not_a_program(self):
        with shared_worker() as worker:
            for source, inner, line in (("def broken(:\n", "SyntaxError", 1), ("import torch\n", "AttributeError", 0)):
                outcome = worker.run(source, "eager")["evidence"]["outcomes"]["eager"]
                self.assertEqual((outcome["kind"], outcome["error"]["inner_class"]), ("raised", inner))
                self.assertEqual(outcome["error"]["user_line"], line)


if __name__ == "__main__":
    unittest.main()
