"""A program to run and how it ended: the values that go in and out of the one door."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Literal

from gatebot.errors import GatebotError
from gatebot.process.identity import Identity
from gatebot.process.walls import Walls

Stage = Literal["fork", "prepare", "limits", "cwd", "program", "user", "network", "files", "exec"]
How = Literal["exited", "signaled", "timeout", "output_cap", "tree_cap", "not_started", "terminated", "lost"]

STDERR_TAIL_BYTES = 8192
DEFAULT_STDOUT_BYTES = 16_000_000


class LaunchRefusedError(GatebotError):
    """Nothing more is started: everything was told to end (Ctrl-C, SIGTERM)."""

    exit_code = 3

    def __init__(self) -> None:
        super().__init__("cancelled: no further program is started")


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits per process (`processes` per user, so it binds only under a user of the trial's own); None = as it is.

    `tree_bytes` and `tree_entries` bound what a run behind `walls` may have written at one time, all files together.
    Core dumps are always off: they would write memory to disk; so are message queues, which nobody would remove.
    """

    open_files: int | None = 4096
    file_bytes: int | None = None
    processes: int | None = None
    tree_bytes: int | None = None
    tree_entries: int | None = None

    def as_order(self) -> dict[str, int]:
        """Resource name → value, as the launcher takes them."""
        wanted = {
            "RLIMIT_CORE": 0,
            "RLIMIT_MSGQUEUE": 0,
            "RLIMIT_NOFILE": self.open_files,
            "RLIMIT_FSIZE": self.file_bytes,
            "RLIMIT_NPROC": self.processes,
            "TREE_BYTES": self.tree_bytes,
            "TREE_ENTRIES": self.tree_entries,
        }
        return {name: value for name, value in wanted.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Program:
    """One program to run, never through a shell (`shell_argv` makes the exception visible).

    `argv[0]` with a slash is relative to `cwd`, otherwise it is looked up on `env`'s PATH. `env` is the whole
    environment. `deadline_s` are wall seconds on the monotonic clock. `max_stdout_bytes`: printing more ends the
    run. Of standard error the last `stderr_tail_bytes` are kept. `user` is the run's own, None =
    gatebot's. `offline`: it can make no socket but unix ones. `loopback`: it has a loopback of its own, and no other
    network. `walls`: the only files it may reach, None = every file
    its user may.
    """

    argv: tuple[str, ...]
    cwd: PurePath
    env: Mapping[str, str]
    deadline_s: float
    stdin: bytes = b""
    max_stdout_bytes: int = DEFAULT_STDOUT_BYTES
    stderr_tail_bytes: int = STDERR_TAIL_BYTES
    limits: Limits = field(default_factory=Limits)
    user: Identity | None = None
    offline: bool = False
    loopback: bool = False
    walls: Walls | None = None

    def __post_init__(self) -> None:
        if not self.argv or not self.argv[0]:
            message = "a program needs a name"
            raise ValueError(message)


def shell_argv(line: str) -> tuple[str, ...]:
    """The argv of a shell command line that a person wrote in `setup`; nothing else goes through a shell."""
    return ("/bin/sh", "-c", line)


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended. Whatever the program did, everything it started is gone unless `leftover` says otherwise.

    how: `exited` (see `exit_code`) · `signaled` (see `signal`) · `timeout` · `output_cap` · `tree_cap` (it wrote
    too much) · `not_started` (see `stage` and `errno`) · `terminated` (by `terminate_all`) · `lost` (its launcher was killed).
    `stdout` holds at most `max_stdout_bytes`, `stderr` the tail. `wall_s` from fork to the main process's end,
    `cpu_s` of the whole tree. `strays`: processes still running when the main one ended.
    """

    how: How
    exit_code: int | None = None
    signal: int | None = None
    stage: Stage | None = None
    errno: int | None = None
    stdout: bytes = b""
    stderr: bytes = b""
    stderr_cut: bool = False
    wall_s: float = 0.0
    cpu_s: float | None = None
    strays: int = 0
    leftover: bool = False

    @property
    def ok(self) -> bool:
        """Whether the program ended by itself with exit code 0."""
        return self.how == "exited" and self.exit_code == 0
