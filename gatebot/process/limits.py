"""How the launcher's child takes on resource limits. Standard library only, and little of it."""

from __future__ import annotations

import os
import resource
from collections.abc import Mapping


def take_on(limits: Mapping[str, int]) -> None:
    """Set the calling process's limits, soft and hard, never above the hard limit it has. Raises OSError.

    Only the kernel's own (`RLIMIT_…`): the others are watched over by the launcher.
    """
    for name, value in limits.items():
        if not name.startswith("RLIMIT_"):
            continue
        number = int(getattr(resource, name))
        hard = resource.getrlimit(number)[1]
        within = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(number, (within, within))


def be_first_out_of_memory() -> None:
    """Let the kernel choose the agent, not gatebot, when memory runs out (raising needs no privilege)."""
    try:
        descriptor = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
    except OSError:
        return  # no /proc here: a comfort is missing, not a wall
    try:
        os.write(descriptor, b"1000")
    except OSError:
        return
    finally:
        os.close(descriptor)
