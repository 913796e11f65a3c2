"""The worker module that `parityd worker build` made for this interpreter: what is tested is what daemons use."""

import json
import os
import subprocess
import sys


def built_module(parityd: str) -> str:
    """Its folder."""
    answer = subprocess.run([parityd, "worker", "list", "--json"], capture_output=True, text=True, check=True)
    for worker in json.loads(answer.stdout):
        if worker["current"] and worker["python"] == sys.executable:
            return worker["folder"]
    raise SystemExit(
        f"no current worker is built for {sys.executable}; run: {parityd} worker build --python {sys.executable}"
    )


def module_under_test() -> str:
    """Without ctest, which says where parityd is, there is none."""
    return built_module(os.environ["PARITYD_TEST_PARITYD"]) if "PARITYD_TEST_PARITYD" in os.environ else ""
