"""A side's `setup` commands, run in an environment of the side's own, without secrets."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Protocol

from gatebot.errors import InfrastructureError
from gatebot.process.environment import child_environment
from gatebot.process.identity import Identity
from gatebot.process.program import Ended, Limits, Program, shell_argv
from gatebot.process.run_directory import RunDirectory, remove_tree
from gatebot.process.walls import walls_around
from gatebot.workspace.left_behind import leads_elsewhere, special_file
from gatebot.workspace.ownership import lend, take_back
from gatebot.workspace.uv import beside_python, uv_for

TIMEOUT_S = 1800.0
MAX_LOG_BYTES = 16 * 1024 * 1024
LIMITS = Limits(file_bytes=8_000_000_000, tree_bytes=20_000_000_000, tree_entries=1_000_000)
"""What a setup may use; and at most so many processes, where they can be counted for it alone."""
ENVIRONMENT = "env"
_MOST_PROCESSES = 4096
_CONTROL = r"[^\n\t -~\xa0-\ud7ff\ue000-\uffff\U00010000-\U0010ffff]"  # compiled when a log is written, not at every start
_NEEDS_PYTHON = re.compile(r"\b(python|pip|uv|poetry|pdm|hatch)", re.IGNORECASE)
_NEEDS_PIP = re.compile(r"(?<!uv )\bpip3?\b")
_NEEDS_UV = re.compile(r"\buv\b")


class Launcher(Protocol):
    """What starts programs: `gatebot.process.launch.Launchers`."""

    def launch(self, program: Program) -> Ended:
        """Run one program to its end."""
        ...

    def run_directory(self, needed: Iterable[PurePath] = ()) -> AbstractContextManager[RunDirectory]:
        """A fresh HOME and TMPDIR, and where possible a user who can reach what is `needed`."""
        ...


@dataclass(frozen=True, slots=True)
class SideSetup:
    """What to set up: a side's shell command lines, run one after the other in the checkout's `folder` ("" = its top).

    `variables` may be seen by the commands (an index, a proxy); keys never belong there. `timeout_s` is per command.
    """

    commands: tuple[str, ...]
    checkout: Path
    folder: str = ""
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    timeout_s: float = TIMEOUT_S

    @property
    def directory(self) -> Path:
        """Where the commands run."""
        return self.checkout / self.folder


@dataclass(frozen=True, slots=True)
class SetupDone:
    """How it ended; `reason` in words when not `ok`. `bin_dirs` and `variables` belong to the side's trials."""

    ok: bool = True
    reason: str = ""
    bin_dirs: tuple[Path, ...] = ()
    variables: dict[str, str] = field(default_factory=dict[str, str])


def set_up(launchers: Launcher, setup: SideSetup, place: Path, log: Path) -> SetupDone:
    """Make an environment below `place` and run the commands, logged in `log`. Without commands nothing is done.

    Where trials have users of their own, so has the setup: the checkout and the environment belong to that user while
    it runs, and to gatebot afterwards. A command that fails makes the setup not `ok`, which is the side's fault.
    Raises InfrastructureError when no environment can be made though a command asks for Python, when the disk
    refuses, or when gatebot was told to stop.
    """
    if leads_elsewhere(setup.checkout, setup.folder) and setup.directory.exists():
        return SetupDone(ok=False, reason="the directory of gatebot.yaml is a link, or lies behind one")
    if not setup.commands:
        return SetupDone()
    environment = place / ENVIRONMENT
    lent = (setup.checkout, environment)
    try:
        remove_tree(environment)
        environment.mkdir()
        environment.chmod(0o755)
        log.write_text("", encoding="utf-8")
        with launchers.run_directory((setup.directory, environment)) as scratch:
            if scratch.user is not None:
                lend(lent, scratch.user.uid)
            reason = _Commands(launchers, setup, environment, scratch, log).run()
            if scratch.user is not None:
                reason = _taken_back(lent, scratch.user) or reason
    except OSError as error:
        message = f"cannot set up in {place}: {error.strerror}"
        raise InfrastructureError(
            message, "free some space, or name another directory with --cache"
        ) from error
    return SetupDone(ok=False, reason=reason) if reason else found_setup(place)


def found_setup(place: Path) -> SetupDone:
    """What an environment below `place` gives to trials, as an earlier `set_up` made it.

    Commands may put a link in its place: where that leads is not opened to anybody.
    """
    venv = place / ENVIRONMENT / "venv"
    if leads_elsewhere(place, f"{ENVIRONMENT}/venv/bin"):
        return SetupDone()
    variables = {"VIRTUAL_ENV": str(venv), "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"}
    return SetupDone(bin_dirs=(venv / "bin",), variables=variables)


def _taken_back(lent: Iterable[Path], user: Identity) -> str:
    try:
        take_back(lent, user.uid)
    except OSError as error:
        return f"the setup left files that cannot be read back: {error.strerror}"
    return ""


@dataclass(frozen=True, slots=True)
class _Commands:
    """One side's commands on their way."""

    launchers: Launcher
    setup: SideSetup
    environment: Path
    scratch: RunDirectory
    log: Path

    def run(self) -> str:
        """Make the environment, run the commands, compile what is Python; why it failed, or ""."""
        uv = uv_for(self.environment) if any(map(_NEEDS_UV.search, self.setup.commands)) else None
        self._make_environment(uv)
        tools = () if uv is None else (uv.parent,)
        for line in self.setup.commands:
            ended = self._launched(shell_argv(f"exec 2>&1\n{line}"), line, tools)
            shown = plain_text(line.encode())
            if not ended.ok:
                return f"`{shown}` {how_it_ended(ended, self.setup.timeout_s)}"
            if wrong := self._left(ended):
                return f"`{shown}` {wrong}"
        try:
            special = special_file((self.setup.checkout, self.environment))
        except OSError as error:
            return f"the setup left what cannot be read: {error.strerror}"
        if special:
            return f"the setup left something that is no file: {plain_text(os.fsencode(special))}"
        done = found_setup(self.environment.parent)
        if done.bin_dirs:
            # Trials write no byte code, and would each compile what they import.
            folders = (str(self.environment / "venv" / "lib"), str(self.setup.checkout))
            self._launched(("python", "-m", "compileall", "-q", "-q", *folders), "python -m compileall")
        return ""

    def _left(self, ended: Ended) -> str:
        """What a command left that must not be there, in words; "" without."""
        if ended.leftover:
            return "left processes that could not be ended"
        if leads_elsewhere(self.setup.checkout, self.setup.folder):
            return "put something else in the place of the directory it ran in"
        venv = self.environment / "venv"
        if os.path.lexists(venv) and leads_elsewhere(venv, "bin"):
            return "put something else in the place of the Python environment it ran in"
        return ""

    def _make_environment(self, uv: Path | None) -> None:
        """A virtual environment from the system's Python, so that nothing a side installs reaches the other side."""
        place = str(self.environment / "venv")
        argv: tuple[str, ...] = ("python3", "-m", "venv", place)
        if uv is not None and not any(map(_NEEDS_PIP.search, self.setup.commands)):
            argv = (str(uv), "venv", "--quiet", "--no-python-downloads", "--python", "python3", place)
        shown = f"{PurePath(argv[0]).name} {'venv' if uv is not None else '-m venv'}"
        ended = self._launched(argv, shown)
        if ended.ok:
            return
        remove_tree(self.environment / "venv")
        if any(_NEEDS_PYTHON.search(line) for line in self.setup.commands):
            how = how_it_ended(ended, self.setup.timeout_s)
            message = f"no Python environment could be made: `{shown}` {how}"
            raise InfrastructureError(
                message, "install python3 and python3-venv for the whole system (below /usr)"
            )

    def _launched(self, argv: tuple[str, ...], line: str, tools: tuple[Path, ...] = ()) -> Ended:
        """Run one program and add what it printed to the log. Raises InfrastructureError when we ended it ourselves."""
        done = found_setup(self.environment.parent)
        own = (self.setup.checkout, self.environment)
        program = Program(
            argv=argv,
            cwd=self.setup.directory,
            env=child_environment(
                home=self.scratch.home,
                scratch=self.scratch.scratch,
                bin_dirs=(*done.bin_dirs, *tools),
                variables={"UV_LINK_MODE": "copy", **self.setup.variables, **done.variables},
            ),
            deadline_s=self.setup.timeout_s,
            max_stdout_bytes=MAX_LOG_BYTES,
            limits=replace(LIMITS, processes=_MOST_PROCESSES if self.scratch.user else None),
            user=self.scratch.user,
            walls=replace(
                walls_around(
                    self.scratch,
                    (*places_in(self.setup.variables), beside_python().resolve()),
                    done.bin_dirs,
                    own,
                ),
                watched=own,
            ),
        )
        ended = self.launchers.launch(program)
        outcome = "" if ended.ok else f"[{how_it_ended(ended, program.deadline_s)}]\n"
        with self.log.open("a", encoding="utf-8") as stream:
            stream.write(
                f"$ {plain_text(line.encode())}\n{plain_text(ended.stdout + ended.stderr)}{outcome}\n"
            )
        if ended.how in ("terminated", "lost"):
            message = f"the setup {how_it_ended(ended, program.deadline_s)}"
            raise InfrastructureError(message, "run the same command again")
        return ended


def places_in(variables: Mapping[str, str]) -> list[Path]:
    """Local files and directories that variables name (an index of wheels, a certificate), which commands may read."""
    words = (word.removeprefix("file://") for value in variables.values() for word in value.split())
    return [Path(word) for word in words if word.startswith("/") and word != "/"]


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
        case "tree_cap":
            what = "wrote more than it may"
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
    return re.sub(_CONTROL, "\N{REPLACEMENT CHARACTER}", text)
