# ruff: noqa: F821 (names that prelude.py defines)
import mmap

MAP_NORESERVE = 0x4000  # so that only a limit refuses it


def by_file(path, size):
    with open(path, "wb") as file:
        os.posix_fallocate(file.fileno(), 0, size)
    return size


def by_memory_file():
    descriptor = os.memfd_create("bomb")
    os.ftruncate(descriptor, 1 << 30)


def by_many_files(folder):
    for number in range(64):
        by_file(os.path.join(folder, f"bomb{number}"), 64 << 20)


attempt("heap", lambda: len(mmap.mmap(-1, 20 << 30, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE)))
attempt("memory file", by_memory_file)
if GIVEN["fill"]:
    attempt("shared memory folder", lambda: by_many_files("/dev/shm"))
tell("first to go", "passed", read("/proc/self/oom_score_adj").decode().strip())
