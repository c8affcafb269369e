"""A program needs a name; its limits go over as resource names, and what is None stays as it is."""

from __future__ import annotations

from pathlib import PurePath

import pytest

from gatebot.process.program import Ended, Limits, Program


def test_core_dumps_and_message_queues_are_always_off() -> None:
    assert Limits(open_files=None).as_order() == {"RLIMIT_CORE": 0, "RLIMIT_MSGQUEUE": 0}


def test_each_limit_has_its_resource() -> None:
    limits = Limits(open_files=1, file_bytes=2, processes=3, tree_bytes=4, tree_entries=5)
    assert limits.as_order() == {
        "RLIMIT_CORE": 0,
        "RLIMIT_MSGQUEUE": 0,
        "RLIMIT_NOFILE": 1,
        "RLIMIT_FSIZE": 2,
        "RLIMIT_NPROC": 3,
        "TREE_BYTES": 4,
        "TREE_ENTRIES": 5,
    }


@pytest.mark.parametrize("argv", [(), ("",)])
def test_a_program_needs_a_name(argv: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="needs a name"):
        Program(argv, PurePath("/"), {}, 1.0)


def test_only_exit_code_0_is_ok() -> None:
    assert Ended("exited", exit_code=0).ok
    assert not Ended("exited", exit_code=1).ok
    assert not Ended("timeout", exit_code=0).ok
