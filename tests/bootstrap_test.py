"""Holds ./bootstrap to what CMake looks for: a header that only our own machines happened to have broke a fresh one.

python bootstrap_test.py PROJECT
"""

import pathlib
import re
import sys


def main() -> int:
    project = pathlib.Path(sys.argv[1])
    lists = [project / "cmake/ParitydDependencies.cmake", *project.glob("[a-z]*/CMakeLists.txt")]
    text = "\n".join(file.read_text() for file in lists)
    wanted = set(re.findall(r"^parityd_find_header\(\S+ (\S+?)[ )]", text, re.MULTILINE))
    installed = set(re.findall(r"^(\S+\.hp{0,2}) \S+$", (project / "bootstrap").read_text(), re.MULTILINE))
    assert len(wanted) > 5, f"found only {wanted} in {lists}"
    missing = sorted(wanted - installed)
    if missing:
        print(f"the build looks for {', '.join(missing)}, which no row of missing_packages in ./bootstrap installs")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
