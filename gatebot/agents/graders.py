"""A case's own graders, after its trials: who is graded, and what comes of a grader or a machine that fails."""

from __future__ import annotations

import errno
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from gatebot.agents.ending import CANCELLED
from gatebot.agents.grader_bench import Grader, GraderBench, GraderInfrastructureError, kind_of
from gatebot.agents.working_copy import working_copy
from gatebot.model.suite import Case, SuiteFile
from gatebot.model.trial import GraderResult, Trial
from gatebot.ports import Agent, SideEnvironment, TrialTask
from gatebot.process.launch import Launchers
from gatebot.process.program import LaunchRefusedError
from gatebot.process.run_directory import RunDirectory

_MACHINE_ERRORS: Final = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.EIO}
)

GraderFiles = Mapping[str, Sequence[SuiteFile]]
"""Case id → the files its graders are made of, as the ruler's source has them."""


class Graders:
    """Runs the graders of each case on its completed trials."""

    def __init__(self, launchers: Launchers, files: GraderFiles) -> None:
        self._launchers = launchers
        self._files = files

    def finish(
        self, task: TrialTask, trial: Trial, environment: SideEnvironment, directory: RunDirectory
    ) -> Trial:
        """The trial with what the case's graders say of it; as it is when there are none, or it is not `completed`.

        `environment.checkout` is the trial's final working tree: a copy of its own where it lies in `directory`.
        Nothing of the agent may run any more. A grader that fails has said no and is at fault; a machine that fails
        makes the trial `infra_error`. Raises LaunchRefusedError when nothing more may be started.
        """
        wanted = _graders_of(task.case)
        if not wanted or trial.status != "completed":
            return trial
        files = tuple(self._files.get(task.case.id, ()))
        try:
            bench = GraderBench(self._launchers, environment, directory, files)
            bench.furnish()
            results = [bench.judge(grader, task.case, trial) for grader in wanted]
        except GraderInfrastructureError as error:
            return replace(trial, status="infra_error", reason=error.message)
        except OSError as error:
            if error.errno in _MACHINE_ERRORS:
                return replace(trial, status="infra_error", reason=f"no room for graders: {error.strerror}")
            why = f"its files cannot be put into the working tree: {error.strerror}"
            results = [GraderResult(kind_of(one), passed=False, reason=why, fault=True) for one in wanted]
        return replace(trial, grader_results=tuple(results))

    def following(self, agent: Agent, *, copies: bool) -> Agent:
        """An agent whose trials are graded although it has no run directory of its own; `copies`: in a fresh copy."""
        return _Graded(self, agent, self._launchers, copies)


@dataclass(frozen=True, slots=True)
class _Graded:
    graders: Graders
    agent: Agent
    launchers: Launchers
    copies: bool

    def run(self, task: TrialTask, environment: SideEnvironment) -> Trial:
        """The agent's trial, graded."""
        trial = self.agent.run(task, environment)
        if trial.status != "completed" or not _graders_of(task.case):
            return trial
        try:
            with self.launchers.run_directory((environment.checkout, *environment.bin_dirs)) as directory:
                here = environment
                if self.copies:
                    here = replace(environment, checkout=working_copy(directory, environment.checkout))
                return self.graders.finish(task, trial, here, directory)
        except LaunchRefusedError:
            return replace(trial, status="infra_error", reason=CANCELLED)
        except OSError as error:
            return replace(trial, status="infra_error", reason=f"no run directory: {error.strerror}")


def _graders_of(case: Case) -> tuple[Grader, ...]:
    """The case's graders in the order they are run: functions first, which add nothing to the working tree."""
    answer = case.expect.answer
    if answer is None:
        return ()
    return tuple(grader for grader in (answer.function, answer.command) if grader is not None)
