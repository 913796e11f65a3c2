"""PyTorch's debugging tools through the worker: each on a program that the compiler gets wrong and on a sound one."""

import json
import os
import pathlib
import re
import signal
import sys
import unittest

import torch
from driver import SOURCES, program
from tool_case import ToolCase

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAMS = ROOT / "tests" / "programs"
SOUND = "consistent_mlp"
RAISES = "behaviour_compile_error"
WRONG_NUMBERS = "numerical_relu"
NOT_THERE = re.compile(r"^not in torch \d+\.\d+: use ([a-z-]+) \(", re.MULTILINE)


def listed() -> list[str]:
    page = (ROOT / "docs" / "inspect.md").read_text(encoding="utf-8")
    return re.findall(r"^\| `([a-z-]+)` \|", page, re.MULTILINE)


class Inspect(ToolCase):
    def walk(self, tool: str, on_bad: str, on_sound: str, bad: str = RAISES) -> None:
        """`on_bad` and `on_sound`: what the tool must say of either program."""
        told = self.inspect(tool, *((PROGRAMS / f"{name}.py").read_text() for name in (bad, SOUND)))
        for one, wanted in zip(told, (on_bad, on_sound), strict=True):
            self.assertEqual(one.answer.get("failure"), "", one.answer)
            self.assertEqual((one.ended["status"], one.ended["signal"]), (0, 0))
            self.assertTrue(one.text.startswith(f"== {tool} of finding_7.py, torch "), one.text[:200])
            if missing := NOT_THERE.search(one.text):
                self.assertIn(missing[1], set(listed()) - {tool})
            else:
                self.assertRegex(one.body, wanted)

    def test_info_log(self):
        step = r"torchdynamo start tracing forward finding_7\.py"
        self.walk("info-log", step + r"[\s\S]*== inductor raised", step + r"[\s\S]*== inductor ran")

    def test_output_code_uses_the_threads_of_options(self):
        source = program("""
            class Model(torch.nn.Module):
                def forward(self, x):
                    return torch.sin(x)

            def get_inputs():
                return [torch.randn(1 << 16)]
        """)
        threads = (os.cpu_count() or 1) + 3  # of as many as there are processors it leaves the number open
        one, several = self.inspect("output-code", source, source + f"OPTIONS = {{'threads': {threads}}}\n")
        self.assertNotIn("omp parallel", one.text)
        self.assertIn(f"#pragma omp parallel num_threads({threads})", several.text)

    def test_debug_log(self):
        self.walk("debug-log", r"TRACE LOAD_\w+", r"TRACE LOAD_\w+")

    def test_graph_breaks(self):
        self.walk("graph-breaks", r"1 graphs, 0 breaks, 2 ops[\s\S]*relu", r"1 graphs, 0 breaks[\s\S]*gelu")
        source = program("""
            class Model(torch.nn.Module):
                def forward(self, x):
                    y = x + 1
                    print("between")
                    return y * 2

            def get_inputs():
                return [torch.ones(3)]
        """)
        (broken,) = self.inspect("graph-breaks", source)
        self.assertRegex(broken.body, r"2 graphs, 1 breaks[\s\S]*break 1: [\s\S]*finding_7\.py[\s\S]*print\(")

    def test_guards(self):
        self.walk("guards", r"GUARD", r"GUARD")

    def test_recompiles(self):
        first = r"2 calls, 1 compilations, 0 of them again\n  forward \(finding_7\.py:\d+\): first"
        self.walk("recompiles", first, first)
        source = program("""
            class Model(torch.nn.Module):
                def forward(self, x):
                    return x + 1

            def get_inputs(scale=1):
                return [torch.ones(3 * scale)]
        """)
        (again,) = self.inspect("recompiles", source)
        self.assertRegex(again.body, r"2 calls, 2 compilations, 1 of them again[\s\S]*size mismatch")

    def test_compile_times(self):
        self.walk("compile-times", r"forward \(finding_7\.py:\d+\)", r"forward \(finding_7\.py:\d+\)")

    def test_minify_dynamo(self):
        self.walk("minify-dynamo", r"graph 1 of 1 fails: 4 nodes, after \d+ questions 3\n[\s\S]*relu", r"none of 1 ")

    def test_minify_aot(self):
        self.walk("minify-aot", r"graph 1 of 1 fails: 4 nodes, after \d+ questions 3\n[\s\S]*aten\.relu", r"none of 1 ")

    def test_accuracy_dynamo(self):
        smaller = r"graph 1 of 1 fails: 4 nodes, after \d+ questions 3\n[\s\S]*relu"
        self.walk("accuracy-dynamo", smaller, r"none of 1 ", WRONG_NUMBERS)

    def test_accuracy_aot(self):
        smaller = r"graph 1 of 1 fails: 4 nodes, after \d+ questions 3\n[\s\S]*aten\.relu"
        self.walk("accuracy-aot", smaller, r"none of 1 ", WRONG_NUMBERS)

    def test_bisect(self):
        lowering = r"(TORCH_BISECT_BACKEND=inductor TORCH_BISECT_SUBSYSTEM=lowerings TORCH_BISECT_MAX=)"
        found = r"inductor: differs at output, in numbers [\s\S]*\nTORCH_BISECT_BACKEND=eager: right\n[\s\S]*\nfound: "
        found += r"backend inductor, subsystem lowerings, number 0, counted from 0: relu\n"
        found += rf"reproduce: {lowering}0\nright again: {lowering}-1\n\n== inductor ran"
        self.walk("bisect", found, r"^eager: runs\ninductor: runs, as eager does: there is nothing ", WRONG_NUMBERS)

    def test_bisect_if_the_bisector_cannot_divide(self):
        (gradient,) = self.inspect("bisect", (PROGRAMS / "gradient_written_input.py").read_text())
        self.assertIn("inductor: differs at gradient.input[0], ", gradient.body)
        self.assertRegex(gradient.body, r"\nfound: backend aot_eager, .*\nreproduce: TORCH_BISECT_BACKEND=aot_eager\n")

    def test_bisect_of_a_difference_outside_the_compiler(self):
        graph = (PROGRAMS / f"{WRONG_NUMBERS}.py").read_text().replace("OPTIONS = {", 'OPTIONS = {\n    "graph": True,')
        flaky = (PROGRAMS / "unstable_counter.py").read_text()
        graph_told, flaky_told = self.inspect("bisect", graph, flaky)
        self.assertIn("the bisector has no hold on it", graph_told.body)
        self.assertIn("there is nothing to bisect", flaky_told.body)

    def test_function_filter(self):
        step = r"start tracing forward finding_7\.py"
        self.walk("function-filter", step, step)

    def test_fx_readable(self):
        self.walk("fx-readable", r"fx_graph_readable\.py[\s\S]*aten\.relu", r"aten\.addmm")

    def test_fx_runnable(self):
        self.walk("fx-runnable", r"class Repro[\s\S]*aten\.relu", r"class Repro[\s\S]*aten\.addmm")
        (told,) = self.inspect("fx-runnable", (PROGRAMS / f"{SOUND}.py").read_text())
        self.assertNotIn("os.environ[", told.text)

    def test_fx_transformed(self):
        self.walk("fx-transformed", r"fx_graph_transformed\.py[\s\S]*aten\.relu", r"aten\.addmm")

    def test_ir_pre(self):
        self.walk("ir-pre", r"ir_pre_fusion\.txt[\s\S]*SchedulerNode", r"SchedulerNode")

    def test_ir_post(self):
        self.walk("ir-post", r"ir_post_fusion\.txt[\s\S]*SchedulerNode", r"SchedulerNode")

    def test_output_code(self):
        self.walk("output-code", r"compile error!", r"extern_kernels\.addmm")

    def test_graph_diagram(self):
        self.walk("graph-diagram", r"digraph", r"digraph")

    def test_trace(self):
        self.walk("trace", r"\"dynamo_output_graph\"", r"\"dynamo_output_graph\"[\s\S]*\"inductor_output_code\"")

    def test_replay(self):
        self.walk("replay", r"nothing was recorded", r"nothing was recorded")

    def test_place(self):
        """Which lines of the lowering of cat run, what comes out, and Inductor's code."""
        source = program("""
            class Model(torch.nn.Module):
                def forward(self, x, y):
                    return torch.cat([x, y]) + 1

            def get_inputs():
                return [torch.full((2,), 0.5), torch.tensor([3, 4, 5])]
        """)
        file = pathlib.Path(torch.__file__).parent / "_inductor" / "lowering.py"
        text = file.read_text(encoding="utf-8").splitlines()
        first = next(n for n, line in enumerate(text, 1) if line.startswith("def cat(")) - 1  # with its decorator
        last = next(n for n in range(first + 2, len(text)) if text[n - 1].startswith("@register_lowering"))
        place = {"file": "_inductor/lowering.py", "first_line": first, "last_line": last}
        (told,) = self.inspect("place", source, place=place)
        self.assertEqual(told.answer.get("failure"), "", told.answer)
        ran = re.search(r"of _inductor/lowering\.py:\d+-\d+ ran: lines ([\d, -]+)\n", told.body)
        self.assertIsNotNone(ran, told.body)
        spans = [each.split("-") for each in ran[1].split(", ")]
        numbers = {number for span in spans for number in range(int(span[0]), int(span[-1]) + 1)}
        promoted = next(n for n in range(first, last) if "get_promoted_dtype" in text[n - 1])
        for_bytes = next(n for n in range(first, last) if "fallback_handler(aten.cat.default)" in text[n - 1])
        self.assertIn(promoted, numbers)
        self.assertNotIn(for_bytes, numbers)
        self.assertIn("eager: output: float32 [5]: 1.5, 1.5, 4, 5, 6\n", told.body)
        self.assertIn("compiled: the same\n", told.body)
        self.assertNotIn("static_cast<int64_t>(2L)", told.body)
        self.assertRegex(told.body, r"Inductor wrote:\n[\s\S]*out_ptr0[\s\S]*def call\(")
        self.assertIn("== inductor ran: 1 graphs captured", told.body)

    def test_place_that_is_not_reached(self):
        source = (PROGRAMS / f"{SOUND}.py").read_text()
        place = {"file": "_inductor/lowering.py", "first_line": 1, "last_line": 2}
        elsewhere, nowhere = self.inspect("place", source, place=place) + self.inspect("place", source)
        self.assertIn("of _inductor/lowering.py:1-2 ran: none\n", elsewhere.body)
        self.assertNotIn(" ran: none", nowhere.body)  # nothing was named
        self.assertIn("eager: output", nowhere.body)

    def test_output_before_a_crash_is_kept(self):
        (told,) = self.inspect("info-log", (PROGRAMS / "crash_compiled.py").read_text())
        self.assertEqual(told.answer["type"], "ended")
        self.assertEqual(told.ended["signal"], signal.SIGSEGV)
        self.assertRegex(told.body, r"torchdynamo start tracing forward")

    def test_the_page_and_the_worker_have_the_same_tools(self):
        rows = json.loads((SOURCES.parent / "shared" / "tools.json").read_text(encoding="utf-8"))
        known = [row["name"] for row in rows if not row.get("of_daemon")]
        self.assertEqual(listed(), known)
        self.assertEqual(len(known), 21)


if __name__ == "__main__":
    sys.exit(unittest.main())
