"""zizmor and actionlint have nothing to say about the action and the workflows to copy; skipped where they are absent."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
WORKFLOWS = sorted(str(path) for path in (ROOT / "examples" / "workflows").glob("*.yml"))


def program(name: str) -> str:
    """The program beside this interpreter, or on PATH."""
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.is_file() else shutil.which(name)
    assert found is not None, f"{name} is in the locked dependencies: `make venv` installs it"
    return found


def test_zizmor_finds_nothing() -> None:
    command = [program("zizmor"), "--offline", "--no-progress", *WORKFLOWS, str(ROOT / "action.yml")]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_actionlint_finds_nothing() -> None:
    command = [program("actionlint"), *WORKFLOWS]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
