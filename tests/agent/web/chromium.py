"""A Chromium for a test: it writes in one folder alone, starts with patience, and leaves no process behind."""

import ctypes
import os
import pathlib
import shutil
import signal

try:
    from selenium import webdriver
    from selenium.common.exceptions import WebDriverException
except ImportError:
    webdriver = None

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER, <linux/prctl.h>
ATTEMPTS = 3  # a loaded machine may be too slow for Chromium's own patience of a minute


def missing() -> str:
    """What there is not; empty: all is there."""
    if webdriver is None:
        return "this Python has no selenium (pip install selenium)"
    if not CHROMIUM or not DRIVER:
        return "chromium or chromedriver is missing (apt-get install chromium chromium-driver)"
    return ""


def adopt_orphans() -> None:
    """Chromium's helpers that outlive it become this process's children, so that end() finds them."""
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)


def descendants() -> list[int]:
    parents = {}
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit():
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            pass  # it has ended meanwhile
    found = [os.getpid()]
    for process in found:
        found += [child for child, parent in parents.items() if parent == process]
    return found[1:]


def end_all(but: set[int]) -> None:
    """Ends every descendant, those that appear meanwhile included, and waits until they are gone."""
    while left := [process for process in descendants() if process not in but]:
        for process in left:
            try:
                os.kill(process, signal.SIGKILL)
                os.waitpid(process, 0)
            except (ProcessLookupError, ChildProcessError):
                pass  # it has ended, or is a grandchild and becomes a child once its parent has


class Chromium:
    """`folder`: becomes its home, its profile and its temporary folder; paths of sockets in it have to be short."""

    def __init__(self, folder: pathlib.Path) -> None:
        adopt_orphans()
        self.others = set(descendants())
        for attempt in range(ATTEMPTS):
            home = folder / f"chromium{attempt}"
            home.mkdir()
            try:
                self.driver = self.start(home)
                break
            except WebDriverException:
                end_all(self.others)
                if attempt + 1 == ATTEMPTS:
                    raise
        self.driver.set_page_load_timeout(240)
        self.driver.set_script_timeout(240)

    def start(self, home: pathlib.Path) -> "webdriver.Chrome":
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        words = ["headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", "disable-breakpad"]
        words += ["disable-background-networking", "no-first-run", f"user-data-dir={home}/profile"]
        for word in words:
            options.add_argument("--" + word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        kept = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8"}
        own = {name: str(home) for name in ("HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR")}
        return webdriver.Chrome(
            options=options, service=webdriver.ChromeService(executable_path=DRIVER, env=kept | own)
        )

    def end(self) -> None:
        try:
            self.driver.quit()
        except WebDriverException:
            pass  # it is ended all the same
        finally:
            end_all(self.others)
