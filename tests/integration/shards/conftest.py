"""The command line, as every story has it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.stories.command_line import CommandLine


@pytest.fixture
def gatebot(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> CommandLine:
    return CommandLine(capsys, tmp_path / "results")
