"""The mode eager_otherwise: signs and answers that nobody promises, chosen otherwise."""

import unittest

from artefact import read
from driver import program, shared_worker
from test_programs import leaves


class Otherwise(unittest.TestCase):
    def run_mode(self, source, *modes):
        with shared_worker() as worker:
            folder = worker.scratch.name + "/otherwise"
            answer = worker.run(source, *modes, "eager_otherwise", artefacts=folder)
            outcome = answer["evidence"]["outcomes"]["eager_otherwise"]
            header, storage = read(f"{folder}/eager_otherwise.run")
        found = {leaf["path"]: leaf for leaf in header["leaves"]}
        return outcome, {path: leaf["is_tensor"] and storage(leaf["storage"]) for path, leaf in found.items()}

    def test_operators_that_distinguish_signs_read_each_sign(self):
        source = program("""
            class Model(torch.nn.Module):
                def forward(self, x):
                    zero = (x * -0.0).sum()
                    return torch.signbit(zero), torch.signbit(x.sqrt()), x + zero

            def get_inputs():
                return [torch.tensor([-1.0])]
        """)
        outcome, found = self.run_mode(source)
        self.assertEqual(outcome["kind"], "ran")
        changed = {(path.partition("[")[0], path.partition("].")[2]) for path in found}
        self.assertEqual(changed, {("zero", "output[0]"), ("nan", "output[1]")})

    def test_the_search_ends_if_no_program_reacts(self):
        source = program("""
            class Model(torch.nn.Module):
                def forward(self, x):
                    return torch.relu(x) * 2

            def get_inputs():
                return [torch.tensor([-1.0, 0.0])]
        """)
        outcome, found = self.run_mode(source)
        self.assertEqual((outcome["error"]["outer_class"], found), ("NothingToChoose", {}))

    def test_only_the_program_sees_that_it_is_compiled(self):
        source = program("""
            from torch.compiler import is_compiling as asked

            class Model(torch.nn.Module):
                def forward(self, x):
                    return x + asked(), x + torch.nn.functional.softmax(x, 0)

            def get_inputs():
                return [torch.zeros(1)]
        """)
        _, found = self.run_mode(source)
        self.assertEqual(found["told[0].output[0]"], b"\x00\x00\x80\x3f")
        self.assertEqual(found["told[0].output[1]"], b"\x00\x00\x80\x3f")

    def test_the_outcome_with_a_changed_answer_is_observed(self):
        source = program("""
            class Model(torch.nn.Module):
                def forward(self, x):
                    assert not torch.compiler.is_compiling()
                    return x

            def get_inputs():
                return [torch.zeros(1)]
        """)
        outcome, _ = self.run_mode(source)
        seen = [(seen["rule"], seen["operator"]) for seen in outcome["observations"]]
        self.assertEqual(seen, [("told_otherwise", "AssertionError")])

    def test_checkpoints_are_also_kept(self):
        source = program("""
            from torch.utils.checkpoint import checkpoint

            OPTIONS = {"backward": True}

            class Model(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.factor = 2.0
                    self.register_buffer("scale", torch.ones(1))

                def block(self, x):
                    return self.factor * x * self.scale

                def forward(self, x):
                    y = checkpoint(self.block, x, use_reentrant=REENTRANT)
                    LATER
                    return y

            def get_inputs():
                return [torch.ones(1)]
        """)
        for reentrant in ("True", "False"):
            kept = source.replace("REENTRANT", reentrant)
            _, unchanged = self.run_mode(kept.replace("LATER", "pass"))
            outcome, found = self.run_mode(kept.replace("LATER", "self.factor = 5.0"))
            self.assertEqual(outcome["observations"], [])
            self.assertEqual(found["kept[0].gradient.input[0]"], unchanged["kept[0].gradient.input[0]"])
            outcome, found = self.run_mode(kept.replace("LATER", "self.scale.add_(1)"))
            seen = [(seen["rule"], seen["operator"]) for seen in outcome["observations"]]
            error = "RuntimeError: one of the variables needed for gradient computation has bee"
            self.assertEqual((seen, found), ([("kept_otherwise", error)], {}))

    def test_the_warm_worker_reports_which_choice_explains_a_leaf(self):
        source = program("""
            class Model(torch.nn.Module):
                def forward(self, x):
                    return x + torch.compiler.is_compiling(), x * 2

            def get_inputs():
                return [torch.linspace(0.5, 1.5, 5)]
        """)
        with shared_worker() as worker:
            found = leaves(worker.run(source, "eager", "eager_otherwise", "inductor"))
        self.assertEqual(found["output[0]"]["otherwise"], "told")
        self.assertNotIn("otherwise", found["output[1]"])


if __name__ == "__main__":
    unittest.main()
