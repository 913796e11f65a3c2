"""The ways to compile beside torch.compile of the model, and programs that are a step."""

import unittest

from driver import program, shared_worker
from test_programs import differing, leaves

COUNTING = """
    OPTIONS = {{"calls": 3, {options}}}

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.ModuleList([torch.nn.Linear(6, 4), torch.nn.Tanh()])
            self.register_buffer("seen", torch.randn(4))

        def forward(self, x):
            self.seen.add_(x.sum())
            for layer in self.layers:
                x = layer(x)
            return {{"out": x + self.seen, "x": x.sum()}}

    def get_inputs():
        return [torch.randn(4, 6)]
"""
TRAINING = """
    OPTIONS = {{"calls": 3, "train": True, {options}}}

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(6, 4)

        def forward(self, x):
            return self.linear(x).sin()

    def get_state(model):
        return {{"optimizer": torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9), "losses": []}}

    def step(model, inputs, state):
        state["optimizer"].zero_grad()
        loss = model(*inputs).square().mean()
        loss.backward()
        state["optimizer"].step()
        state["losses"].append(loss.detach())
        return loss.detach()

    def get_inputs():
        return [torch.randn(4, 6)]
"""


def ran(source: str, mode: str, **options: object) -> dict:
    stated = ", ".join(f"{name!r}: {value!r}" for name, value in {"mode": mode, **options}.items())
    with shared_worker() as worker:
        answer = worker.run(program(source.format(options=stated)), "eager", mode)
    outcomes = answer["evidence"]["outcomes"]
    assert not answer["tainted"], answer["tainted"]
    assert {outcome["kind"] for outcome in outcomes.values()} == {"ran"}, outcomes
    return answer


class Routes(unittest.TestCase):
    def test_each_compiles_and_agrees_with_eager_over_calls(self):
        for mode, graphs in {
            "inductor_regions": 2,  # an entry of the list each
            "inductor_threads": 1,
            "inductor_functional": 1,
            "exported": 1,
            "exported_decomposed": 1,
        }.items():
            with self.subTest(mode):
                answer = ran(COUNTING, mode)
                self.assertEqual(answer["evidence"]["outcomes"][mode]["graphs"], graphs)
                self.assertEqual(answer["evidence"]["outcomes"][mode]["replaced"], [])
                found = leaves(answer, "eager", mode)
                self.assertLessEqual({"call[0].output['out']", "output['x']", "buffer.seen"}, set(found))
                self.assertEqual(differing(found), [])

    def test_a_package_writes_to_the_buffers_of_the_model(self):
        found = leaves(ran(COUNTING, "aot_inductor"), "eager", "aot_inductor")
        self.assertEqual(differing(found), [])

    def test_random_inputs_change_from_call_to_call(self):
        answer = ran(COUNTING, "exported")
        first, last = (leaves(answer, "eager", "exported")[path] for path in ("call[0].output['x']", "output['x']"))
        self.assertNotEqual(first["rms_expected"], last["rms_expected"])

    def test_an_exported_program_may_have_any_size(self):
        source = COUNTING.replace("get_inputs()", "get_inputs(scale: int = 1)").replace(
            "randn(4, 6)", "randn(4 * scale, 6)"
        )
        for mode in ("exported", "exported_strict"):
            self.assertEqual(differing(leaves(ran(source, mode, dynamic=True), "eager", mode)), [])

    def test_the_stage_runs_of_an_exported_program_use_its_forms(self):
        stages = ("dynamo_eager", "aot_eager", "aot_eager_decomp_partition")
        source = program(COUNTING.format(options='"mode": "exported_decomposed"'))
        with shared_worker() as worker:
            answer = worker.run(source, "eager", *stages)
        for stage in stages:
            self.assertEqual(answer["evidence"]["outcomes"][stage]["kind"], "ran")
            self.assertEqual(differing(leaves(answer, "eager", stage)), [])

    def test_programs_without_gradients_are_not_asked_for_them(self):
        with shared_worker() as worker:
            answer = worker.run(program(COUNTING.format(options='"mode": "aot_inductor", "backward": True')), "eager")
        error = answer["evidence"]["outcomes"]["eager"]["error"]
        self.assertEqual(error["message"], "OPTIONS['backward'] = True: mode 'aot_inductor' has no gradients")


class Steps(unittest.TestCase):
    def test_state_and_gradients_are_compared_after_each_call(self):
        for mode in ("inductor", "inductor_regions", "inductor_threads", "inductor_functional"):
            with self.subTest(mode):
                found = leaves(ran(TRAINING, mode), "eager", mode)
                momentum = "kept['optimizer'].state.values()[0]['momentum_buffer']"
                self.assertLessEqual({momentum, f"call[0].{momentum}", "kept['losses'][2]"}, set(found))
                self.assertLessEqual({"call[1].gradient.linear.weight", "call[1].parameter.linear.bias"}, set(found))
                self.assertEqual([leaf for leaf in found.values() if leaf.get("max_absolute", 0) > 1e-5], [])

    def test_double_runs_have_their_own_optimizer(self):
        with shared_worker() as worker:
            answer = worker.run(program(TRAINING.format(options="")), "reference", "inductor_fp64")
        self.assertEqual(differing(leaves(answer, "reference", "inductor_fp64")), [])

    def test_a_step_is_not_exported_and_gets_no_extra_backward(self):
        for options, message in {
            '"mode": "exported"': "OPTIONS['mode'] = 'exported': torch.export takes a model; a step is not exported",
            '"backward": True': "OPTIONS['backward'] = True: not for a program that defines step()",
            '"own_random": True': "OPTIONS['own_random'] = True: not for a program that defines step()",
        }.items():
            with shared_worker() as worker:
                answer = worker.run(program(TRAINING.format(options=options)), "eager")
            self.assertEqual(answer["evidence"]["outcomes"]["eager"]["error"]["message"], message)


if __name__ == "__main__":
    unittest.main()
