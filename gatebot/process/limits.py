"""Resource limits of a started program: what they are, and how the child takes them on. Standard library only."""

from __future__ import annotations

import resource
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits per process (`processes` per user, so it binds only under a user of the trial's own); None = as it is.

    Core dumps are always off: they would write memory to disk.
    """

    open_files: int | None = 4096
    file_bytes: int | None = None
    processes: int | None = None

    def as_order(self) -> dict[str, int]:
        """Resource name → value, as the launcher takes them."""
        wanted = {
            "RLIMIT_CORE": 0,
            "RLIMIT_NOFILE": self.open_files,
            "RLIMIT_FSIZE": self.file_bytes,
            "RLIMIT_NPROC": self.processes,
        }
        return {name: value for name, value in wanted.items() if value is not None}


def take_on(limits: dict[str, int]) -> None:
    """Set the calling process's limits, soft and hard, never above the hard limit it has. Raises OSError."""
    for name, value in limits.items():
        number = int(getattr(resource, name))
        hard = resource.getrlimit(number)[1]
        within = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(number, (within, within))


def be_first_out_of_memory() -> None:
    """Let the kernel choose the agent, not gatebot, when memory runs out (raising needs no privilege)."""
    try:
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
    except OSError:
        return  # no /proc here: a comfort is missing, not a wall
