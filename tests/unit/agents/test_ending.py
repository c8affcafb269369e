"""Each way a program can end has one status and one sentence; faults of the machine are told from the agent's."""

from __future__ import annotations

import errno

import pytest

from gatebot.agents.ending import CANCELLED, failure_of, stderr_text
from gatebot.model.trial import Status
from gatebot.process.program import Ended


def exited(code: int, stderr: bytes = b"") -> Ended:
    return Ended("exited", exit_code=code, stderr=stderr)


@pytest.mark.parametrize(
    ("ended", "status", "reason"),
    [
        (Ended("timeout"), "timeout", "no answer within 2.5 s"),
        (Ended("output_cap"), "agent_error", "printed more than 16 MB on standard output"),
        (Ended("terminated"), "infra_error", CANCELLED),
        (Ended("lost"), "agent_error", "killed the process that watches over it"),
        (Ended("signaled", signal=11), "agent_error", "ended by SIGSEGV"),
        (Ended("signaled", signal=9, stderr=b"last\n"), "agent_error", "ended by SIGKILL: last"),
        (Ended("signaled", signal=63), "agent_error", "ended by signal 63"),
        (exited(1), "agent_error", "exited with code 1"),
        (
            Ended("exited", exit_code=0, leftover=True),
            "agent_error",
            "left processes that could not be ended in time",
        ),
        (exited(2, b"first\n\n last \n\n"), "agent_error", "exited with code 2: last"),
        (exited(137), "agent_error", "exited with code 137 (SIGKILL)"),
        (exited(255), "agent_error", "exited with code 255"),
        (exited(1, b"\x1b[31mred\x07"), "agent_error", r"exited with code 1: \u{1b}[31mred\u{7}"),
        (exited(1, b"caf\xe9"), "agent_error", "exited with code 1: caf�"),
    ],
)  # fmt: skip
def test_how_it_ended_is_a_status(ended: Ended, status: Status, reason: str) -> None:
    assert failure_of(ended, "agent", 2.5, 16) == (status, reason)


def test_exit_code_0_is_no_failure() -> None:
    assert failure_of(exited(0, b"chatter"), "agent", 1, 1) is None


def test_last_words_are_bounded() -> None:
    failure = failure_of(exited(1, b"x" * 8000), "agent", 1, 1)
    assert failure is not None
    assert len(failure.reason) < 400


@pytest.mark.parametrize(
    ("stage", "number", "status", "said"),
    [
        ("program", errno.ENOENT, "agent_error", "command not found: my agent"),
        ("exec", errno.ENOENT, "agent_error", "the interpreter it names does not exist"),
        ("exec", errno.EACCES, "agent_error", "cannot run my agent: Permission denied"),
        ("exec", errno.ENOEXEC, "agent_error", "Exec format error"),
        ("exec", errno.E2BIG, "agent_error", "Argument list too long"),
        ("exec", errno.ENOMEM, "infra_error", "could not start my agent: Cannot allocate memory"),
        ("exec", errno.EAGAIN, "infra_error", "could not start"),
        ("fork", errno.EMFILE, "infra_error", "Too many open files"),
        ("fork", errno.EAGAIN, "infra_error", "could not start"),
        ("user", errno.EPERM, "infra_error", "Operation not permitted"),
        ("cwd", errno.ENOENT, "infra_error", "the checkout cannot be entered"),
        ("cwd", errno.EACCES, "infra_error", "the checkout cannot be entered: Permission denied"),
    ],
)  # fmt: skip
def test_what_could_not_start(stage: str, number: int, status: Status, said: str) -> None:
    ended = Ended("not_started", stage=stage, errno=number)  # pyright: ignore[reportArgumentType]
    failure = failure_of(ended, "my agent", 1, 1)
    assert failure is not None
    assert failure.status == status
    assert said in failure.reason


def test_a_cut_tail_says_so_and_begins_with_a_whole_character() -> None:
    cut = Ended("exited", stderr="ü".encode()[1:] + b"bc", stderr_cut=True)
    assert stderr_text(cut) == "…bc"
    assert stderr_text(exited(0, b"abc")) == "abc"
