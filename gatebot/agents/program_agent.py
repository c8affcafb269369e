"""An agent that is a program: one process per turn, all turns of a trial in one run directory and one deadline."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from gatebot.agents.conversation import Conversation, request_line
from gatebot.agents.course import Course, in_turn
from gatebot.agents.ending import CANCELLED, Ending, failure_of
from gatebot.agents.reply import BrokenReplyError, read_reply
from gatebot.agents.working_copy import is_copy, reopen, working_copy
from gatebot.model.trial import Trial
from gatebot.ports import SideEnvironment, TrialTask
from gatebot.process.environment import child_environment
from gatebot.process.launch import Launchers
from gatebot.process.program import LaunchRefusedError, Limits, Program
from gatebot.process.run_directory import RunDirectory
from gatebot.process.walls import Walls, walls_around

Finish = Callable[[TrialTask, Trial, SideEnvironment, RunDirectory], Trial]
"""What becomes of a trial whose agent has ended, while its run directory and working tree are still there."""
Prepare = Callable[[RunDirectory, SideEnvironment], tuple[str, ...]]
"""Puts what the program needs into the run directory and returns its argv. May raise OSError."""

_MEGABYTE = 1_000_000
_MOST_PROCESSES = 512
_MOST_BYTES = 1_000_000_000
_MOST_FILES = 100_000
LIMITS: Final = Limits(file_bytes=_MOST_BYTES, tree_bytes=_MOST_BYTES, tree_entries=_MOST_FILES)
"""What a trial may use; and at most so many processes, where they can be counted for it alone."""


class ProgramAgent:
    """Runs trials by starting a program that reads a request and prints a reply. Implements ports.Agent."""

    def __init__(
        self,
        launchers: Launchers,
        prepare: Prepare,
        max_output_mb: float,
        *,
        copies: bool = False,
        finish: Finish | None = None,
    ) -> None:
        """`copies`: each trial works in a writable copy of the checkout."""
        self._launchers = launchers
        self._prepare = prepare
        self._max_output_mb = max_output_mb
        self._copies = copies
        self._finish = finish

    def run(self, task: TrialTask, environment: SideEnvironment) -> Trial:
        """Run one trial to its end, turn by turn. Never raises on anything the agent does."""
        course = Course(Conversation.before(task.case))
        try:
            with self._launchers.run_directory((environment.checkout, *environment.bin_dirs)) as directory:
                here = environment
                if self._copies:
                    here = replace(environment, checkout=working_copy(directory, environment.checkout))
                self._take_turns(task, here, directory, course)
                trial = course.trial(task)
                return trial if self._finish is None else self._finish(task, trial, here, directory)
        except LaunchRefusedError:
            course.ending = Ending("infra_error", CANCELLED)
        except OSError as error:
            course.ending = Ending("infra_error", f"no run directory: {error.strerror}")
        return course.trial(task)

    def _take_turns(
        self, task: TrialTask, environment: SideEnvironment, directory: RunDirectory, course: Course
    ) -> None:
        argv = self._prepare(directory, environment)
        walls = walls_of(directory, environment)
        limit = time.monotonic() + task.timeout_s
        for number, turn in enumerate(task.case.turns, start=1):
            course.conversation = course.conversation.ask(turn)
            reopen(environment.checkout, directory)
            ended = self._launchers.launch(
                Program(
                    argv,
                    environment.checkout,
                    child_environment(
                        home=directory.home,
                        scratch=directory.scratch,
                        bin_dirs=environment.bin_dirs,
                        variables=environment.variables,
                        seed=task.seed,
                    ),
                    deadline_s=limit - time.monotonic(),
                    stdin=request_line(task, course.conversation),
                    max_stdout_bytes=int(self._max_output_mb * _MEGABYTE),
                    limits=limits_of(directory),
                    user=directory.user,
                    offline=environment.network == "none",
                    loopback=environment.network == "loopback",
                    walls=walls,
                )
            )
            course.take_end(ended)
            course.ending = failure_of(ended, argv[0], task.timeout_s, self._max_output_mb)
            if course.ending is None:
                try:
                    course.take_reply(read_reply(ended.stdout))
                except BrokenReplyError as error:
                    course.ending = Ending("agent_error", error.message)
            if course.ending is not None:
                course.ending = in_turn(course.ending, number, len(task.case.turns))
                return


def walls_of(directory: RunDirectory, environment: SideEnvironment) -> Walls:
    """What a trial's programs may reach: a working tree of the trial's own may be written too."""
    readable = (environment.checkout, *environment.readable)
    walls = walls_around(directory, readable, environment.bin_dirs, environment.writable)
    if not is_copy(environment.checkout, directory):
        return walls
    return replace(walls, writable=(*walls.writable, environment.checkout))


def limits_of(directory: RunDirectory) -> Limits:
    """LIMITS, with a bound on processes where the run has a user that they can be counted for."""
    return replace(LIMITS, processes=_MOST_PROCESSES if directory.user else None)
