"""Preparing a `python` agent: the worker script, and the interpreter that is the side's own."""

from __future__ import annotations

from pathlib import Path

from gatebot.agents.program_agent import Prepare
from gatebot.ports import SideEnvironment
from gatebot.process.run_directory import RunDirectory

_INTERPRETERS = ("python3", "python")


def python_function(target: str) -> Prepare:
    """Prepare `package.module:function`: its worker is copied to where the trial's user can read it."""
    source = Path(__file__).with_name("worker.py").read_bytes()

    def prepare(directory: RunDirectory, environment: SideEnvironment) -> tuple[str, ...]:
        folder = directory.path / "worker"
        folder.mkdir(mode=0o755)
        script = folder / "worker.py"
        script.write_bytes(source)
        script.chmod(0o644)
        return (interpreter(environment), str(script), target)

    return prepare


def interpreter(environment: SideEnvironment) -> str:
    """The Python of the side's environment if it has one, even a broken one; else `python3` of the system."""
    for folder in environment.bin_dirs:
        for name in _INTERPRETERS:
            candidate = Path(folder) / name
            if candidate.exists() or candidate.is_symlink():
                return str(candidate)
    return "python3"
