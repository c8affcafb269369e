"""What an evaluation left behind, without the secrets its agents were given: files are uploaded, and comments are read."""

from __future__ import annotations

import mmap
import re
from pathlib import Path

from gatebot.commands.ci.context import CiContext
from gatebot.model.secret_form import BLOT
from gatebot.process.withheld import finder, secret_values
from gatebot.results.plain_file import replace_file
from gatebot.results.store import ResultsDirectory
from gatebot.suite.snapshot import SNAPSHOT_NAME


def withhold(ci: CiContext, results: ResultsDirectory) -> int:
    """Blot the secrets out of every file of the results; how many files held one. Raises GatebotError
    for a suite that cannot be read.

    Done before anything is graded anew, so that verdict, digests and candidate are of what is shown.
    """
    if not results.has(SNAPSHOT_NAME):
        return 0
    environment = ci.environment
    known = {**ci.variables, "TOKEN": environment.token, "KEY": environment.app_key}
    names = (*results.read_suite().config.agent.env, "TOKEN", "KEY")
    pattern = finder(secret_values(known, names))
    if pattern is None:
        return 0
    changed = sum(_cleaned(path, pattern) for path in sorted(results.path.rglob("*")) if _is_plain(path))
    if changed:
        ci.say(
            f"::warning title=gatebot::An agent wrote a secret into its output; {changed} files were cleaned of it."
        )
    return changed


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _cleaned(path: Path, pattern: re.Pattern[bytes]) -> bool:
    """Mapped and not read: a file of trials is large, and most hold no secret."""
    if not path.stat().st_size:
        return False
    with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as held:
        if not pattern.search(held):
            return False
    replace_file(path, pattern.sub(BLOT, path.read_bytes()))
    return True
