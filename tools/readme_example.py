"""Writes the demo's comment, down to its first collapsed part, into README.md. `--check` exits 1 when it is stale."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
START = "<!-- example: made by `python -m tools.readme_example`, from the demo's own comment -->"
END = "<!-- /example -->"
MEASURED = re.compile(r"^<sub>.*</sub>$", re.MULTILINE)
"""The small print holds money and seconds, which are measured: it is shown, but not compared."""


def example(results: Path) -> str:
    """The comment without its hidden lines, cut before the first collapsed part, as a quotation."""
    comment = (results / "comment.md").read_text("utf-8")
    shown = comment.split("<details>", 1)[0]
    lines = [line for line in shown.splitlines() if not line.startswith("<!--")]
    return "\n".join(f"> {line}".rstrip() for line in lines).strip()


def embedded(text: str, shown: str) -> str:
    """The README with the example between its markers."""
    before, _, rest = text.partition(START)
    _, _, after = rest.partition(END)
    return f"{before}{START}\n\n{shown}\n\n{END}{after}"


def comparable(text: str) -> str:
    """A README without what is measured in the example."""
    return re.sub(r"(?m)^> <sub>.*</sub>$", "", MEASURED.sub("", text))


def main() -> int:
    """Run the demo and write or check the README."""
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results"
        command = [sys.executable, "-m", "gatebot", "demo", "--out", str(results)]
        subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
        text = README.read_text("utf-8")
        made = embedded(text, example(results))
    if "--check" in sys.argv[1:]:
        return int(comparable(made) != comparable(text))
    README.write_text(made, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
