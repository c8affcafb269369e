"""docs/tutorial.md, done as it stands there: its files written, its commands run in order."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

TUTORIAL = Path(__file__).parents[3] / "docs" / "tutorial.md"
FILE = re.compile(r"Write `([^`]+)`:\n\n```\w+\n(.*?)```", re.DOTALL)
COMMANDS = re.compile(r"```sh(?: exit (\d))?\n(.*?)```", re.DOTALL)
STEP = re.compile(rf"{FILE.pattern}|{COMMANDS.pattern}", re.DOTALL)


def steps(text: str) -> Iterator[tuple[str, str, int]]:
    """("write", path and text) and ("run", commands), in order, with the exit code that the last command has."""
    for found in STEP.finditer(text):
        path, content, code, commands = found.groups()
        if path is not None:
            yield path, content, -1
        else:
            yield "", commands, int(code or 0)


@pytest.mark.slow
def test_the_tutorial_does_what_it_says(tmp_path: Path) -> None:
    programs = Path(sys.executable).parent
    environment = {
        **os.environ,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "GIT_CONFIG_GLOBAL": os.devnull,
        **{f"GIT_{who}_NAME": "A Person" for who in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{who}_EMAIL": "person@example.org" for who in ("AUTHOR", "COMMITTER")},
    }
    place, told = tmp_path, ""
    for path, text, code in steps(TUTORIAL.read_text("utf-8")):
        if path:
            (place / path).write_text(text, encoding="utf-8")
            continue
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", text],
            cwd=place,
            env=environment,
            capture_output=True,
            check=False,
            timeout=100,
            text=True,
        )
        assert done.returncode == code, done.stdout + done.stderr
        told += done.stdout
        place = tmp_path / "desk"
    assert "blocked: 1 metric regressed\nconvergence regressed." in told
    assert "unanimous (5 of 5 trials)" in told
    kept = (place / "golden" / "packed.yaml").read_text("utf-8")
    assert kept.startswith("input: Where is my order 1002?\nexpect:\n  answer: {contains: packed}\ngolden:\n")
    assert kept.count("get_order:") == 2
