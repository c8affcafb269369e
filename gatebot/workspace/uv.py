"""Where uv is, for setup commands that ask for it."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from gatebot.process.environment import SYSTEM_PATH

_TOOLS = "tools"


def uv_for(environment: Path) -> Path | None:
    """A uv that the setup's user can run: the system's, else a link in `environment` to the one beside gatebot's Python.

    None when there is none. Raises OSError when the link cannot be made.
    """
    found = shutil.which("uv", path=":".join(map(str, SYSTEM_PATH)))
    if found is not None:
        return Path(found)
    beside = beside_python()
    if not os.access(beside, os.X_OK) or (os.geteuid() == 0 and not _for_everybody(beside.resolve())):
        return None
    tools = environment / _TOOLS
    tools.mkdir(exist_ok=True)
    link = tools / "uv"
    link.unlink(missing_ok=True)
    link.symlink_to(beside.resolve())
    return link


def _for_everybody(program: Path) -> bool:
    """Whether any user may run the program and enter the directories above it."""
    return all(place.stat().st_mode & 0o001 for place in (program, *program.parents))


def beside_python() -> Path:
    """Where a uv that came with gatebot lies, if one did."""
    return Path(sys.executable).parent / "uv"
