"""Models of the devices a worker runs on, read from /proc: asking CUDA would initialise it."""

import os

from device_table import Row


def model_of(row: Row) -> str:
    return globals()[row.model](os.environ.get(row.visible, "")) if row.model else "unknown"


# ---- functions that devices.json names as a kind's model


def processor(_visible: str) -> str:
    return said_in("/proc/cpuinfo", "model name") or "unknown"


def nvidia(visible: str) -> str:
    return gpu_model(visible, "/proc/driver/nvidia/gpus")


def gpu_model(visible: str, root: str) -> str:
    """Model of the first GPU visible to this process. Indices count in bus order, as set by CUDA_DEVICE_ORDER."""
    gpus = sorted(os.listdir(root)) if os.path.isdir(root) else []
    files = [os.path.join(root, gpu, "information") for gpu in gpus]
    first = visible.split(",")[0].strip()
    if first.isdigit():
        files = files[int(first) :]
    elif first:
        files = [file for file in files if said_in(file, "GPU UUID").startswith(first)]
    return next(filter(None, (said_in(file, "Model") for file in files)), "unknown")


def said_in(file: str, key: str) -> str:
    """The text after the colon of the first line that begins with key; empty if there is none."""
    try:
        with open(file, encoding="utf-8", errors="replace") as lines:
            return next((line.split(":", 1)[1].strip() for line in lines if line.startswith(key)), "")
    except OSError:
        return ""
