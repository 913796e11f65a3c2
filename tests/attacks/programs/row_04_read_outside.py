# ruff: noqa: F821 (names that prelude.py defines)
for path in GIVEN["files"]:
    attempt(path, lambda path=path: read(path))
for folder in GIVEN["folders"]:
    attempt(folder, lambda folder=folder: os.listdir(folder))
