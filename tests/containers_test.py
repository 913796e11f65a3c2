"""The container recipes, read where nothing can build them: instructions parse, what they copy and call is there, and
their packages are bootstrap's. Each check is shown a recipe that breaks it."""

import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

INSTRUCTIONS = {
    "ADD",
    "ARG",
    "CMD",
    "COPY",
    "ENTRYPOINT",
    "ENV",
    "EXPOSE",
    "FROM",
    "HEALTHCHECK",
    "LABEL",
    "RUN",
    "SHELL",
}
INSTRUCTIONS |= {"STOPSIGNAL", "USER", "VOLUME", "WORKDIR"}
# Of a bare image; people's machines have them.
MORE_PACKAGES = {"ca-certificates"}
RECIPES = ("Containerfile", "Containerfile.cuda")


def instructions(text: str) -> list[tuple[str, str]]:
    """Comment lines go, also inside continued ones, as builders do it."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    whole = re.sub(r"\\\n", " ", "\n".join(lines) + "\n")
    return [tuple((line.split(None, 1) + [""])[:2]) for line in whole.splitlines() if line.strip()]


def packages_of_bootstrap(root: pathlib.Path) -> set[str]:
    text = (root / "bootstrap").read_text()
    lists = re.findall(r"<<'LIST'\n(.*?)\nLIST", text, re.DOTALL)
    named = {line.split()[1] for each in lists for line in each.splitlines()}
    return named | set(re.findall(r"\|\| echo ([a-z0-9-]+)", text))


def installed(command: str) -> set[str]:
    found = set()
    for step in command.split("&&"):
        words = shlex.split(step)
        if words[:1] == ["apt-get"] and "install" in words:
            found |= {word for word in words[words.index("install") + 1 :] if not word.startswith("-")}
    return found


def wrong_in_run(root: pathlib.Path, command: str) -> list[str]:
    wrong = []
    unknown = installed(command) - packages_of_bootstrap(root) - MORE_PACKAGES
    if unknown:
        wrong.append(f"packages that bootstrap does not know: {sorted(unknown)}")
    if installed(command) and not {"--no-install-recommends", "-y"} <= set(shlex.split(command)):
        wrong.append("apt-get install without -y --no-install-recommends")
    if installed(command) and "rm -rf /var/lib/apt/lists/*" not in command:
        wrong.append("apt's lists stay in the image")
    presets = {each["name"] for each in json.loads((root / "CMakePresets.json").read_text())["configurePresets"]}
    for preset in re.findall(r"--preset (\S+)", command):
        if preset not in presets:
            wrong.append(f"no such preset: {preset}")
        if f"build/{preset}" not in command:
            wrong.append(f"preset {preset} is not what is built")
    shell = subprocess.run(["bash", "-n", "-c", command], capture_output=True, text=True, check=False)
    if shell.returncode != 0:
        wrong.append(shell.stderr.strip())
    return wrong


def wrong_in_copy(root: pathlib.Path, words: list[str]) -> list[str]:
    sources = [word for word in words if not word.startswith("--")][:-1]
    if any(word.startswith("--from=") for word in words):
        return []
    ignored = (root / ".dockerignore").read_text().split()
    missing = [source for source in sources if not (root / source).exists() or source in ignored]
    return [f"COPY of what is not there: {missing}"] if missing or not sources else []


def wrong_in(root: pathlib.Path, text: str) -> list[str]:
    wrong, steps = [], instructions(text)
    for name, rest in steps:
        if name not in INSTRUCTIONS or not rest:
            wrong.append(f"no instruction: {name} {rest}")
        elif name == "RUN":
            wrong += wrong_in_run(root, rest)
        elif name == "COPY":
            wrong += wrong_in_copy(root, rest.split())
        elif name in ("ENTRYPOINT", "CMD"):
            try:
                wrong += [] if isinstance(json.loads(rest), list) else [f"{name} is no array"]
            except json.JSONDecodeError:
                wrong.append(f"{name} is no array: a shell would stand between it and signals")
        elif name == "ENV" and not all("=" in word for word in shlex.split(rest)):
            wrong.append(f"ENV without =: {rest}")
        elif name == "FROM" and not re.fullmatch(r"[a-z0-9./-]+:[a-z0-9.-]+( AS [a-z]+)?", rest):
            wrong.append(f"FROM without a fixed version: {rest}")
    names = [name for name, _ in steps]
    if names[:1] != ["FROM"] or not {"ENTRYPOINT", "VOLUME"} <= set(names):
        wrong.append("it must begin with FROM and have an ENTRYPOINT and a VOLUME")
    torch = re.search(r"tested_torches=\(\[[\d.]+\]=([\d.]+)", (root / "bootstrap").read_text())[1]
    if f"ARG TORCH={torch}\n" not in text:
        wrong.append(f"its torch is not bootstrap's, {torch}")
    return wrong


def check_the_checks(root: pathlib.Path, text: str) -> None:
    for old, new in (
        ("RUN ", "RUNN "),
        (" ninja-build ", " ninja "),
        ("COPY . .", "COPY nowhere ."),
        ("COPY . .", "COPY build ."),
        ("--preset release", "--preset fast"),
        ("--no-install-recommends", ""),
        ("&& rm -rf /var/lib/apt/lists/*", "&& true"),
        ("&& rm -rf /usr/src/parityd", "&& rm 'x"),
        ('ENTRYPOINT ["parityd"]', "ENTRYPOINT parityd"),
        ("ENV STATE_DIRECTORY=", "ENV STATE_DIRECTORY "),
        ("ARG TORCH=", "ARG TORCH=1"),
        ("VOLUME /var/lib/parityd\n", ""),
    ):
        assert old in text, old
        try:
            found = wrong_in(root, text.replace(old, new, 1))
        except ValueError:  # shlex: no quotation ends
            continue
        assert found, f"nothing was said of {new!r} in place of {old!r}"


def main() -> int:
    root = pathlib.Path(sys.argv[1])
    assert len(packages_of_bootstrap(root)) > 15
    wrong = []
    for name in RECIPES:
        text = (root / name).read_text()
        wrong += [f"{name}: {each}" for each in wrong_in(root, text)]
        check_the_checks(root, text)
        if shutil.which("hadolint"):
            done = subprocess.run(
                ["hadolint", "--ignore", "DL3008", root / name], capture_output=True, text=True, check=False
            )
            wrong += done.stdout.splitlines()
    # They differ in what they stand on, and nowhere else.
    bare = [
        re.sub(r"^(#.*|FROM .*|ARG TORCH_INDEX=.*)$", "", (root / name).read_text(), flags=re.M) for name in RECIPES
    ]
    wrong += [] if bare[0] == bare[1] else ["the recipes differ in more than their base and torch's index"]
    for each in wrong:
        print("WRONG:", each)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
