# ruff: noqa: F821 (names that prelude.py defines)
def big_file():
    with open(os.path.join(os.environ["TMPDIR"], "bomb"), "wb") as file:
        file.truncate(GIVEN["size"])


def many_files(folder):
    for number in range(20000):
        os.close(os.open(os.path.join(folder, f"bomb{number}"), os.O_CREAT | os.O_WRONLY))


attempt("big file", big_file)
if GIVEN["fill"]:
    attempt("many files", lambda: many_files("/dev/shm"))
