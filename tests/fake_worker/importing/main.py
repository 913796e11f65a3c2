"""In place of executor/worker/importing/main.py: a changed file with the line `# fake: no import` does not import."""

import json
import os
from pathlib import Path


def main() -> None:
    with os.fdopen(int(os.environ["PARITYD_IN"]), "rb") as given:
        modules = json.loads(given.readline())["modules"]
        overlay = Path(os.environ.get("PYTHONPATH", "/nowhere"))
        failed = {}
        for module in modules:
            file = overlay.joinpath(*module.split(".")).with_suffix(".py")
            if file.exists() and "# fake: no import" in file.read_text():
                failed[module] = "ImportError: the fake worker was asked not to import it"
        os.write(int(os.environ["PARITYD_OUT"]), json.dumps({"failed": failed}).encode() + b"\n")


if __name__ == "__main__":
    main()
