"""F43: whose fault an installation is that fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import CONFIG, Project, book, shop, wrong
from tests.integration.stories.command_line import CommandLine

WORKS = CONFIG.replace("timeout: 20", "timeout: 20, setup: ['true']")
FAILS = CONFIG.replace("timeout: 20", "timeout: 20, setup: ['echo no such package >&2; exit 7']")


@pytest.mark.parametrize(
    ("base", "head", "code", "conclusion"),
    [
        (WORKS, FAILS, 1, "fail"),
        (FAILS, WORKS, 3, "not_evaluated"),
        (FAILS, FAILS.replace("exit 7", "exit 8"), 3, "not_evaluated"),
    ],
)
def test_a_setup_that_fails(
    gatebot: CommandLine, tmp_path: Path, base: str, head: str, code: int, conclusion: str
) -> None:
    project = Project(tmp_path / "shop", shop(config=base))
    first = str(project.repository.head.target)
    project.commit({"gatebot.yaml": head, "book.json": book(wrong("hours"))})
    ended = gatebot.gate(project.root, first, "HEAD")
    report = gatebot.report()
    assert (ended.code, report["conclusion"]) == (code, conclusion), ended.told
    assert "no such package" in str(report["reason"]) + gatebot.comment()
    assert gatebot.trials() == []
