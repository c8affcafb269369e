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


FAKE_PYTHON = """#!/bin/sh
here=$(dirname "$0")
case "$2" in
  *print*) echo {version} ;;
  *sys.exit*) exit {old} ;;
  *ensurepip*) test -e "$here/venv-is-installed" ;;
  venv) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
  pip) echo "$@" >>"$here/pip-calls" ;;
esac
"""
FAKE_APT = """#!/bin/sh
echo "$@" >>"$(dirname "$0")/apt-calls"
test "$1" != install || touch "$(dirname "$0")/venv-is-installed"
"""


def fake_python(folder: Path, version: str) -> Path:
    """A program that answers the script's questions as an interpreter of that version without venv would."""
    for tool in ("bash", "cp", "dirname", "mkdir", "touch"):
        (folder / tool).symlink_to(shutil.which(tool) or tool)
    write_program(folder / "id", "#!/bin/sh\necho 0\n")
    old = int(int(version.split(".")[1]) < 11)
    return write_program(folder / "python", FAKE_PYTHON.format(version=version, old=old))


def write_program(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path


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


def test_a_missing_venv_module_is_installed_where_that_is_possible(tmp_path: Path) -> None:
    python = fake_python(tmp_path, "3.12")
    write_program(tmp_path / "apt-get", FAKE_APT)
    done = make_environment(python, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "install -y -qq --no-install-recommends python3.12-venv" in (tmp_path / "apt-calls").read_text(
        "utf-8"
    )
    installs = (tmp_path / "venv" / "bin" / "pip-calls").read_text("utf-8").splitlines()
    assert [("--require-hashes" in install, "--no-deps" in install) for install in installs] == [
        (True, False),
        (False, True),
    ]
