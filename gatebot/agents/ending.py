"""From how a program ended to how the trial ended: the status and one sentence that says why."""

from __future__ import annotations

import errno
import os
import signal
from typing import Final, NamedTuple

from gatebot.model.trial import Status
from gatebot.process.program import Ended
from gatebot.render.visible import visible

CANCELLED: Final = "cancelled"
"""The reason of a trial that was ended because gatebot was told to stop; it says nothing about the agent."""
_LAST_LINE_LIMIT: Final = 300
_SHELL_SIGNAL_BASE: Final = 128
_MACHINE_ERRORS: Final = frozenset(
    {errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ENOSPC, errno.EIO, errno.ETIMEDOUT}
)
_OURS: Final = frozenset({"fork", "prepare", "limits", "user", "network", "files"})
"""Stages of a start at which nothing of the agent's has a say."""


class Ending(NamedTuple):
    """A status other than `completed`, and why."""

    status: Status
    reason: str


def failure_of(ended: Ended, program: str, timeout_s: float, output_mb: float) -> Ending | None:
    """Why the trial cannot be completed, or None when the program ended by itself with exit code 0.

    What the agent does is an `agent_error`, also when it kills what watches it; only what the machine could not do
    is an `infra_error`.
    """
    if ended.how == "timeout":
        return Ending("timeout", f"no answer within {timeout_s:g} s")
    if ended.how == "output_cap":
        return Ending("agent_error", f"printed more than {output_mb:g} MB on standard output")
    if ended.how == "tree_cap":
        return Ending("agent_error", "filled the disk: too many bytes, files or levels in its directories")
    if ended.how == "terminated":
        return Ending("infra_error", CANCELLED)
    if ended.how == "lost":
        return Ending("agent_error", "killed the process that watches over it")
    if ended.how == "not_started":
        return _not_started(ended, program)
    if ended.how == "signaled":
        return Ending("agent_error", f"ended by {_signal_name(ended.signal)}{_last_words(ended)}")
    if ended.exit_code:
        return Ending("agent_error", f"exited with code {_code(ended.exit_code)}{_last_words(ended)}")
    if ended.leftover:  # what still runs could change what graders look at
        return Ending("agent_error", "left processes that could not be ended in time")
    return None


def stderr_text(ended: Ended) -> str:
    """The tail of standard error as text; what is not UTF-8 becomes replacement characters."""
    text = ended.stderr.decode("utf-8", "replace")
    return f"…{text.lstrip(chr(0xFFFD))}" if ended.stderr_cut else text


def _not_started(ended: Ended, program: str) -> Ending:
    why = os.strerror(ended.errno or errno.EIO)
    name = visible(program, 100)
    if ended.errno in _MACHINE_ERRORS or ended.stage in _OURS:
        return Ending("infra_error", f"could not start {name}: {why}")
    if ended.stage == "cwd":
        return Ending("infra_error", f"the checkout cannot be entered: {why}")
    if ended.errno == errno.ENOENT and ended.stage == "program":
        return Ending("agent_error", f"command not found: {name}")
    if ended.errno == errno.ENOENT:
        return Ending("agent_error", f"{name} or the interpreter it names does not exist")
    return Ending("agent_error", f"cannot run {name}: {why}")


def _signal_name(number: int | None) -> str:
    try:
        return signal.Signals(number or 0).name
    except ValueError:
        return f"signal {number}"


def _code(code: int) -> str:
    """An exit code, with the signal that a shell reports by it."""
    if code > _SHELL_SIGNAL_BASE:
        name = _signal_name(code - _SHELL_SIGNAL_BASE)
        return f"{code} ({name})" if name.startswith("SIG") else str(code)
    return str(code)


def _last_words(ended: Ended) -> str:
    lines = stderr_text(ended).strip().splitlines()
    return f": {visible(lines[-1].strip(), _LAST_LINE_LIMIT)}" if lines else ""
