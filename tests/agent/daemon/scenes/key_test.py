"""A canary key is planted in the daemon and looked for everywhere else (attack 30): database, drafts, scratch, caches,
the environment and command line of every process below the daemon, and all output; also when an API echoes it."""

import argparse
import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

from scene import Scene

KEY = "sk-canary-7c1f0e5b9d3a4286"
PARTS = (KEY.encode(), KEY[3:].encode(), KEY[:14].encode())


class Refusing(http.server.BaseHTTPRequestHandler):
    """An API that refuses and echoes the key in its message, as real ones have done."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        said = self.headers.get("Authorization", "no key")
        body = json.dumps({"error": {"message": f"Incorrect API key provided: {said}", "code": "invalid_api_key"}})
        self.send_response(401)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None:
        pass


def children(pid: int) -> list[int]:
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            found += [child, *children(child)]
    return found


def program_of(process: int) -> str:
    try:
        return os.readlink(f"/proc/{process}/exe")
    except OSError:
        return ""


def watch(daemon: subprocess.Popen, leaks: set[str]) -> int:
    """Reads every child's environment and command line until the daemon ends. Returns how many were read."""
    seen = set()
    while daemon.poll() is None:
        try:
            processes = children(daemon.pid)
        except OSError:
            processes = []
        for process in processes:
            if program_of(process) in ("", program_of(daemon.pid)):  # forked, and not yet another program
                continue
            for what in ("environ", "cmdline"):
                try:
                    text = pathlib.Path(f"/proc/{process}/{what}").read_bytes()
                except OSError:
                    continue
                seen.add(process)
                if any(part in text for part in PARTS):
                    leaks.add(f"{what} of a child: {text[:80]!r}")
        own = pathlib.Path(f"/proc/{daemon.pid}/cmdline")
        if own.exists() and KEY.encode() in own.read_bytes():
            leaks.add("command line of the daemon")
        time.sleep(0.02)
    return len(seen)


def search(folders: list[pathlib.Path], leaks: set[str]) -> int:
    count = 0
    for folder in folders:
        for file in folder.rglob("*"):
            if file.is_file():
                count += 1
                if any(part in file.read_bytes() for part in PARTS):
                    leaks.add(str(file.relative_to(folder)))
    return count


def commands(scene: Scene, leaks: set[str]) -> None:
    for words in (["status"], ["status", "--json"], ["findings"], ["show", "1"], ["draft", "1"], ["doctor"]):
        command = [scene.parityd, "--state", str(scene.folder / "state"), "--config", str(scene.config), *words]
        done = subprocess.run(command, capture_output=True, env=scene.environment, check=False)
        if any(part in done.stdout + done.stderr for part in PARTS):
            leaks.add(f"output of {' '.join(words)}")


def run(scene: Scene, leaks: set[str], *options: str) -> int:
    daemon = scene.daemon(*options)
    said: list[str] = []
    reader = threading.Thread(target=lambda: said.append(daemon.stdout.read()))
    reader.start()
    watched = watch(daemon, leaks)
    reader.join()
    if any(part in said[0].encode() for part in PARTS):
        leaks.add("output of the daemon")
    return watched


def refuse(scene: Scene, leaks: set[str]) -> None:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    text = scene.config.read_text()
    old = text.split('base_url = "')[1].split('"')[0]
    scene.config.write_text(text.replace(old, f"http://127.0.0.1:{server.server_port}/v1"))
    run(scene, leaks, "--programs", "30")
    server.shutdown()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parityd", required=True)
    arguments = parser.parse_args()
    leaks: set[str] = set()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        scene = Scene(arguments.parityd, folder, replies=30, more='api_key_env = "PARITYD_CANARY_KEY"\n', key=KEY)
        scene.environment["PARITYD_CANARY_KEY"] = KEY
        try:
            watched = run(scene, leaks, "--programs", "24", "--json")
            used = len(scene.sent())
            refuse(scene, leaks)
            commands(scene, leaks)
            files = search([folder / "state", folder / "cache"], leaks)
            findings = scene.database().execute("SELECT count(*) FROM findings").fetchone()[0]
        finally:
            scene.end()
    print(f"{watched} processes watched, {files} files searched, {findings} findings, key used {used} times")
    for leak in sorted(leaks):
        print("LEAK:", leak)
    return 1 if leaks or 0 in (watched, files, findings, used) else 0


if __name__ == "__main__":
    os.umask(0o077)
    sys.exit(main())
