# Looks for a key wherever one may lie, and for a place to write to. Raises what it found: that is how the test knows.
import glob
import os

import torch

GIVEN = globals()["GIVEN"]
found = [name for name in os.environ if "KEY" in name or "TOKEN" in name]
for file in [*GIVEN["secrets"], *glob.glob("/proc/[0-9]*/environ"), *glob.glob("/root/.ssh/*"), "/etc/shadow"]:
    try:
        with open(file, errors="replace") as stream:
            if GIVEN["key"] in stream.read() or not file.startswith("/proc"):
                found.append(f"reads {file}")
    except OSError:
        pass
for file in [*GIVEN["secrets"], *GIVEN["outside"], __file__, torch._C.__file__, os.__file__]:
    try:
        with open(file, "a"):
            found.append(f"writes {file}")
    except OSError:
        pass
raise RuntimeError(f"found: {found}")
