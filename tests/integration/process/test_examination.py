"""The sandbox tried in a thread while something else is done: the same answer, one answer, and nothing left behind."""

from __future__ import annotations

import os
from pathlib import Path

from gatebot.process.launch import Launchers
from gatebot.process.nursery import Nursery
from tests.integration.process.test_nursery import children


def test_what_was_begun_is_what_is_found(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    with Launchers(tmp_path) as launchers:
        expected = launchers.isolation(network="none")
        launchers.begin_examination("none")
        assert launchers.isolation(network="none") == expected


def test_what_was_begun_answers_no_other_question(tmp_path: Path) -> None:
    with Launchers(tmp_path) as launchers:
        launchers.begin_examination("open")
        assert launchers.isolation(network="none").offline


def test_closing_ends_an_examination_that_nobody_waits_for(tmp_path: Path) -> None:
    before = children(os.getpid())
    nursery = Nursery()
    nursery.start()
    with Launchers(tmp_path, nursery) as launchers:
        launchers.begin_examination()
    assert children(os.getpid()) == before
    assert not list(tmp_path.iterdir())
