"""What is new about a graph, and what it means to run one in place of its code."""

import contextlib
import functools
import sys
import unittest
from unittest import mock

import torch
from driver import FOLDERS, program, shared_worker
from test_programs import differing, leaves
from torch.fx.experimental.proxy_tensor import make_fx

sys.path += FOLDERS
import graph_forms

SOURCE = """
    class Model(torch.nn.Module):
        def forward(self, x):
            return torch.{operator}(x){more} + {number}

    def get_inputs():
        return [torch.randn({sizes}, dtype=torch.{dtype})]
"""


def source(
    operator: str, number: float = 2.5, sizes: str = "6, 32", dtype: str = "float32", more: str = "", options: str = ""
) -> str:
    text = program(SOURCE.format(operator=operator, number=number, sizes=sizes, dtype=dtype, more=more))
    return f"{text}\n\nOPTIONS = {options}\n" if options else text


def forms(function, *inputs: torch.Tensor) -> set[str]:
    return set(graph_forms.forms_of(make_fx(function, tracing_mode="fake")(*inputs)))


class Forms(unittest.TestCase):
    def test_sizes_and_constants_make_no_difference(self):
        one = forms(lambda x: x.sin() * 3.5, torch.randn(6, 32))
        self.assertEqual(one, forms(lambda x: x.sin() * 7.25, torch.randn(10, 64)))
        self.assertEqual(len(one), 4)  # two calls, the pair of them, and the end
        four = forms(lambda x: x.sin() * 3.5, torch.randn(2, 3, 4, 5))
        self.assertEqual(four, forms(lambda x: x.sin() * 3.5, torch.randn(5, 4, 3)))

    def test_properties_that_decide_about_loops_make_a_difference(self):
        plain = forms(lambda x: x.sum(1), torch.randn(6, 32))
        for other in (
            torch.randn(6, 32, dtype=torch.float64),
            torch.randn(6, 32, 5),
            torch.randn(1, 32),
            torch.randn(0, 32),
            torch.randn(32, 6).t(),
            torch.randn(6, 1).expand(6, 32),
            torch.randn(6, 64)[:, ::2],
        ):
            self.assertNotEqual(plain, forms(lambda x: x.sum(1), other), (other.shape, other.stride(), other.dtype))
        self.assertNotEqual(plain, forms(lambda x: x.sum(1, keepdim=True), torch.randn(6, 32)))
        self.assertNotEqual(plain, forms(lambda x: x.sum(0), torch.randn(6, 32)))
        self.assertNotEqual(forms(lambda x: x + 1e9, torch.ones(3)), forms(lambda x: x + float("inf"), torch.ones(3)))

    def test_new_neighbours_of_known_calls_are_new(self):
        x = torch.randn(6, 32)
        known = forms(lambda x: (x.sin(), x.cos()), x) | forms(lambda x: (x.exp().sin(), x.exp().cos()), x)
        self.assertEqual(forms(lambda x: x.exp().sin(), x) - known, set())
        self.assertEqual(len(forms(lambda x: x.sin().cos(), x) - known), 1)


def putting(put, x, index, values):
    return put(x, (index,), values)


@contextlib.contextmanager
def nothing_compiled():
    graph_forms.install()
    torch._dynamo.reset()
    graphs = graph_forms.Graphs(graph_forms.Everything(), compile_from=1)
    never = mock.Mock(side_effect=AssertionError("something is compiled"))
    with (
        graph_forms.watched(graphs),
        torch._inductor.config.patch(fx_graph_cache=False),
        mock.patch("torch._inductor.async_compile.AsyncCompile.cpp_pybinding", never),
    ):
        yield graphs


class StandIn(unittest.TestCase):
    def run_with(self, worker, text: str, **fields: object) -> dict:
        answer = worker.run(text, "eager", "inductor", **fields)
        evidence = answer["evidence"]
        self.assertEqual(evidence["outcomes"][evidence["compiled"]]["kind"], "ran", answer)
        self.assertEqual(differing(leaves(answer, "eager", evidence["compiled"])), [])
        self.assertEqual(worker.tainted, "")
        return evidence

    def test_code_is_generated_as_in_inductor_but_not_compiled(self):
        from torch._dynamo.utils import counters
        from torch._inductor import metrics

        counters.clear()
        metrics.reset()
        x, weight, bias = torch.randn(8, 4), torch.randn(4, 4, requires_grad=True), torch.randn(4)
        with nothing_compiled() as graphs:
            found = torch.compile(lambda x, weight, bias: torch.mm(x, weight).sin() + bias)(x, weight, bias)
            found.sum().backward()
        torch.testing.assert_close(found, torch.mm(x, weight).sin() + bias)
        torch.testing.assert_close(weight.grad, x.t() @ torch.mm(x, weight).cos())
        self.assertEqual(graphs.told()["graph_interpreted"], 2)
        self.assertEqual(metrics.generated_kernel_count, 2)

    def test_the_graph_after_all_passes_is_run(self):
        from torch._dynamo.utils import counters

        counters.clear()
        x, weight, bias = torch.randn(8, 4), torch.randn(4, 4), torch.randn(4)
        with nothing_compiled():
            found = torch.compile(lambda x, weight, bias: torch.mm(x, weight) + bias)(x, weight, bias)
        torch.testing.assert_close(found, torch.addmm(bias, x, weight))
        self.assertGreater(counters["inductor"]["pattern_matcher_count"], 0)  # mm and add became addmm

    def test_casts_of_the_lowering_are_applied(self):
        mask, values = torch.tensor([False, True, True, False]), torch.ones(2)
        for put in (torch.ops.aten.index_put.default, torch.ops.aten.index_put_.default):
            traced = make_fx(functools.partial(putting, put))(torch.zeros(4), torch.tensor([1, 2]), values)
            run = graph_forms._Interpreter(traced).run
            self.assertEqual(run(torch.zeros(4).bool(), torch.tensor([1, 2]), values).tolist(), mask.tolist())
            with self.assertRaisesRegex(RuntimeError, "dtypes match"):  # a mask is left to the eager kernel
                run(torch.zeros(4).bool(), mask, values)

    def test_other_graphs_are_compiled_before_the_text_of_one_is_known(self):
        """As autotuning does."""
        from torch._inductor.graph import GraphLowering

        graph_forms.install()
        graph, other = make_fx(torch.sin)(torch.ones(3)), make_fx(torch.cos)(torch.ones(3))
        lowering = mock.Mock(spec=GraphLowering, module=graph, cpp_wrapper=False)
        with graph_forms._as_text(graph), self.assertRaises(graph_forms._Generated):
            GraphLowering.compile_to_module(lowering)
        lowering.codegen.assert_called_once()
        lowering.module = other
        with graph_forms._as_text(graph):
            GraphLowering.compile_to_module(lowering)
        lowering._compile_to_module.assert_called_once()

    def test_a_graph_that_has_lost_its_weights_is_refused(self):
        weight = torch.ones(3)
        graph = make_fx(lambda x: x + weight)(torch.ones(3))
        graph_forms._refuse_what_only_code_can_do(graph)
        delattr(graph, next(node.target for node in graph.graph.nodes if node.op == "get_attr"))
        with self.assertRaises(AttributeError):
            graph_forms._refuse_what_only_code_can_do(graph)

    def test_an_error_of_the_lowering_is_seen(self):
        def refuse(*_):
            raise NotImplementedError("no such lowering")

        lowerings = {torch.ops.aten.tan.default: refuse}
        with (
            nothing_compiled(),
            mock.patch.dict("torch._inductor.lowering.lowerings", lowerings),
            self.assertRaisesRegex(Exception, "LoweringException.*no such lowering"),
        ):
            torch.compile(torch.tan)(torch.randn(8))

    def test_graphs_with_little_new_are_not_compiled(self):
        tan = functools.partial(source, "tan", dtype="float64")
        with shared_worker() as worker:
            first = self.run_with(worker, tan())
            self.assertEqual(len(first["graph_fresh"]), 4)
            self.assertEqual(first["graph_interpreted"], 0)
            told = {"known_forms": first["graph_fresh"], "compile_from": 1}
            second = self.run_with(worker, tan(number=7.25, sizes="10, 64"), **told)
            self.assertEqual((second["graph_interpreted"], second["graph_fresh"]), (1, []))
            third = self.run_with(worker, tan(number=3.5), compile_from=1)  # told once, known for good
            self.assertEqual(third["graph_interpreted"], 1)
            sampled = self.run_with(worker, tan(number=4.5), compile_from=0)
            self.assertEqual((sampled["graph_interpreted"], sampled["graph_fresh"]), (0, []))
            little = self.run_with(worker, tan(more=".neg()"), compile_from=4)  # one call and two pairs
            self.assertEqual((little["graph_interpreted"], len(little["graph_fresh"])), (1, 3))
            for other in (source("tan"), tan(more=".cos()"), tan(options="{'backward': True}")):
                fresh = self.run_with(worker, other, compile_from=1)
                self.assertEqual(fresh["graph_interpreted"], 0)
                self.assertNotEqual(fresh["graph_fresh"], [])

    def test_a_form_is_known_only_for_its_compile_settings(self):
        with shared_worker() as worker:
            known = self.run_with(worker, source("sin"))["graph_fresh"]
            for options in (
                "{'mode': 'inductor_freezing', 'grad': False}",
                "{'own_random': True}",
            ):
                text = source("sin", options=options)
                evidence = self.run_with(worker, text, known_forms=known, compile_from=99)
                self.assertEqual(len(evidence["graph_fresh"]), evidence["graph_forms"], options)
                self.assertEqual(evidence["graph_interpreted"], 1, options)
                self.assertEqual(self.run_with(worker, text, compile_from=1)["graph_interpreted"], 0, options)

    def test_settings_changed_by_hand_compile_everything(self):
        with shared_worker() as worker:
            text = source("sin", options="{'inductor_config': {'cpp.simdlen': 1}}")
            evidence = self.run_with(worker, text, known_forms=[], compile_from=99)
            self.assertEqual((evidence["graph_forms"], evidence["graph_interpreted"]), (0, 0))

    def test_random_numbers_of_the_compiler_follow_their_seed(self):
        def model(x):
            return torch.utils.checkpoint.checkpoint(self.dropped, x, use_reentrant=False), torch.randint(3, 9, (50,))

        x = torch.ones(100, requires_grad=True)
        with nothing_compiled() as graphs, torch._inductor.config.patch(fallback_random=False):
            dropped, whole = torch.compile(model)(x)
            dropped.sum().backward()
        self.assertEqual(graphs.told()["graph_interpreted"], 2)
        torch.testing.assert_close(x.grad, 2 * dropped.detach())  # drawn anew, and the same is dropped
        self.assertEqual((whole.dtype, int(whole.min()) >= 3, int(whole.max()) < 9), (torch.int64, True, True))

    @staticmethod
    def dropped(x):
        return torch.nn.functional.dropout(x, 0.5) * x

    def test_random_numbers_have_their_own_dtype(self):
        with nothing_compiled(), torch._inductor.config.patch(fallback_random=False):
            torch.set_default_dtype(torch.float64)
            try:
                drawn = torch.compile(lambda: torch.rand(3, dtype=torch.float32))()
            finally:
                torch.set_default_dtype(torch.float32)
        self.assertEqual(drawn.dtype, torch.float32)

    def test_if_the_first_graph_is_run_all_are(self):
        text = source("sin", options="{'backward': True}")
        with shared_worker() as worker:
            known = self.run_with(worker, source("sin"))["graph_fresh"]
            few = self.run_with(worker, text, known_forms=known, compile_from=3)  # the forward graph saves its input
            self.assertEqual(few["graph_interpreted"], 2)
            self.assertGreaterEqual(len(few["graph_fresh"]), 3)


if __name__ == "__main__":
    unittest.main()
