"""Runs peers.py with a stand-in for torchfuzz: what it tells of its seeds, and what becomes of its reports. No torch.

peers_test.py PYTHON      peers.py and the stand-in run on it
"""

import ast
import json
import pathlib
import subprocess
import sys
import tempfile

PEERS = pathlib.Path(__file__).resolve().parent / "peers.py"
PROGRAM = """import torch
torch.set_default_device('cpu')
torch._dynamo.config.capture_scalar_outputs = True

torch.manual_seed(1)

def fuzzed_program(arg_0, sentinel):
    var_node_1 = arg_0 # size=(3,), stride=(1,), dtype=float32, device=cpu
    var_node_0, _ = (
    var_node_1.contiguous(),
    None,  # unused
) # size=(1, 3), stride=(3, 1), dtype=float32, device=cpu
    var_node_0.unsqueeze_(0)
    result = var_node_0 * sentinel
    if result.is_complex():
        result = result.real
    return result

# Sentinel tensor to ensure gradient computation
sentinel = torch.tensor(1.0, requires_grad=True)

arg_0 = torch.as_strided(torch.randn(5).to(torch.float32), (3,), (1,))

args = (arg_0, sentinel)
result_original = fuzzed_program(*args)
print('✅ eager success')
compiled_program = torch.compile(fuzzed_program, fullgraph=True, dynamic=True)
result_compiled = compiled_program(*args)
print('✅ compile success')"""
STREAM = PROGRAM.replace("arg_0 #", "arg_0 + offset #")
EAGER = "=== Program Output (Failure) ===\n✅ eager success\n\n"
SOURCE = (
    "===============================\n=== Program Source ===\n{}\n======================\nProgram exited with code: 1"
)
TOLD = (
    ("✅ SUCCESS", "=== Program Output ===\n✅ eager success\n✅ compile success"),
    ("❌ FAILURE", EAGER + SOURCE.format(PROGRAM)),
    ("❌ FAILURE", "=== Program Output (Failure) ===\n\nIndexError\n" + SOURCE.format(STREAM)),
    ("❌ FAILURE", "Process timed out after 300 seconds"),
    ("🚫 IGNORED", EAGER + SOURCE.format(PROGRAM)),
)
FUZZER = """import argparse, os, sys, time
parser = argparse.ArgumentParser()
for word in ("--start", "--count", "--processes"):
    parser.add_argument(word, type=int)
parser.add_argument("--verbose", action="store_true", required=True)
start = parser.parse_args().start
assert os.environ["TORCHFUZZ_DEVICE_MODULE"] == "torchfuzz_cpu"
bar = chr(13) + "Processing seeds:   4%|  | 2/45 [00:22<08:46] ✅/❌/❓=, 2/0/0"
print("🚀 Starting multi-process fuzzer", "=" * 60, sep=chr(10), file=sys.stderr, flush=True)
for number, (how, text) in enumerate(TOLD):
    for line in (f"{how} - Seed {start + number} (duration: 2.50s)", *("   " + line for line in text.splitlines())):
        if line.strip():
            print(bar, " " * 60, line, sep=chr(13), flush=True)
time.sleep(600)  # until its time is over
"""


def main() -> None:
    python = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        torchfuzz, out = pathlib.Path(folder, "torchfuzz"), pathlib.Path(folder, "out")
        torchfuzz.mkdir()
        (torchfuzz / "fuzzer.py").write_text(f"TOLD = {TOLD!r}\n{FUZZER}")
        # Nothing can be imported into this parityd, so that none of the reports is judged by it.
        words = ["--parityd", "/bin/false", "--arms", "torchfuzz", "--seconds", "10", "--processes", "2"]
        words += ["--python", python, "--folder", str(out), "--torchfuzz", str(torchfuzz)]
        done = subprocess.run([python, "-B", str(PEERS), *words], stdout=subprocess.PIPE, text=True)
        assert done.returncode == 0, f"exit code {done.returncode}"
        row = json.loads(done.stdout.splitlines()[-1])["torchfuzz"]
        assert (row["programs"], row["valid"], row["reports"], row["not_judged"]) == (10, 6, 6, 6), row
        assert row["first"] == 5, row
        reasons = ((2, "the function reads offset"), (3, "no function fuzzed_program"))
        expected = {f"seed {start + seed}: {why}" for start in (0, 100_000) for seed, why in reasons}
        assert set(row["not_converted"]) == expected, row
        reports = sorted((out / "torchfuzz" / "reports").iterdir())
        assert [report.name for report in reports] == ["torchfuzz_1.py", "torchfuzz_100001.py"], reports
        tree = ast.parse(reports[0].read_text())
        options = next(ast.literal_eval(node.value) for node in tree.body if isinstance(node, ast.Assign))
        config = {"capture_scalar_outputs": True}
        assert options == {"grad": True, "fullgraph": True, "dynamic": True, "dynamo_config": config}, options
        names = [node.name for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))]
        assert names == ["fuzzed_program", "Model", "get_inputs"], names


if __name__ == "__main__":
    main()
