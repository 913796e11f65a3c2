# ruff: noqa: F821 (names that prelude.py defines)
def write(path):
    with open(path, "a") as file:
        return file.write("planted")


own = os.path.join(os.environ["TMPDIR"], "own")
write(own)
attempt("write", lambda: write(GIVEN["secret"]))
attempt("make", lambda: write(os.path.join(GIVEN["folder"], "planted")))
attempt("link in", lambda: os.link(GIVEN["secret"], own + ".in"))
attempt("link out", lambda: os.link(own, os.path.join(GIVEN["folder"], "planted")))
attempt("remove", lambda: os.unlink(GIVEN["secret"]))
for folder in ("/usr/bin", "/etc", "/", sys.prefix):
    attempt(folder, lambda folder=folder: write(os.path.join(folder, "parityd-planted")))
