"""Entry point of the worker's Python: fixes hash order and paths, then hands over to the protocol loop."""

import faulthandler
import json
import os
import signal
import sys


def restart_with_fixed_hashes() -> None:
    """-I ignores PYTHONHASHSEED, so sets of strings would be ordered differently in every process. The launcher made
    the whole environment, so nothing in it is foreign: restart without -I. The descriptors survive that."""
    os.environ["PYTHONHASHSEED"] = "0"
    os.execv(sys.executable, [sys.executable, "-s", "-B", os.path.abspath(__file__)])


def main() -> None:
    if sys.flags.hash_randomization:
        restart_with_fixed_hashes()
    descriptors = int(os.environ.pop("PARITYD_IN")), int(os.environ.pop("PARITYD_OUT"))
    for descriptor in descriptors:
        os.set_inheritable(descriptor, False)
    sandbox = json.loads(os.environ.pop("PARITYD_SANDBOX"))
    children = os.environ.pop("PARITYD_CHILDREN", "")
    here, module = os.path.dirname(os.path.abspath(__file__)), os.environ.pop("PARITYD_MODULE")
    # A check for CUDA must not initialise it: children forked later could not use it.
    os.environ.setdefault("PYTORCH_NVML_BASED_CUDA_CHECK", "1")
    faulthandler.enable(sys.stderr, all_threads=False)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)

    import torch  # first: it loads the symbols that parityd_worker needs

    path = [entry for entry in sys.path if entry not in ("", here)]
    sys.path[:] = [here, *path]
    from worker_path import FOLDERS

    sys.path[:] = [*FOLDERS, module, *path]
    import parityd_worker
    import serve

    parityd_worker.install_crash_handler()
    sys.path[:] = path  # programs must not find the worker's files by accident
    if parityd_worker.built_for != torch.__version__:
        raise SystemExit(f"parityd_worker was built for torch {parityd_worker.built_for}, this is {torch.__version__}")
    serve.Worker(parityd_worker.Channel(*descriptors), sandbox, children).serve()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # torch's destructors have nothing to add


if __name__ == "__main__":
    main()
