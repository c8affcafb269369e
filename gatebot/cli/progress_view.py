"""Progress on standard error: a live line on a terminal, plain lines in a log, none when asked to be quiet."""

from __future__ import annotations

import sys

from gatebot.runner.progress import NoProgress, ProgressView, progress_view


def watcher(*, quiet: bool) -> ProgressView:
    """What is told how far a run is."""
    return NoProgress() if quiet else progress_view(sys.stderr)
