"""Where the graders of one trial work: the base's files, a fresh home, the trial's final working tree."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from gatebot.agents.ending import CANCELLED, failure_of
from gatebot.agents.grader_verdict import BrokenVerdictError, last_line, read_verdict
from gatebot.agents.program_agent import limits_of, walls_of
from gatebot.agents.python_function import interpreter
from gatebot.agents.working_copy import is_copy, lay_files, reopen
from gatebot.errors import InfrastructureError
from gatebot.importers.openai_render import render_openai_chat
from gatebot.model.case import FunctionExpectation, ProgramExpectation
from gatebot.model.json_value import JsonValue
from gatebot.model.suite import Case, SuiteFile
from gatebot.model.trial import GraderResult, Trial
from gatebot.ports import SideEnvironment
from gatebot.process.environment import child_environment
from gatebot.process.launch import Launchers
from gatebot.process.program import Ended, Program
from gatebot.process.run_directory import RunDirectory

GRADING_SCHEMA: Final = "gatebot.grading/1"
Grader = ProgramExpectation | FunctionExpectation
_STDOUT_MB: Final = 1.0
_MEGABYTE: Final = 1_000_000
_WORKER: Final = "grader_worker.py"


class GraderInfrastructureError(InfrastructureError):
    """The machine could not run a grader, which says nothing about the trial."""


def kind_of(grader: Grader) -> str:
    """The grader's name in a trial's results."""
    return "command" if isinstance(grader, ProgramExpectation) else "python"


@dataclass(frozen=True, slots=True)
class GraderBench:
    """`environment.checkout` is the trial's final working tree, `directory` its run directory, whose agent has ended."""

    launchers: Launchers
    environment: SideEnvironment
    directory: RunDirectory
    files: tuple[SuiteFile, ...]

    def furnish(self) -> None:
        """Make a home that no agent has seen, and a folder of the suite's files. Raises OSError."""
        user = self.directory.user
        for place in (self._run.home, self._run.scratch, self._suite):
            place.mkdir(mode=0o700)  # other trials, of other users, are not to find hidden tests in it
            if user is not None:
                os.chown(place, user.uid, user.uid)
        lay_files(self.files, self._suite, user)

    def judge(self, grader: Grader, case: Case, trial: Trial) -> GraderResult:
        """Run one grader on the trial. Raises OSError, GraderInfrastructureError, LaunchRefusedError."""
        own = is_copy(self.environment.checkout, self.directory)
        reopen(self.environment.checkout, self.directory)
        worktree = Path(self.environment.checkout) if own else self._suite
        request = json.dumps(
            grading_request(case, trial, worktree), ensure_ascii=False, separators=(",", ":")
        )
        stdin = request.encode("utf-8", "replace") + b"\n"
        if isinstance(grader, FunctionExpectation):
            return self._ask_function(grader, worktree, stdin)
        if own:
            lay_files(self.files, worktree, self.directory.user)
        return self._ask_program(grader, worktree, stdin)

    def _ask_program(self, grader: ProgramExpectation, worktree: Path, stdin: bytes) -> GraderResult:
        ended = self._launch(grader.run, worktree, stdin, grader.timeout)
        if ended.how == "exited":
            said = last_line(ended.stdout) or last_line(ended.stderr)
            reason = said or f"exited with code {ended.exit_code}"
            return GraderResult("command", ended.ok, reason=said if ended.ok else reason)
        return self._failed("command", ended, grader.run[0], grader.timeout)

    def _ask_function(self, grader: FunctionExpectation, worktree: Path, stdin: bytes) -> GraderResult:
        worker = self.directory.path / _WORKER
        worker.write_bytes(Path(__file__).with_name(_WORKER).read_bytes())
        worker.chmod(0o644)
        argv = (interpreter(self.environment), str(worker), str(self._suite), grader.call)
        ended = self._launch(argv, worktree, stdin, grader.timeout)
        if not ended.ok:
            return self._failed("python", ended, argv[0], grader.timeout)
        try:
            return read_verdict(ended.stdout, grader.threshold)
        except BrokenVerdictError as error:
            return GraderResult("python", passed=False, reason=error.message, fault=True)

    def _failed(self, kind: str, ended: Ended, program: str, timeout_s: float) -> GraderResult:
        """The result of a grader that gave no verdict: past its deadline it has said no, else it is at fault."""
        ending = failure_of(ended, program, timeout_s, _STDOUT_MB)
        if ending is not None and ending.status == "infra_error":
            reason = CANCELLED if ending.reason == CANCELLED else f"the grader: {ending.reason}"
            raise GraderInfrastructureError(reason)
        if ended.how == "timeout":
            return GraderResult(kind, passed=False, reason=f"no verdict within {timeout_s:g} s")
        return GraderResult(kind, passed=False, reason=ending.reason if ending else "", fault=True)

    def _launch(self, argv: tuple[str, ...], cwd: Path, stdin: bytes, timeout_s: float) -> Ended:
        """Run a grader behind the trial's walls and limits, without the variables that are the agent's."""
        run, side = self._run, self.environment
        walls = walls_of(run, side)
        return self.launchers.launch(
            Program(
                argv,
                cwd,
                child_environment(home=run.home, scratch=run.scratch, bin_dirs=side.bin_dirs),
                deadline_s=timeout_s,
                stdin=stdin,
                max_stdout_bytes=int(_STDOUT_MB * _MEGABYTE),
                limits=limits_of(run),
                user=run.user,
                offline=side.network == "none",
                loopback=side.network == "loopback",
                walls=replace(walls, writable=(*walls.writable, self._suite)),
            )
        )

    @property
    def _run(self) -> RunDirectory:
        path = self.directory.path
        return RunDirectory(path, path / "grader-home", path / "grader-tmp", self.directory.user)

    @property
    def _suite(self) -> Path:
        return self.directory.path / "suite"


def grading_request(case: Case, trial: Trial, worktree: Path) -> dict[str, JsonValue]:
    """What a grader reads: the case, what was asked, what the agent said and did. No golden, and no side."""
    script: list[JsonValue] = [{"role": turn.role, "content": turn.content} for turn in case.history]
    script += [{"role": "user", "content": text} for text in case.turns]
    return {
        "schema": GRADING_SCHEMA,
        "case": case.id,
        "input": case.turns[0] if case.plain else script,
        "context": case.context,
        "answer": trial.answer,
        "state": trial.state,
        "messages": render_openai_chat(trial.trajectory.messages),
        "workspace": str(worktree),
    }
