"""A side's `setup` commands, run in an environment of the side's own, without secrets."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from gatebot.errors import InfrastructureError
from gatebot.model.trial import Side
from gatebot.process.environment import child_environment
from gatebot.process.program import Ended, Program, shell_argv
from gatebot.process.run_directory import RunDirectory, remove_tree, run_directory

TIMEOUT_S = 1800.0
MAX_LOG_BYTES = 16 * 1024 * 1024
_STAMP = "ready"
_CONTROL = re.compile(r"[^\n\t -~\xa0-\ud7ff\ue000-\uffff\U00010000-\U0010ffff]")
_NEEDS_PYTHON = re.compile(r"\b(python|pip|uv|poetry|pdm|hatch)", re.IGNORECASE)


class Launcher(Protocol):
    """What starts programs: `gatebot.process.launch.Launchers`."""

    def launch(self, program: Program) -> Ended:
        """Run one program to its end."""
        ...


@dataclass(frozen=True, slots=True)
class SideSetup:
    """What to set up: a side's shell command lines, run one after the other in `directory`.

    `digest` names the tree in that directory. `variables` may be seen by the commands (an index, a proxy); keys
    never belong there. `timeout_s` is per command.
    """

    side: Side
    commands: tuple[str, ...]
    directory: Path
    digest: str
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    timeout_s: float = TIMEOUT_S


@dataclass(frozen=True, slots=True)
class SetupDone:
    """How it ended; `reason` in words when not `ok`. `bin_dirs` and `variables` belong to the side's trials."""

    ok: bool = True
    reason: str = ""
    bin_dirs: tuple[Path, ...] = ()
    variables: dict[str, str] = field(default_factory=dict[str, str])


def set_up(launchers: Launcher, setup: SideSetup, work: Path, log: Path) -> SetupDone:
    """Make an environment below `work` and run the commands, logged in `log`. Without commands nothing is done.

    A command that fails makes the setup not `ok`, which is the side's fault. The same setup of the same tree in the
    same directory is not run twice: a stamp, written last, says that it was done. The environment's name does not
    tell the side. Raises InfrastructureError when no environment can be made though a command asks for Python, when
    the disk refuses, or when gatebot was told to stop.
    """
    if not setup.commands:
        return SetupDone()
    words = (setup.side, setup.digest, str(setup.directory), *setup.commands)
    name = hashlib.sha256("\0".join(words).encode()).hexdigest()[:16]
    place = work / f"env-{name}"
    try:
        if (place / _STAMP).is_file():
            return _done(place)
        remove_tree(place)
        place.mkdir()
        place.chmod(0o755)
        log.write_text("", encoding="utf-8")
        with run_directory(work) as scratch:
            reason = _run(launchers, setup, place, scratch, log)
        if reason:
            return SetupDone(ok=False, reason=reason)
        (place / _STAMP).write_bytes(b"")
        return _done(place)
    except OSError as error:
        message = f"cannot set up in {work}: {error.strerror}"
        raise InfrastructureError(
            message, "free some space, or point TMPDIR at a disk that has it"
        ) from error


def _run(launchers: Launcher, setup: SideSetup, place: Path, scratch: RunDirectory, log: Path) -> str:
    """Make the environment and run the commands; why it failed, or ""."""
    _make_environment(launchers, setup, place, scratch, log)
    done = _done(place)
    environment = child_environment(
        home=scratch.home,
        scratch=scratch.scratch,
        bin_dirs=done.bin_dirs,
        variables={**setup.variables, **done.variables},
    )
    for line in setup.commands:
        program = Program(
            argv=shell_argv(f"exec 2>&1\n{line}"),
            cwd=setup.directory,
            env=environment,
            deadline_s=setup.timeout_s,
            max_stdout_bytes=MAX_LOG_BYTES,
        )
        ended = _launched(launchers, program, line, log)
        if not ended.ok:
            return f"`{plain_text(line.encode())}` {how_it_ended(ended, setup.timeout_s)}"
    return ""


def _make_environment(
    launchers: Launcher, setup: SideSetup, place: Path, scratch: RunDirectory, log: Path
) -> None:
    """A virtual environment from the system's Python, so that nothing a side installs reaches the other side."""
    program = Program(
        argv=("python3", "-m", "venv", str(place / "venv")),
        cwd=scratch.home,
        env=child_environment(home=scratch.home, scratch=scratch.scratch),
        deadline_s=setup.timeout_s,
        max_stdout_bytes=MAX_LOG_BYTES,
    )
    ended = _launched(launchers, program, "python3 -m venv", log)
    if ended.ok:
        return
    remove_tree(place / "venv")
    if any(_NEEDS_PYTHON.search(line) for line in setup.commands):
        how = how_it_ended(ended, setup.timeout_s)
        message = f"no Python environment could be made: `python3 -m venv` {how}"
        raise InfrastructureError(
            message, "install python3 and python3-venv for the whole system (below /usr)"
        )


def _launched(launchers: Launcher, program: Program, line: str, log: Path) -> Ended:
    """Run one program and add what it printed to the log. Raises InfrastructureError when we ended it ourselves."""
    ended = launchers.launch(program)
    outcome = "" if ended.ok else f"[{how_it_ended(ended, program.deadline_s)}]\n"
    with log.open("a", encoding="utf-8") as stream:
        stream.write(f"$ {plain_text(line.encode())}\n{plain_text(ended.stdout + ended.stderr)}{outcome}\n")
    if ended.how in ("terminated", "lost"):
        message = f"the setup {how_it_ended(ended, program.deadline_s)}"
        raise InfrastructureError(message, "run the same command again")
    return ended


def _done(place: Path) -> SetupDone:
    venv = place / "venv"
    if not venv.is_dir():
        return SetupDone()
    variables = {"VIRTUAL_ENV": str(venv), "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"}
    return SetupDone(bin_dirs=(venv / "bin",), variables=variables)


def how_it_ended(ended: Ended, timeout_s: float) -> str:
    """What became of a command, in words that follow its name, with the last line it printed (at most 300 letters)."""
    match ended.how:
        case "exited":
            what = f"ended with exit code {ended.exit_code}"
        case "signaled":
            what = f"was ended by signal {ended.signal}"
        case "timeout":
            what = f"did not end within {timeout_s:g} s"
        case "output_cap":
            what = f"printed more than {MAX_LOG_BYTES // 1024 // 1024} MB"
        case "not_started":
            what = "could not be started"
        case "terminated" | "lost":
            what = "was ended from outside"
    lines = plain_text(ended.stdout + ended.stderr).split("\n")
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return f"{what}: {last[:300]}" if last else what


def plain_text(data: bytes) -> str:
    """What a program printed, as it may stand in a log: UTF-8 as far as it goes, no control characters."""
    text = data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)
