"""The worker as a process: fresh children, artefacts, state between programs, the channel."""

import pathlib
import signal
import tempfile
import textwrap
import unittest

from artefact import read
from driver import Worker, program, shared_worker
from test_programs import LINEAR, differing, leaves

MODEL = """
    class Model(torch.nn.Module):
        def forward(self, x):
            %s
            return x + 1

    def get_inputs():
        return [torch.randn(2, 10)]
"""


def doing(statement):
    return program(MODEL % statement)


class Process(unittest.TestCase):
    def test_requests_after_the_model_have_their_own_steps(self):
        """By them a hang there is told from one of compiled code, and has the shorter deadline."""
        source = program("""
            class Counted(Exception):
                asked = 0

                def __str__(self):
                    Counted.asked += 1
                    return f"asked {Counted.asked}"

            class Model(torch.nn.Module):
                def forward(self, x):
                    raise Counted()

            def get_inputs():
                return [torch.randn(2, 10)]
        """)
        with shared_worker() as worker:
            outcome = worker.run(source, "eager")["evidence"]["outcomes"]["eager"]
            self.assertEqual(outcome["step"], "forward")
            self.assertEqual(outcome["error"]["message"], "asked 1")
            self.assertTrue(outcome["error"]["traceback"].endswith("Counted: asked 1"))
            ended = ["forward", "measure", "reset", "compare", "reset"]
            self.assertEqual([step for _, step in worker.steps][-len(ended) :], ended)

    def test_fresh_child_killed_by_a_signal(self):
        with shared_worker(fork_parent=True) as worker:
            before = worker.output.stat().st_size
            source = doing("import signal; os.kill(os.getpid(), signal.SIGSEGV)")
            ended = worker.run(source, fresh=True, wait=("ended",))
            self.assertEqual((ended["signal"], ended["status"]), (signal.SIGSEGV, 0))
            self.assertEqual(worker.steps[-1], ("eager", "forward"))
            quiet = worker.run(doing("os._exit(0)"), fresh=True, wait=("ended",))
            self.assertEqual((quiet["signal"], quiet["status"]), (0, 0))
            answer = worker.run(LINEAR, fresh=True)
            self.assertEqual(differing(leaves(answer)), [])
            self.assertIn(b"Segmentation fault", worker.output.read_bytes()[before:])

    def test_a_native_crash_reports_its_frames(self):
        """The same fault tells the same frames in every process, another fault others."""
        with shared_worker(fork_parent=True) as worker:
            reading, again, calling = (
                self.frames(worker, statement)
                for statement in (
                    "import ctypes; ctypes.string_at(1)",
                    "import ctypes; ctypes.string_at(1)",
                    "import ctypes; ctypes.CDLL(None).qsort(bytes(72), 9, 8, ctypes.c_void_p(16))",
                )
            )
            self.assertEqual(reading, again)
            self.assertNotEqual(reading, calling)
            self.assertIn("_ctypes", reading[-1])
            self.assertRegex(calling[1], r"frame: \? \? 0x10$")  # what it called is no code: who did?
            self.assertRegex(calling[2], r"frame: libc")

    def frames(self, worker, statement):
        """What a crash of the compiled side tells, innermost first, as far as the call out of Python."""
        before = worker.output.stat().st_size
        guarded = "if torch.compiler.is_compiling(): die()"
        source = doing(guarded) + f"\n\n@torch.compiler.disable\ndef die():\n    {statement}\n"
        ended = worker.run(source, fresh=True, wait=("ended",))
        self.assertEqual(ended["signal"], signal.SIGSEGV)
        self.assertEqual(worker.steps[-1], ("inductor", "compile"))
        told = worker.output.read_bytes()[before:].decode(errors="replace").splitlines()
        crash = told[told.index("parityd crash: signal 11") :]
        self.assertIn("parityd crash: end", crash)
        self.assertTrue(any(line.startswith("Fatal Python error") for line in crash), crash)
        end = crash.index("parityd crash: end")
        out_of_python = [index for index, line in enumerate(crash[:end]) if "_ctypes" in line]
        return crash[: out_of_python[0] + 1 if out_of_python else end]

    def test_children_have_private_copies_of_their_parents_resources(self):
        """As the lock of multiprocessing that tqdm makes at the first compile, where tqdm is installed."""
        packages = tempfile.TemporaryDirectory()
        self.addCleanup(packages.cleanup)
        text = """
            import mmap, multiprocessing
            lock = multiprocessing.get_context("fork").RLock()
            page = mmap.mmap(-1, mmap.PAGESIZE)
            page[0] = 7
        """
        pathlib.Path(packages.name, "sitecustomize.py").write_text(textwrap.dedent(text), encoding="utf-8")
        uses = "import sitecustomize as here; here.lock.acquire(); assert here.page[0] == 7; here.page[0] = 8"
        with Worker(fork_parent=True, packages=pathlib.Path(packages.name)) as worker:
            for _ in range(2):
                outcome = worker.run(doing(uses), "eager", fresh=True)["evidence"]["outcomes"]["eager"]
                self.assertEqual(outcome["kind"], "ran", outcome)

    def test_children_are_fresh(self):
        with shared_worker(fork_parent=True) as worker:
            counting = doing(
                "import builtins; builtins.seen = getattr(builtins, 'seen', 0) + 1; assert builtins.seen == 1"
            )
            for _ in range(2):
                outcome = worker.run(counting, "eager", fresh=True)["evidence"]["outcomes"]["eager"]
                self.assertEqual(outcome["kind"], "ran")

    def test_artefacts(self):
        with shared_worker(fork_parent=True) as worker:
            folder = worker.scratch.name + "/artefacts"
            bug = "OPTIONS = {'inductor_config': {'cpp.inject_relu_bug_TESTING_ONLY': 'accuracy'}}\n"
            modes = ("eager", "eager_repeat", "reference", "inductor")
            answer = worker.run(LINEAR + bug, *modes, fresh=True, artefacts=folder)
            self.assertEqual(answer["evidence"]["measurements"], [])
            header, storage = read(folder + "/eager.run")
            self.assertEqual(header["outcome"], answer["evidence"]["outcomes"]["eager"])
            leaf = next(leaf for leaf in header["leaves"] if leaf["path"] == "output[0]")
            self.assertEqual((leaf["dtype"], leaf["shape"], leaf["stride"]), ("float32", [2, 4], [4, 1]))
            self.assertEqual(len(storage(leaf["storage"])), 32)
            again, storage_again = read(folder + "/eager_repeat.run")
            self.assertEqual(again["leaves"], header["leaves"])
            self.assertEqual(storage(leaf["storage"]), storage_again(leaf["storage"]))

    def test_the_outcome_of_a_mode_that_raised_is_kept(self):
        with shared_worker() as worker:
            folder = worker.scratch.name + "/artefacts"
            worker.run(doing("raise KeyError('gone')"), "eager", artefacts=folder)
            header, _ = read(folder + "/eager.run")
        self.assertEqual(header["outcome"]["error"]["outer_class"], "KeyError")
        self.assertEqual(header["leaves"], [])

    def test_restorable_state_is_restored(self):
        statements = (
            "torch.set_default_dtype(torch.float64)",
            "torch.set_default_device('meta')",
            "torch._C._set_grad_enabled(True)",
            "torch.use_deterministic_algorithms(True)",
            "torch.set_num_threads(2)",
            "os.environ['PLANTED'] = '1'",
            "os.chdir('/')",
            "import sys; sys.path.insert(0, '/planted')",
            "import warnings; warnings.simplefilter('error')",
            "import sys; sys.setrecursionlimit(5000)",
            "torch._dynamo.config.suppress_errors = True",
            "torch._inductor.config.fallback_random = False",
        )
        with shared_worker() as worker:
            for statement in statements:
                with self.subTest(statement):
                    self.check_restored(worker, statement)

    def check_restored(self, worker, statement):
        planted = worker.run(doing(statement), "eager")
        self.assertEqual(planted["tainted"], "")
        probe = program("""
            import sys
            import warnings
            import torch._dynamo
            import torch._inductor.config

            class Model(torch.nn.Module):
                def forward(self, x):
                    state = [torch.get_default_dtype(), str(torch.empty(0).device), torch.is_grad_enabled(),
                        torch.are_deterministic_algorithms_enabled(), torch.get_num_threads(),
                        os.environ.get('PLANTED', ''), os.getcwd() == '/', '/planted' in sys.path,
                        warnings.filters[0][0], sys.getrecursionlimit() == 5000,
                        torch._dynamo.config.suppress_errors, torch._inductor.config.fallback_random]
                    return [str(part) for part in state]

            def get_inputs():
                return [1]
        """)
        folder = worker.scratch.name + "/artefacts"
        worker.run(probe, "eager", artefacts=folder)
        header, _ = read(folder + "/eager.run")
        state = [leaf["value"].strip("'") for leaf in header["leaves"] if leaf["path"].startswith("output[")]
        self.assertEqual(state[:8], ["torch.float32", "cpu", "False", "False", "1", "", "False", "False"])
        self.assertNotEqual(state[8], "error")
        self.assertEqual(state[9:], ["False", "False", "True"])

    def test_state_that_cannot_be_restored_taints_the_worker(self):
        named = {
            "torch.relu = torch.tanh": "torch.relu",
            "torch.nn.functional.gelu = torch.tanh": "torch.nn.functional.gelu",
            "torch.Tensor.add = torch.Tensor.sub": "Tensor.add",
            "import math; math.sqrt = abs": "math.sqrt",
            "torch.nn.modules.module.register_module_forward_hook(lambda *a: None)": "global module hooks",
            "torch.library.define('planted::operator', '(Tensor x) -> Tensor')": "dispatcher operators",
            "import threading, time; threading.Thread(target=time.sleep, args=(60,), daemon=True).start()": "threads",
            "import subprocess; subprocess.Popen(['sleep', '60'])": "child processes",
        }
        with Worker(prime=False) as worker:
            self.assertEqual(worker.run(LINEAR, "eager")["tainted"], "")
            tainted = worker.run(doing("; ".join(named)), "eager")["tainted"]
            for statement, name in named.items():
                with self.subTest(statement):
                    self.assertIn(name, tainted)

    def test_a_process_that_can_no_longer_start_children_is_given_up(self):
        with shared_worker() as worker:
            for error in (
                "BlockingIOError(11, 'Resource temporarily unavailable')",
                'RuntimeError("can\'t start new thread")',
            ):
                self.assertIn("cannot start more processes", worker.run(doing(f"raise {error}"))["tainted"])
            self.assertEqual(worker.run(LINEAR)["tainted"], "")

    def test_the_environment_is_reported_by_a_separate_process(self):
        with Worker(prime=False) as worker:
            planted = "import torch.utils.collect_env as c; c.get_pretty_env_info = lambda: 'of this process'"
            worker.run(doing(planted), "eager")
            worker.send({"type": "environment", "id": 7})
            self.assertIn(f"PyTorch version: {worker.hello['torch']}", worker.wait("environment")["text"])

    def test_a_flood_of_output_does_not_disturb_the_channel(self):
        with shared_worker() as worker:
            before = worker.output.stat().st_size
            forged = r"""b'{\"type\":\"result\"}\n' * 20000"""
            flood = f"[os.write(fd, {forged}) for fd in (1, 2)]; print('x' * 1000000)"
            answer = worker.run(doing(flood), "eager")
            self.assertEqual(answer["evidence"]["outcomes"]["eager"]["kind"], "ran")
            self.assertGreater(worker.output.stat().st_size - before, 1_500_000)

    def test_heartbeats_continue_while_a_program_holds_the_interpreter(self):
        with shared_worker() as worker:
            before = worker.beats
            # One long call into C that never lets go of the interpreter lock.
            worker.run(doing("sum(range(120_000_000))"), "eager")
            self.assertGreater(worker.beats, before)

    def test_an_unknown_message_is_an_error_and_end_of_file_ends_the_worker(self):
        with Worker(prime=False) as worker:
            worker.send({"type": "dance", "id": 3})
            error = worker.wait("error")
            self.assertEqual(error["id"], 3)
            self.assertIn("dance", error["message"])
            worker.send({"type": "shutdown"})
            self.assertEqual(worker.process.wait(20), 0)


if __name__ == "__main__":
    unittest.main()
