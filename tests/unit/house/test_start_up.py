"""What is imported before the first trial: a person waits for it, so what only deciding needs comes later."""

from __future__ import annotations

import subprocess
import sys

LATER = ("numpy", "scipy", "agentevals", "anthropic", "deepdiff", "github", "ssl", "rich")


def test_a_run_starts_without_what_only_deciding_needs() -> None:
    code = "import sys, gatebot.cli.app, gatebot.commands.run, gatebot.commands.gate; print(*sys.modules)"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(ended.stdout.split())
    assert loaded.isdisjoint(LATER)
    assert loaded.isdisjoint({"gatebot.commands.concluding", "gatebot.importers.detect"})
