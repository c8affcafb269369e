"""Limits go over as resource names; what is None stays as it is."""

from __future__ import annotations

from gatebot.process.limits import Limits


def test_core_dumps_are_always_off() -> None:
    assert Limits(open_files=None).as_order() == {"RLIMIT_CORE": 0}


def test_each_limit_has_its_resource() -> None:
    assert Limits(open_files=1, file_bytes=2, processes=3).as_order() == {
        "RLIMIT_CORE": 0,
        "RLIMIT_NOFILE": 1,
        "RLIMIT_FSIZE": 2,
        "RLIMIT_NPROC": 3,
    }
