"""What one trusted priming process learnt about this host and left in $PARITYD_CACHE for all others. For these the
folder is read-only: not being able to write there is not an error."""

import contextlib
import functools
import hashlib
import json
import os
import platform
import shutil
import tempfile
from typing import Any

import torch

_FORMAT = 2
_FEATURES = ("vendor_id", "model name", "stepping", "flags", "Features", "CPU part")


class SharedCache:
    """Files and folders, named by their kind and by the host on which they were made."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._host = host() if folder else None

    @property
    def enabled(self) -> bool:
        return self._host is not None

    def read(self, kind: str) -> Any:
        """What was passed to write() on an identical host, or None."""
        try:
            with open(self._path(kind) + ".json", encoding="utf-8") as file:
                stored = json.load(file)
            return stored["content"] if stored["host"] == self._host else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def write(self, kind: str, content: Any) -> None:
        with contextlib.suppress(OSError):
            descriptor, temporary = tempfile.mkstemp(dir=self._folder or os.devnull)
            with open(descriptor, "w", encoding="utf-8") as file:
                json.dump({"host": self._host, "content": content}, file, indent=1, sort_keys=True)
            os.chmod(temporary, 0o644)
            os.replace(temporary, self._path(kind) + ".json")

    def fetch_folder(self, kind: str, target: str) -> bool:
        """Copies what was passed to store_folder() to `target`."""
        with contextlib.suppress(OSError, shutil.Error):
            if self._host and os.path.isdir(self._path(kind)):
                shutil.copytree(self._path(kind), target, copy_function=_copy_whole, dirs_exist_ok=True)
                return True
        return False

    def store_folder(self, kind: str, source: str) -> None:
        with contextlib.suppress(OSError, shutil.Error):
            temporary = tempfile.mkdtemp(dir=self._folder or os.devnull)
            shutil.copytree(source, temporary, dirs_exist_ok=True)
            os.chmod(temporary, 0o755)  # after the copy, which copied the source's mode: readers are another user
            os.rename(temporary, self._path(kind))

    def _path(self, kind: str) -> str:
        digest = hashlib.sha256(json.dumps(self._host, sort_keys=True).encode()).hexdigest()[:16]
        return os.path.join(self._folder, f"{kind}-{digest}")


def _copy_whole(source: str, target: str) -> None:
    """Never writes into an existing file: another worker with the same folder may be running its code."""
    temporary = f"{target}.{os.getpid()}"
    shutil.copy2(source, temporary)
    os.replace(temporary, target)


@functools.cache
def host() -> dict[str, Any] | None:
    """Everything that the contents of this cache depend on. None if the processor cannot be identified: then nothing is
    shared."""
    processor = _processor()
    if not processor:
        return None
    return {
        "format": _FORMAT,
        "machine": platform.machine(),
        "processor": processor,
        "torch": f"{torch.__version__} {torch.version.git_version}",
        "python": platform.python_version(),
        "tools": _tools(),
    }


def _processor() -> dict[str, str]:
    found: dict[str, str] = {}
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
        for line in lines:
            name, _, value = line.partition(":")
            if name.strip() in _FEATURES:
                found.setdefault(name.strip(), value.strip())
    return found if "flags" in found or "Features" in found else {}


def _tools() -> list[str]:
    """Path, size and age of the compiler and the assembler: asking for their versions would start a process."""
    from torch._inductor import config

    compilers = config.cpp.cxx if isinstance(config.cpp.cxx, (list, tuple)) else (config.cpp.cxx,)
    identities = []
    for tool in (*compilers, "as", "ld"):
        path = shutil.which(tool) if tool else None
        if path:
            real = os.path.realpath(path)
            facts = os.stat(real)
            identities.append(f"{real} {facts.st_size} {facts.st_mtime_ns}")
    return identities
