"""The packages that cpack makes: the .tar.gz runs where it is unpacked, the .deb installs and runs on a Debian 12 that
has nothing else (a folder made by debootstrap, entered by chroot)."""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
from typing import Any

VERSION = re.compile(r"parityd \d+\.\d+\.\d+( \(commit [0-9a-f]{7,}( with changes)? of \d{4}-\d\d-\d\d\))?\n")
SUITE = "bookworm"


def run(*command: str | pathlib.Path, **more: Any) -> str:
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False, **more
    )
    assert done.returncode == 0, (command, done.returncode, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout


def shows_findings(said: str) -> None:
    assert len(json.loads(said)) > 10, said


def unpacked(archive: pathlib.Path, folder: pathlib.Path) -> None:
    run("tar", "xzf", archive, "-C", folder)
    (root,) = folder.iterdir()
    said = run(root / "bin/parityd", "--version")
    assert VERSION.fullmatch(said), said
    assert "\nExecStart=/usr/local/bin/parityd run\n" in (root / "lib/systemd/system/parityd.service").read_text()
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
    run(root / "bin/parityd", "demo", "--no-page", env=environment)
    shows_findings(run(root / "bin/parityd", "--state", folder / "cache/parityd/demo", "findings", "--json"))


def control_of(package: pathlib.Path) -> None:
    depends = run("dpkg-deb", "--field", package, "Depends")
    assert "libcurl4" in depends and "nlohmann-json3-dev" in depends, depends
    assert " ./usr/bin/parityd\n" in run("dpkg-deb", "--contents", package)


def inside(root: pathlib.Path, *command: str) -> str:
    """With /proc, which is gone with the command."""
    script = 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"'
    return run("unshare", "--mount", "sh", "-c", script, root, *command)


def on_debian(package: pathlib.Path, root: pathlib.Path, mirror: str) -> None:
    run("debootstrap", "--variant=minbase", SUITE, root, *([mirror] if mirror else []))
    shutil.copy(package, root / "parityd.deb")
    inside(root, "apt-get", "install", "-y", "-qq", "--no-install-recommends", "/parityd.deb")
    said = inside(root, "parityd", "--version")
    assert VERSION.fullmatch(said), said
    assert "\nExecStart=/usr/bin/parityd run\n" in (root / "usr/lib/systemd/system/parityd.service").read_text()
    inside(root, "env", "XDG_CACHE_HOME=/var/tmp", "parityd", "demo", "--no-page")
    shows_findings(inside(root, "parityd", "--state", "/var/tmp/parityd/demo", "findings", "--json"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cpack", required=True)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument(
        "--debian", action="store_true", help="install the .deb, too: needs root, debootstrap, a network"
    )
    parser.add_argument("--mirror", default="", help="of Debian")
    arguments = parser.parse_args()
    system = pathlib.Path("/etc/os-release").read_text()
    tools = all(map(shutil.which, ("debootstrap", "dpkg-shlibdeps")))
    if arguments.debian and (os.getuid() != 0 or not tools or f"VERSION_CODENAME={SUITE}\n" not in system):
        print(f"SKIPPED: it takes Debian {SUITE}, root, debootstrap and dpkg-shlibdeps")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run(arguments.cpack, "--config", arguments.build / "CPackConfig.cmake", "-B", folder / "packages")
        (archive,) = (folder / "packages").glob("*.tar.gz")
        packages = list((folder / "packages").glob("*.deb"))
        (folder / "unpacked").mkdir()
        unpacked(archive, folder / "unpacked")
        for package in packages:
            control_of(package)
        if arguments.debian:
            assert packages, "no .deb was made: configure the build again, it had no dpkg-shlibdeps"
            on_debian(packages[0], folder / "debian", arguments.mirror)
    print("ok")


if __name__ == "__main__":
    main()
