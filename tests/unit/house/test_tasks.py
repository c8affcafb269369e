"""The make targets and scripts: listed, documented, and clear about what is missing."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.unit.house.source_tree import ROOT

TARGETS = ("venv", "check", "test", "unit", "demo", "bench", "schema", "lock", "clean", "help")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
SCRIPTS = (ROOT / ".ci" / "run", *sorted((ROOT / "tools").glob("*.sh")))


def make_environment(python: Path, folder: Path) -> "subprocess.CompletedProcess[str]":
    """Run tools/venv.sh with a program of the test in the interpreter's place, and no package manager in reach."""
    return subprocess.run(
        [ROOT / "tools" / "venv.sh", python, folder / "venv"],
        env={"PATH": str(folder)},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


def fake_python(folder: Path, version: str) -> Path:
    """A program that answers the script's questions as an interpreter of that version without venv would."""
    for tool in ("bash", "dirname", "id"):
        (folder / tool).symlink_to(shutil.which(tool) or tool)
    program = folder / "python"
    old = int(version.split(".")[1]) < 11
    program.write_text(
        "#!/bin/sh\n"
        f'case "$2" in *print*) echo {version};; *sys.exit*) exit {int(old)};; *ensurepip*) exit 1;; esac\n',
        encoding="utf-8",
    )
    program.chmod(0o755)
    return program


@pytest.mark.parametrize("target", TARGETS)
def test_a_target_is_declared_and_explained(target: str) -> None:
    assert re.search(rf"^\.PHONY:.*\b{target}\b", MAKEFILE, re.MULTILINE)
    assert re.search(rf"^{target}:.*## \S", MAKEFILE, re.MULTILINE)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_a_script_stops_at_the_first_fault(script: Path) -> None:
    lines = script.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "#!/usr/bin/env bash"
    assert "set -euo pipefail" in lines
    assert script.stat().st_mode & 0o111
    subprocess.run(["bash", "-n", script], check=True, timeout=10)


def test_an_old_interpreter_is_named(tmp_path: Path) -> None:
    done = make_environment(fake_python(tmp_path, "3.9"), tmp_path)
    assert done.returncode == 2
    assert "needs Python 3.11 or newer" in done.stderr
    assert "3.9" in done.stderr
    assert "hint: " in done.stderr


def test_a_missing_interpreter_is_named(tmp_path: Path) -> None:
    fake_python(tmp_path, "3.11")
    done = make_environment(Path("no-such-python"), tmp_path)
    assert done.returncode == 2
    assert "no-such-python" in done.stderr
    assert "hint: " in done.stderr


def test_a_missing_venv_module_is_named(tmp_path: Path) -> None:
    done = make_environment(fake_python(tmp_path, "3.12"), tmp_path)
    assert done.returncode == 2
    assert "has no venv module" in done.stderr
    assert "python3.12-venv" in done.stderr
