"""The page in a real Chromium, over a real daemon: browser_test.py --parityd PATH CASE"""

import argparse
import base64
import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "daemon" / "scenes"))
from chromium import Chromium, missing
from scene import Scene, wait_for

if missing():
    print(f"SKIPPED: {missing()}")
    sys.exit(0)

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select

VALUE = "value eager=1.0 inductor=2.0 reference=1.0 inductor_fp64=2.0 inductor_precise=2.0 aot_eager=1.0"
RAISE = "raise inductor RuntimeError lowering of thing failed"
HOSTILE = (
    "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\"></textarea></pre></title>"
    "&lt;b&gt; javascript:alert(1) [x](javascript:alert(1)) \u202egnp.exe\u202c \u200b \x1b[31mred\x1b[0m \x07 {{7*7}}"
)


DIFF = "--- a/torch/a.py\n+++ b/torch/a.py\n@@ -1,2 +1,2 @@\n kept\n-old\n+new {}\n"


class Looking:
    """A daemon with the page, and a Chromium that looks at it. `token`: of [web]."""

    def __init__(self, parityd: str, folder: pathlib.Path, token: str = "") -> None:
        self.scene = Scene(parityd, folder, replies=4)
        (folder / "tmp").mkdir()
        self.scene.environment["TMPDIR"] = str(folder / "tmp")
        self.daemon, self.chromium, self.token, self.log = None, None, token, folder / "daemon.log"
        listen = '\n[web]\nlisten = "127.0.0.1:0"\n'
        if token:
            (folder / "token").write_text(token)
            (folder / "token").chmod(0o600)
            listen += f'token_file = "{folder}/token"\n'
        self.scene.config.write_text(self.scene.config.read_text() + listen)

    def work(self) -> None:
        """Programs of a model and two queued ones are run, which leaves findings; then the API goes."""
        self.scene.queue(VALUE, RAISE)
        self.scene.run("run", "--programs", "6", "--json")
        self.scene.end()

    def write(self, sql: str, *values: object) -> None:
        """As another program would write: after the daemon's start, which writes drafts anew."""
        with sqlite3.connect(self.scene.folder / "state" / "parityd.db", timeout=120) as database:
            database.execute(sql, values)
        database.close()

    def write_try(self, finding: int, said: str) -> None:
        """An accepted change of torch whose every text has these words."""
        self.write("INSERT INTO blobs (hash, text, made_at) VALUES ('tried', ?, 0)", DIFF.format(said))
        check = "'name', ?, 'result', 'accepted', 'ran', 128, 'failed', 0, 'told', ?, 'failing', json_array(?)"
        self.write(
            "INSERT INTO fixes (finding, number, at, result, why, provider, model, prompt_tokens, completion_tokens, "
            "nano_dollars, seconds, torch, device, diff, test, changed_lines, functions, files, checks, also_gone, "
            "newest) VALUES (?, 1, 1, 'accepted', ?, ?, ?, 7, 8, 40000000, 1.5, ?, ?, 'tried', 'tried', 2, "
            f"json_array(?), '[]', json_array(json_object({check}, 'program', ?, 'seconds', 1.5)), '[]', ?)",
            finding, *(said for _ in range(11)),
        )  # fmt: skip

    def open(self, dark: bool = False, width: int = 1280) -> None:
        self.chromium = Chromium(self.scene.folder)
        self.browser = self.chromium.driver
        self.start()
        self.look(dark, width)
        self.go("#/")

    def start(self) -> None:
        command = [self.scene.parityd, "--state", str(self.scene.folder / "state"), "--config", str(self.scene.config)]
        with self.log.open("w") as log:
            self.daemon = subprocess.Popen([*command, "run"], stdout=log, stderr=log, env=self.scene.environment)
        wait_for("the page's address", lambda: re.search(r"page: \S+\n", self.log.read_text()))
        self.address = re.search(r"page: (\S+)\n", self.log.read_text())[1]

    def look(self, dark: bool, width: int) -> None:
        """Colours and size as a person's; 900 high."""
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def go(self, place: str) -> None:
        self.browser.get(f"{self.address}/{place}")
        if not self.token:
            shown = "return document.getElementById('main').dataset.shown === location.hash"
            wait_for(f"{place} to be drawn", lambda: self.browser.execute_script(shown))

    def one(self, selector: str) -> WebElement:
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[WebElement]:
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def click(self, selector: str) -> None:
        """The first of them, whichever it is by then: what changes is drawn anew."""
        self.wait(selector)
        self.browser.execute_script("document.querySelector(arguments[0]).click()", selector)

    def texts(self, selector: str) -> list[str]:
        script = "return [...document.querySelectorAll(arguments[0])].map((each) => each.textContent)"
        return self.browser.execute_script(script, selector)

    def wait(self, selector: str) -> None:
        wait_for(selector, lambda: self.all(selector))

    def text(self, selector: str = "main") -> str:
        return self.browser.execute_script("return document.querySelector(arguments[0])?.textContent ?? ''", selector)

    def wait_text(self, *words: str, selector: str = "main") -> None:
        for word in words:
            wait_for(f"{word!r} in {selector}", lambda word=word: word in self.text(selector))

    def photograph(self, folder: pathlib.Path, screen: str, width: int, dark: bool) -> None:
        height = self.browser.execute_script("return document.documentElement.scrollHeight")
        clip = {"x": 0, "y": 0, "width": width, "height": min(height, 4000), "scale": 1}
        asked = {"captureBeyondViewport": True, "clip": clip}
        shot = self.browser.execute_cdp_cmd("Page.captureScreenshot", asked)
        name = f"{screen.replace('/', '-') or 'overview'}-{width}-{'dark' if dark else 'light'}.png"
        (folder / name).write_bytes(base64.b64decode(shot["data"]))

    def focused(self) -> str:
        return self.browser.execute_script(
            "const e = document.activeElement; return [e.tagName, e.id, e.getAttribute('href') ?? ''].join(' ')"
        )

    def press(self, key: str) -> None:
        self.browser.switch_to.active_element.send_keys(key)

    def complaints(self) -> list[str]:
        """Errors of scripts, refusals of the content security policy; not requests that brought nothing."""
        logged = [entry["message"] for entry in self.browser.get_log("browser") if entry["level"] == "SEVERE"]
        return [each for each in logged if "Failed to load resource" not in each]

    def end(self) -> None:
        if self.chromium:
            self.chromium.end()
        self.scene.end()
        if self.daemon:
            self.daemon.terminate()
            assert self.daemon.wait(timeout=240) == 0, self.log.read_text()


def finding_of(looking: Looking, kind: str) -> int:
    rows = looking.scene.database().execute("SELECT id FROM findings WHERE kind = ?", (kind,)).fetchall()
    assert rows, f"the scene left no finding of kind {kind}"
    return rows[0][0]


def overview(looking: Looking) -> None:
    looking.open()
    looking.wait_text("From prompts to findings", "Suspects", "Spending", "of $5.00", "Worker time by use", "Devices")
    looking.wait_text("Findings over time", "Compiler coverage", "Health checks", "Latest events")
    charts = "return [...document.querySelectorAll('svg[role=img]')].map((each) => each.getAttribute('aria-label'))"
    names = looking.browser.execute_script(charts)
    for name in ("Dollars by day: ", "Findings: "):
        assert any(each.startswith(name) for each in names), names
    assert looking.all(".bars rect.bar") and looking.all(".parts rect")
    looking.wait_text("workers on cpu")
    ready = "SELECT count(*) FROM findings WHERE disposition = 'ready' AND status = 'new' AND merged_into IS NULL"
    to_file = looking.scene.database().execute(ready).fetchone()[0]
    wait_for("the tile", lambda: looking.texts(".tile-value")[0] == str(to_file))
    looking.click(".tile-value a")
    wait_for("those findings", lambda: looking.browser.current_url.endswith("?disposition=ready&status=new"))
    wait_for("as many as the tile said", lambda: len(looking.all("tbody tr")) == to_file)
    looking.go("#/")
    looking.wait_text("live", selector="#live")
    assert looking.one("nav a[aria-current=page]").text == "Overview"


def findings(looking: Looking) -> None:
    looking.open()
    looking.go("#/findings")
    everything = len(looking.all("tbody tr"))
    assert everything >= 2, looking.text()
    Select(looking.one("select[name=kind]")).select_by_value("behaviour")
    wait_for("the filter", lambda: 0 < len(looking.all("tbody tr")) < everything)
    assert "kind=behaviour" in looking.browser.current_url
    looking.one("#search").send_keys("lowering of thing")
    wait_for("the search", lambda: "search=lowering" in looking.browser.current_url)
    wait_for("the one found", lambda: len(looking.all("tbody tr")) == 1)
    looking.one("#search").send_keys(" nowhere")
    looking.wait_text("No findings match.")
    looking.one(".filters button").click()
    wait_for("all findings", lambda: len(looking.all("tbody tr")) == everything)
    looking.go("#/findings?kind=numerical")  # a filter is an address
    assert Select(looking.one("select[name=kind]")).first_selected_option.text == "numerical"
    looking.click("tbody a")
    looking.wait_text("Finding", "Reduced program")


def finding(looking: Looking) -> None:
    looking.open()
    looking.go(f"#/finding/{finding_of(looking, 'numerical')}")
    looking.wait_text(
        "Confirmed", "3 of 3 rounds", "Stage", "Differing values", "Attribution", "Evidence", "confirmation 1"
    )
    looking.wait_text("Draft", "Occurrences", "Triage", "Next step")
    reduced = looking.scene.database().execute("SELECT reduced FROM findings WHERE kind = 'numerical'").fetchone()[0]
    assert looking.text("pre[aria-label='Reduced program']") == reduced
    assert looking.texts(".py-keyword")[:1] == ["import"]
    granted = {"origin": looking.address, "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}
    looking.browser.execute_cdp_cmd("Browser.grantPermissions", granted)
    number = looking.texts(".copy button").index("Copy draft")
    looking.browser.execute_script("document.querySelectorAll('.copy button')[arguments[0]].click()", number)
    wait_for("the copy", lambda: "copied" in looking.texts(".said"))
    copied = looking.browser.execute_async_script("navigator.clipboard.readText().then(arguments[0])")
    assert copied == looking.text("pre[aria-label=Draft]"), copied
    assert "torch.compile" in copied, copied
    looking.write_try(finding_of(looking, "numerical"), "at last")
    looking.wait_text("Changes of torch", "Try 1", "not reviewed", "128", "$0.0400")
    assert looking.texts(".diff-removed") == ["-old\n"], looking.texts(".diff-removed")
    assert looking.texts(".diff-added") == ["+new at last\n"], looking.texts(".diff-added")
    looking.wait_text("A change of 2 lines in `at last` makes it vanish", selector="pre[aria-label=Draft]")


def decide(looking: Looking, status: str, **fields: str) -> None:
    form = looking.one("form.triage")
    looking.browser.execute_script("arguments[0].scrollIntoView()", form)
    Select(form.find_element(By.NAME, "status")).select_by_value(status)
    for name, value in fields.items():
        field = form.find_element(By.NAME, name)
        field.clear()
        field.send_keys(value)
    form.find_element(By.TAG_NAME, "button").click()


def triage(looking: Looking) -> None:
    looking.open()
    number = finding_of(looking, "behaviour")
    looking.go(f"#/finding/{number}")
    decide(looking, "filed", issue="https://github.com/pytorch/pytorch/issues/1")
    looking.wait_text("filed needs --checked", selector="#triage-said")
    decide(looking, "wontfix", issue="javascript:alert(1)")
    looking.wait_text("is not an issue", selector="#triage-said")
    decide(looking, "known", issue="https://github.com/pytorch/pytorch/issues/12", note="the same as that one")
    looking.wait_text("Saved.", selector="#triage-said")
    looking.wait_text("Decisions", "the same as that one", "page, 127.0.0.1")
    shown = looking.scene.run("show", str(number))
    assert "known by page, 127.0.0.1" in shown, shown


def activity(looking: Looking) -> None:
    looking.open()
    for screen, words in {
        "strategies": ["Strategy selection", "Cost and yield of replies", "standin"],
        "workers": ["Current state", "busy", "Worker time by use", "Latest runs", "confirmation 1"],
        "replies": ["answered", "standin", "Older"],
        "events": ["start", "info", "Older"],
    }.items():
        looking.go(f"#/{screen}")
        looking.wait_text(*words)
    looking.go("#/replies")
    looking.click("tbody a")
    looking.wait_text("Prompt", "class Model(torch.nn.Module)")
    looking.go("#/program/1")
    looking.wait_text("def get_inputs", "Origin")
    looking.go("#/nowhere")
    looking.wait_text("This page does not exist.")
    looking.go("#/finding/999")
    looking.wait_text("not found")


def live(looking: Looking) -> None:
    looking.open()
    number = finding_of(looking, "behaviour")
    looking.go(f"#/finding/{number}")
    note = looking.one("form.triage [name=note]")
    note.send_keys("half a sent")
    looking.scene.run("triage", str(number), "wontfix", "--note", "decided elsewhere")
    looking.wait_text("decided elsewhere")
    assert looking.one("form.triage [name=note]").get_attribute("value") == "half a sent"
    assert "INPUT" in looking.focused(), looking.focused()
    looking.daemon.terminate()
    looking.wait_text("disconnected", selector="#live")
    assert "decided elsewhere" in looking.text(), "what was shown is gone"


def keyboard(looking: Looking) -> None:
    looking.open()
    looking.press(Keys.TAB)
    assert looking.focused().startswith("A skip"), looking.focused()
    looking.press(Keys.ENTER)
    assert looking.focused().startswith("MAIN"), looking.focused()
    looking.press("/")
    wait_for("the search to have the focus", lambda: looking.focused().startswith("INPUT search"))
    looking.press("lowering")
    wait_for("the search", lambda: len(looking.all("tbody tr")) == 1)
    looking.press(Keys.ESCAPE)
    looking.go("#/findings")
    looking.browser.execute_script("document.querySelector('tbody a').focus()")
    first = looking.focused()
    looking.press(Keys.ARROW_DOWN)
    assert looking.focused() != first and looking.focused().startswith("A"), looking.focused()
    looking.press(Keys.ARROW_UP)
    assert looking.focused() == first
    looking.press(Keys.ENTER)
    wait_for("the finding's heading to have the focus", lambda: looking.focused().startswith("H1"))
    for screen in ("", "findings", f"finding/{finding_of(looking, 'behaviour')}", "workers", "replies"):
        looking.go(f"#/{screen}")
        unnamed = looking.browser.execute_script("""
            const named = (e) => e.textContent.trim() || e.getAttribute('aria-label') || e.labels?.length;
            return [...document.querySelectorAll('a, button, input, select, textarea, [tabindex="0"], svg[role=img]')]
              .filter((e) => !named(e)).map((e) => e.outerHTML)""")
        assert unnamed == [], unnamed
        levels = looking.browser.execute_script("return [...document.querySelectorAll('h1')].length")
        assert levels == 1, f"{levels} first headings on {screen!r}"


def hostile(looking: Looking) -> None:
    looking.open()
    looking.wait_text("provider_out")  # the start is over, and nothing new comes
    number = finding_of(looking, "behaviour")
    program = f'text = """{HOSTILE}"""\n# {HOSTILE}\nclass Model: pass\n'
    for column in ("title", "explanation", "why", "extent", "alarm", "device", "signature_text"):
        looking.write(f"UPDATE findings SET {column} = ? WHERE id = ?", HOSTILE, number)
    looking.write("UPDATE findings SET reduced = ? WHERE id = ?", program, number)
    looking.write("UPDATE drafts SET title = ?, body = ?, repro = ?", HOSTILE, HOSTILE, HOSTILE)
    looking.write("UPDATE programs SET text = ?, strategy = ?", program, HOSTILE)
    looking.write("UPDATE replies SET text = ?, prompt = ?, class = ?, error = ?", HOSTILE, HOSTILE, HOSTILE, HOSTILE)
    looking.write("INSERT INTO events (at, level, what, text) VALUES (1, ?, ?, ?)", HOSTILE, HOSTILE, HOSTILE)
    looking.write("INSERT INTO harness_failures (text, at) VALUES (?, 1)", HOSTILE)
    looking.write("UPDATE triage SET issue = 'javascript:alert(1)'")
    looking.write(
        "INSERT INTO triage (finding, status, issue, note, checked, who, at) VALUES (?, 'new', ?, ?, ?, ?, 1)",
        number, "javascript:alert(1)//", HOSTILE, HOSTILE, HOSTILE,
    )  # fmt: skip
    looking.write_try(number, HOSTILE)
    screens = [
        "",
        "findings",
        f"finding/{number}",
        "replies",
        "reply/1",
        "program/1",
        "events",
        "workers",
        "strategies",
    ]
    for screen in screens:
        looking.go(f"#/{screen}")
        if screen.startswith(("finding", "reply/", "program", "events")):
            looking.wait_text("onerror=", "⟨U+202E⟩")
        shown = looking.text()
        assert not [each for each in shown if each in "\u202e\u202c\u200b\x1b\x07"], f"{screen}: something is hidden"
        assert looking.browser.title.endswith("– parityd"), f"{screen}: {looking.browser.title}"
        assert looking.all("main img, main script, main iframe") == [], f"{screen}: markup was made of text"
        elsewhere = looking.browser.execute_script(
            "return [...document.querySelectorAll('a')].map((e) => e.getAttribute('href') ?? '')"
            ".filter((to) => !to.startsWith('#') && !to.startsWith('https://github.com/pytorch/'))"
        )
        assert set(elsewhere) <= {""}, f"{screen}: {elsewhere}"


COUNT_ANSWERS = """window.answers = 0;
const real = window.fetch;
window.fetch = (...words) => real(...words).finally(() => { window.answers += 1; });"""


def answers(looking: Looking) -> int:
    """How often the page was answered since COUNT_ANSWERS, be it with 401."""
    return looking.browser.execute_script("return window.answers")


def token(looking: Looking) -> None:
    looking.open()
    looking.wait("dialog[open]")
    assert looking.all("main section") == [], looking.text()
    looking.browser.execute_script(COUNT_ANSWERS)
    looking.one("dialog input").send_keys("wrong", Keys.ENTER)
    looking.wait("dialog[open]")
    assert looking.all("main section") == []
    # Whoever fetches the token from elsewhere comes back to the tab: the page asks again beside the first question.
    looking.browser.execute_script("document.dispatchEvent(new Event('visibilitychange'))")
    wait_for("the second question", lambda: answers(looking) >= 2)
    looking.one("dialog input").send_keys(looking.token, Keys.ENTER)
    looking.wait("main section")
    before = answers(looking)
    wait_for("the page to be live", lambda: answers(looking) > before + 1)
    assert looking.token not in looking.browser.page_source
    assert looking.token not in looking.browser.current_url


def narrow(looking: Looking) -> None:
    looking.open()
    pictures = os.environ.get("PARITYD_TEST_PICTURES")
    number = finding_of(looking, "numerical")
    screens = ["", "findings", f"finding/{number}", "strategies", "workers", "replies", "reply/1", "events"]
    for width in (400, 1280):
        for dark in (False, True):
            looking.look(dark, width)
            for screen in screens:
                looking.go(f"#/{screen}")
                over = looking.browser.execute_script("return document.documentElement.scrollWidth - innerWidth")
                assert over <= 0, f"{screen!r} is {over} pixels too wide at {width}"
                ground = looking.browser.execute_script("return getComputedStyle(document.body).backgroundColor")
                assert (int(ground[4:].split(",")[0]) < 128) == dark, f"{ground} in {'dark' if dark else 'light'}"
                if pictures:
                    looking.photograph(pathlib.Path(pictures), screen, width, dark)


CASES = {f.__name__: f for f in (overview, findings, finding, triage, activity, live, keyboard, hostile, token, narrow)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parityd", required=True)
    parser.add_argument("case", choices=CASES)
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that everything below is ended and removed
    with tempfile.TemporaryDirectory(prefix="parityd-page-") as folder:
        looking = Looking(arguments.parityd, pathlib.Path(folder), "a-secret-word" if arguments.case == "token" else "")
        try:
            looking.work()
            CASES[arguments.case](looking)
            complaints = looking.complaints()
            assert complaints == [], complaints
        finally:
            looking.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
