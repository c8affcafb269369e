"""Writes schema/*.json and docs/reference/*.md from the models: `python -m tools.schemas [--check]`."""

import sys
from pathlib import Path

from gatebot.suite.schemas import schema_files
from tools.reference import reference_files

ROOT = Path(__file__).parents[1]


def made_files() -> dict[str, bytes]:
    """Path relative to the root → what the file should hold."""
    pages = {f"docs/reference/{name}": text.encode() for name, text in reference_files().items()}
    return {**{f"schema/{name}": text for name, text in schema_files().items()}, **pages}


def stale(root: Path = ROOT) -> list[str]:
    """Paths of files that are missing, differ, or (schemas) that no model stands for any more."""
    made = made_files()
    wrong = [
        path
        for path, text in made.items()
        if not (root / path).is_file() or (root / path).read_bytes() != text
    ]
    extra = [
        f"schema/{file.name}" for file in (root / "schema").glob("*") if f"schema/{file.name}" not in made
    ]
    return sorted(wrong + extra)


def main(arguments: list[str]) -> int:
    """Write the files, or with `--check` only say which are stale (exit 1)."""
    if arguments == ["--check"]:
        found = stale()
        for path in found:
            print(f"stale: {path} (run `python -m tools.schemas`)")
        return 1 if found else 0
    if arguments:
        print("usage: python -m tools.schemas [--check]")
        return 2
    for path, text in made_files().items():
        target = ROOT / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
