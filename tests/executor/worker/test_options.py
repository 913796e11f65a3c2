"""Every key of OPTIONS changes what the worker does, in the way prompts/system.md says."""

import dataclasses
import sys
import unittest

from driver import FOLDERS, program, shared_worker
from test_programs import LINEAR, differing, leaves

sys.path += FOLDERS

from mode_table import Row
from option_check import OptionError, check_config, check_mode
from option_table import AIDS, RULES
from program import Options as Taken

PROBE = program("""
    class Model(torch.nn.Module):
        def forward(self, x):
            return x * 2, self.training, torch.is_grad_enabled(), x.requires_grad, x.shape[0]

    def get_inputs(scale: int = 1):
        return [torch.randn(2 * scale, 10)]
""")


def values(worker, source, mode="eager"):
    """Texts of the non-tensor outputs of a mode, from its artefact."""
    from artefact import read

    folder = worker.scratch.name + "/artefacts"
    answer = worker.run(source, mode, artefacts=folder)
    outcome = next(iter(answer["evidence"]["outcomes"].items()))
    header, _ = read(f"{folder}/{outcome[0]}.run")
    return [leaf["value"] for leaf in header["leaves"] if leaf["group"] == "output" and not leaf["is_tensor"]][1:]


class Options(unittest.TestCase):
    def test_the_table_has_the_options_that_the_worker_accepts(self):
        taken = dataclasses.asdict(Taken())
        self.assertEqual(set(taken), set(RULES))
        for name, value in taken.items():
            self.assertTrue(RULES[name].fits(value) or (name == "calls" and value == 0), name)

    def test_defaults(self):
        with shared_worker() as worker:
            self.assertEqual(values(worker, PROBE), ["False", "False", "False", "2"])

    def test_a_mode_that_this_torch_lacks_is_named(self):
        check_mode("made_up", Row("made_up", "", "chosen", settings={"inductor.made_up": 1, "inductor.freezing": True}))
        with self.assertRaisesRegex(OptionError, "'made_up': torch .* has no such setting as 'inductor.made_up'"):
            check_mode("made_up", Row("made_up", "", "chosen", settings={"inductor.made_up": 1}))

    def test_aids_for_debugging_are_refused(self):
        for option, names in AIDS.items():
            for name in names:
                with self.assertRaisesRegex(OptionError, f"{name}'. = True: it is an aid for debugging"):
                    check_config(option, name, True)
        check_config("inductor_config", "freezing", True)

    def test_train_and_grad(self):
        with shared_worker() as worker:
            self.assertEqual(values(worker, PROBE + "OPTIONS = {'train': True}\n"), ["True", "False", "False", "2"])
            self.assertEqual(values(worker, PROBE + "OPTIONS = {'grad': True}\n"), ["False", "True", "False", "2"])

    def test_threads(self):
        source = PROBE.replace("self.training", "torch.get_num_threads()")
        with shared_worker() as worker:
            for asked, threads in ((8, "8"), (1, "1"), (2, "2")):
                self.assertEqual(values(worker, source + f"OPTIONS = {{'threads': {asked}}}\n")[0], threads)
            self.assertEqual(values(worker, source + "OPTIONS = {'threads': 3}\n", "inductor")[0], "3")

    def test_calls_use_other_scales(self):
        with shared_worker() as worker:
            self.assertEqual(values(worker, PROBE + "OPTIONS = {'calls': 3}\n")[-1], "6")
            steps = [step for _, step in worker.steps if step == "forward"]
            self.assertEqual(len(steps), 3)

    def test_backward(self):
        with shared_worker() as worker:
            answer = worker.run(LINEAR + "OPTIONS = {'backward': True, 'train': True}\n")
        found = leaves(answer)
        self.assertEqual(differing(found), [])
        gradients = {path for path, leaf in found.items() if leaf["group"] == "gradient"}
        self.assertEqual(gradients, {"gradient.input[0]", "gradient.linear.weight", "gradient.linear.bias"})
        self.assertIn(("inductor", "backward"), worker.steps)

    def test_a_missing_gradient_is_zero(self):
        source = program("""
            class Model(torch.nn.Module):
                def forward(self, x, y):
                    return x * 2, (y * 0).detach()

            def get_inputs():
                return [torch.randn(3), torch.randn(4)]

            OPTIONS = {'backward': True}
        """)
        with shared_worker() as worker:
            folder = worker.scratch.name + "/artefacts"
            worker.run(source, "eager", artefacts=folder)
            from artefact import read

            header, storage = read(folder + "/eager.run")
            leaf = next(leaf for leaf in header["leaves"] if leaf["path"] == "gradient.input[1]")
            self.assertEqual(storage(leaf["storage"]), bytes(16))
            other = next(leaf for leaf in header["leaves"] if leaf["path"] == "gradient.input[0]")
            self.assertNotEqual(storage(other["storage"]), bytes(12))

    def test_fullgraph(self):
        source = program("""
            class Model(torch.nn.Module):
                def forward(self, x):
                    y = x + 1
                    torch._dynamo.graph_break()
                    return y * 2

            def get_inputs():
                return [torch.randn(3)]
        """)
        with shared_worker() as worker:
            split = worker.run(source)["evidence"]["outcomes"]["inductor"]
            whole = worker.run(source + "OPTIONS = {'fullgraph': True}\n")["evidence"]["outcomes"]["inductor"]
        self.assertEqual((split["kind"], split["graphs"]), ("ran", 2))
        self.assertEqual((whole["kind"], whole["error"]["outer_class"]), ("raised", "Unsupported"))

    def test_dynamic_compiles_once_for_all_sizes(self):
        source = PROBE + "OPTIONS = {'calls': 3, %s}\n"
        with shared_worker() as worker:
            sized = worker.run(source % "'dynamo_config': {'automatic_dynamic_shapes': False}")
            dynamic = worker.run(source % "'dynamic': True")
            marked = worker.run(source % "'mark_dynamic': [[0, 0]]")
            unbacked = worker.run(source % "'mark_unbacked': [[0, 0]]")
            chosen = worker.run(source % "'mode': 'inductor_dynamic'")
        self.assertEqual(sized["evidence"]["outcomes"]["inductor"]["graphs"], 3)
        self.assertEqual(dynamic["evidence"]["outcomes"]["inductor"]["graphs"], 1)
        self.assertEqual(marked["evidence"]["outcomes"]["inductor"]["graphs"], 1)
        self.assertEqual(unbacked["evidence"]["outcomes"]["inductor"]["graphs"], 1)
        self.assertEqual(chosen["evidence"]["compiled"], "inductor_dynamic")
        self.assertEqual(chosen["evidence"]["outcomes"]["inductor_dynamic"]["graphs"], 1)

    def test_meaningless_options_raise(self):
        said = {
            "{'calls': 'x'}": "OPTIONS['calls'] = 'x': a number from 1 to 8",
            "{'mode': 'eager'}": "one of inductor, inductor_dynamic, inductor_max_autotune",
            "{'autocast': 'float64'}": ": True, False, bfloat16 or float16",
            "{'dynamic': 1}": "OPTIONS['dynamic'] = 1: its type is bool",
            "{'mark_dynamic': ((0, 0),)}": "its type is list",
            "{'mark_dynamic': [0]}": "a list of [number of the input, dimension]",
            "{'backwards': True}": "did you mean 'backward'?",
            "{'inductor_config': {'max_fusion_sise': 1}}": "did you mean 'max_fusion_size'?",
            "{'functorch_config': {'activation_memory_budget': '0'}}": "its type is float",
        }
        with shared_worker() as worker:
            for options, text in said.items():
                outcomes = worker.run(LINEAR + f"OPTIONS = {options}\n")["evidence"]["outcomes"]
                for outcome in outcomes.values():
                    self.assertEqual((outcome["kind"], outcome["step"]), ("raised", "import_program"))
                    self.assertIn(text, outcome["error"]["message"])

    def test_graph_is_compiled_without_dynamo(self):
        source = program("""
            class Model(torch.nn.Module):
                def forward(self, x):
                    return (torch.ops.aten.sin.default(x),)

            def get_inputs():
                return [torch.randn(3)]

            OPTIONS = {"graph": True}
        """)
        with shared_worker() as worker:
            answer = worker.run(source)
        outcome = answer["evidence"]["outcomes"]["inductor"]
        self.assertEqual((outcome["kind"], outcome["graphs"]), ("ran", 1))
        self.assertIn("aten.sin.default", outcome["operators"])
        self.assertEqual(differing(leaves(answer)), [])

    def test_autocast_and_default_dtype(self):
        source = program("""
            class Model(torch.nn.Module):
                def forward(self, x):
                    return str((x @ x).dtype), str(torch.ones(1).dtype), str(x.dtype)

            def get_inputs():
                return [torch.ones(2, 2)]

            OPTIONS = %s
        """)
        with shared_worker() as worker:
            cast = values(worker, source % "{'autocast': 'bfloat16'}")
            wide = values(worker, source % "{'default_dtype': 'float64'}")
        self.assertEqual(cast, ["'torch.bfloat16'", "'torch.float32'", "'torch.float32'"])
        self.assertEqual(wide, ["'torch.float64'"] * 3)


if __name__ == "__main__":
    unittest.main()
