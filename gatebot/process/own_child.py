"""gatebot starting itself: the runner of a gate as a process of its own, whose environment holds no token.

Its output goes where ours goes. When we are told to end, it is told too, given a moment, and then killed.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

_GRACE_S = 3.0
_WITHHELD = ("GITHUB_", "ACTIONS_", "RUNNER_", "INPUT_", "LD_", "PYTHON", "GIT_")


def environment_without(variables: Mapping[str, str], secrets: Sequence[str]) -> dict[str, str]:
    """The variables but for the runner's own, those that change how programs are loaded, and any that hold a secret."""
    hidden = [secret for secret in secrets if secret]
    return {
        name: value
        for name, value in sorted(variables.items())
        if not name.upper().startswith(_WITHHELD) and not any(secret in value for secret in hidden)
    }


def run_gatebot(argv: Sequence[str], cwd: Path, environment: Mapping[str, str]) -> int:
    """Run `gatebot` with these arguments to its end; its exit code (negative: killed by that signal).

    `environment` is the whole of it. The program is this very installation, found without looking at `cwd`.
    """
    package = str(Path(__file__).resolve().parents[2])
    boot = "import sys; sys.path.insert(0, sys.argv.pop(1)); from gatebot.__main__ import main; main()"
    with subprocess.Popen(
        [sys.executable, "-I", "-c", boot, package, *argv],
        cwd=cwd,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
    ) as child:
        try:
            return child.wait()
        except BaseException:
            child.terminate()
            try:
                child.wait(_GRACE_S)
            except subprocess.TimeoutExpired:
                child.kill()
            raise
