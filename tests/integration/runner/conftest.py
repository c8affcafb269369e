"""The command line, and a count of what it starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.runner.counted import Launches, counting
from tests.integration.stories.command_line import CommandLine


@pytest.fixture
def gatebot(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> CommandLine:
    return CommandLine(capsys, tmp_path / "results")


@pytest.fixture
def launches(monkeypatch: pytest.MonkeyPatch) -> Launches:
    return counting(monkeypatch)
