"""What fired in torch's compiler, who calls a function of it and what resembles it, what torch documents, and its own
samples of operators."""

import json
import re
import sys
import unittest

from driver import program
from tool_case import Told, ToolCase

PLAIN = program("""
    class Model(torch.nn.Module):
        def forward(self, x):
            return x + 2

    def get_inputs():
        return [torch.randn(4, 5)]
""")
PRODUCT = program("""
    class Model(torch.nn.Module):
        def forward(self, x, weight, bias):
            return torch.histc(x @ weight + bias)

    def get_inputs():
        return [torch.randn(4, 5), torch.randn(5, 3), torch.randn(3)]
""")
RESIZED = program("""
    class Model(torch.nn.Module):
        def forward(self, x):
            larger = torch.nn.functional.interpolate(x, scale_factor=1.5, mode="nearest")
            print("between")
            return larger.ceil()

    def get_inputs():
        return [torch.randn(1, 2, 4, 4)]
""")
WRONG_RELU = "OPTIONS = {'inductor_config': {'cpp.inject_relu_bug_TESTING_ONLY': 'accuracy'}}\n"
RAISING_RELU = """
OPTIONS = {'inductor_config': {'cpp.inject_relu_bug_TESTING_ONLY': 'no such bug'}}


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)
"""


class Asked(ToolCase):
    def answer(self, told: Told) -> dict:
        self.assertEqual(told.answer.get("failure"), "", told.answer)
        return json.loads(told.answer["text"])

    def asked(self, tool: str, source: str = PLAIN, **arguments: object) -> dict:
        (told,) = self.inspect(tool, source, arguments=arguments)
        return self.answer(told)


class Fired(Asked):
    def test_a_plain_program_names_next_to_nothing(self):
        told = self.asked("fired")
        self.assertEqual((told["eager"], told["compiled"], told["graphs"]), ("ran", "ran", 1))
        own = [each["name"] for each in told["functions"] if not each["common"]]
        self.assertLessEqual(len(own), 3, own)
        self.assertEqual(told["counts"]["lowering:aten.add.Tensor"], 1)
        self.assertEqual(told["counts"]["kernels"], 1)

    def test_the_functions_of_the_operators_come_first(self):
        told = self.asked("fired", RESIZED)
        first = {(each["kind"], each["name"]): each for each in told["functions"][:17]}
        for name in ("_upsample_nearest_vec", "_compute_upsample_nearest_indices"):
            self.assertIn(("decomposition", name), first)
        lowering = first["lowering", "ceil"]
        self.assertEqual(lowering["file"], "torch/_inductor/lowering.py")
        self.assertEqual(lowering["operators"], ["aten.ceil.default"])
        self.assertLess(lowering["first_line"], lowering["last_line"])
        self.assertEqual(told["graphs"], 2)
        self.assertEqual(told["counts"]["graph_breaks"], 1)

    def test_a_rewrite_that_is_switched_off_is_missing(self):
        off = PRODUCT + "OPTIONS = {'inductor_config': {'pattern_matcher': False}}\n"
        on, without = (self.answer(told)["counts"] for told in self.inspect("fired", PRODUCT, off))
        rewrites = [name for name in on if name.startswith("rewrite:") and "addmm" in name]
        self.assertEqual([on[name] for name in rewrites], [1], on)
        self.assertFalse([name for name in without if name.startswith("rewrite:")], without)
        self.assertEqual((on.get("extern:addmm"), without.get("extern:addmm")), (1, None))
        self.assertEqual(on["fallback:aten.histc.default"], 1)
        self.assertNotIn("lowering:aten.histc.default", on)

    def test_what_raised_comes_first(self):
        told = self.asked("fired", PLAIN + RAISING_RELU)
        self.assertEqual((told["eager"], told["compiled"]), ("ran", "raised"))
        first = told["functions"][0]
        self.assertEqual((first["kind"], first["name"].rpartition(".")[2]), ("codegen", "relu"), told["functions"][:3])

    def test_the_area_and_what_is_blamed_come_first(self):
        kinds = [each["kind"] for each in self.asked("fired", RESIZED, area="dynamo_eager")["functions"]]
        self.assertEqual(kinds[0], "dynamo", kinds)
        told = self.asked("fired", RESIZED, area="inductor", blamed=["ceil"])["functions"]
        self.assertEqual(told[0]["operators"], ["aten.ceil.default"])

    def test_lines_that_no_plain_program_runs(self):
        told = self.asked("fired", PRODUCT)["functions"]
        partly = [each for each in told if each["own_lines"]]
        self.assertTrue(partly)
        self.assertTrue(all(each["common"] for each in partly))
        for each in partly:
            lines = [int(number) for number in re.findall(r"\d+", each["own_lines"])]
            self.assertLessEqual(each["first_line"], min(lines))
            self.assertLessEqual(max(lines), each["last_line"])


class Callers(Asked):
    def test_the_operators_that_reach_a_function(self):
        lowering, decompositions = "torch/_inductor/lowering.py", "torch/_decomp/decompositions.py"
        named = [(lowering, "ceil"), (decompositions, "_upsample_nearest"), (lowering, "no_such_function")]
        named += [("torch/_inductor/codegen/cpp.py", "CppVecOverrides.minimum")]
        told = self.asked("callers", functions=[{"file": file, "name": name} for file, name in named])
        ceil, nearest, nothing, minimum = (each["operators"] for each in told["functions"])
        self.assertEqual(ceil, ["aten.ceil"])
        self.assertIn("aten.upsample_nearest2d", nearest)
        self.assertLess(len(nearest), 10)
        self.assertEqual(nothing, [])
        self.assertIn("aten.minimum", minimum)


class Siblings(Asked):
    def test_implementations_that_did_not_fire(self):
        fired = [{"file": "torch/_inductor/lowering.py", "name": "slice_scatter"}]
        asked = {"functions": fired, "operators": ["slice_scatter"], "right": ["select_scatter"]}
        right, same, *_ = self.asked("siblings", **asked)["functions"]
        self.assertEqual((right["relation"], right["to"]), ("right", "select_scatter"))
        self.assertEqual((right["file"], right["name"]), ("torch/_inductor/lowering.py", "select_scatter"))
        self.assertEqual((same["relation"], same["to"]), ("same", "slice_scatter"))
        self.assertLess(same["first_line"], same["last_line"])

    def test_functions_that_name_the_same_rare_things(self):
        fired = [{"file": "torch/_inductor/fx_passes/replace_random.py", "name": "replace_random"}]
        (alike,) = self.asked("siblings", functions=fired)["functions"]
        self.assertEqual((alike["relation"], alike["name"]), ("alike", "replace_randint"))
        self.assertEqual(self.asked("siblings"), {"functions": []})


class Documented(Asked):
    def test_what_is_asked_for_and_what_the_program_calls(self):
        told = self.asked("documented", RESIZED, operators=["aten.index_add.default", "no_such_operator"])["operators"]
        texts = {each["operator"]: each for each in told}
        self.assertEqual(list(texts)[0], "index_add")
        self.assertTrue(texts["index_add"]["schemas"][0].startswith("aten::index_add("), texts["index_add"])
        self.assertIn("Accumulate", texts["index_add"]["text"])  # of index_add_, to which its own text refers
        self.assertIn("scale_factor", texts["interpolate"]["text"])
        self.assertNotIn(">>>", texts["ceil"]["text"])
        self.assertFalse({"randn", "no_such_operator"} & set(texts))


class OpInfo(Asked):
    def test_samples_pass_and_are_the_same_each_time(self):
        asked = {"operators": ["aten.ceil", "aten.index_add.default", "aten.nothing"], "samples": 8}
        first, again = (self.asked("opinfo", **asked) for _ in range(2))
        self.assertEqual(first, again)
        self.assertEqual(first["operators"]["aten.index_add.default"], ["index_add/-"])
        self.assertEqual(first["operators"]["aten.nothing"], [])
        self.assertEqual(set(first["samples"].values()), {"passed"}, first)
        self.assertGreaterEqual(len(first["samples"]), 6)
        self.assertEqual(first["left_out"], 0)

    def test_a_wrong_operator_fails_alone(self):
        told = self.asked("opinfo", PLAIN + WRONG_RELU, operators=["aten.relu", "aten.ceil"], samples=8)
        failed = {name.partition("/")[0] for name, result in told["samples"].items() if result != "passed"}
        self.assertEqual(failed, {"nn.functional.relu"}, told)
        self.assertRegex(told["samples"]["nn.functional.relu/-/float32/0"], "^numbers: .* not close")

    def test_what_the_time_does_not_suffice_for_is_counted(self):
        told = self.asked("opinfo", operators=["aten.ceil"], samples=4, seconds=0)
        self.assertEqual(told["samples"], {})
        self.assertGreater(told["left_out"], 0)


if __name__ == "__main__":
    sys.exit(unittest.main())
