"""What a run beside no token left behind: raw trials and a plan, taken one by one and only where they are what was to be
run. Scores, reports and words of it are never looked at.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from gatebot.commands.ci.context import CiContext
from gatebot.errors import InputFileError, Location
from gatebot.github_api.artifacts import artifact_name, fetch_members
from gatebot.github_api.errors import ApiError
from gatebot.github_api.runs import Run
from gatebot.model.plan import Plan
from gatebot.model.trial import Trial, TrialKey
from gatebot.results.journal import TRIALS_FILE, read_trials
from gatebot.results.store import PLAN_FILE, ResultsDirectory
from gatebot.runner.schedule import seed_for

MAX_TRIALS_BYTES = 128 * 1024 * 1024
MAX_LINE_BYTES = 8 * 1024 * 1024
MAX_PLAN_BYTES = 16 * 1024 * 1024
_ENDINGS = {
    "action_required": "the run waits for a maintainer's approval",
    "cancelled": "the run was cancelled",
    "timed_out": "the run took too long and was ended",
}


@dataclass(slots=True)
class Claims:
    """The files of a run's artifact in a directory of ours. `foreign` counts trials that were not to be run."""

    folder: Path
    foreign: int = 0
    taken: set[TrialKey] = field(default_factory=set[TrialKey])

    def trials(self, planned: Collection[TrialKey]) -> Iterator[Trial]:
        """The trials of `planned`, each once, without what only their writer can know.

        Another side, case, slot or seed than was to be run is left out and counted. Raises InputFileError.
        """
        file = self.folder / TRIALS_FILE
        if file.exists():
            _check_lines(file)
        for trial in read_trials(file):
            if trial.key not in planned or trial.seed != seed_for(trial.case, trial.slot):
                self.foreign += 1
                continue
            self.taken.add(trial.key)
            yield replace(trial, reused=False, trace_url=None)

    def plan(self) -> Plan:
        """The plan as the run wrote it. Raises InputFileError."""
        return ResultsDirectory(self.folder).read_plan()


@dataclass(frozen=True, slots=True)
class NoClaims:
    """Why a run's artifact cannot be used, in a sentence, and what to do."""

    why: str
    todo: str = ""


def claims_of(ci: CiContext, run: Run, suite: str, folder: Path) -> Claims | NoClaims:
    """The artifact of exactly this attempt of the run, its files in `folder`; or why there is none to use.

    Raises ApiError for what is no fault of the artifact: a missing permission, an outage.
    """
    limits = {TRIALS_FILE: MAX_TRIALS_BYTES, PLAN_FILE: MAX_PLAN_BYTES}
    try:
        found = fetch_members(ci.client, run.id, artifact_name(suite, run.attempt), folder, limits)
    except InputFileError as error:
        return NoClaims(f"what the run uploaded cannot be used: {error.message}")
    except ApiError as error:
        if error.kind == "not_found":
            why = _ENDINGS.get(run.conclusion, "the run left no results, or they have expired")
            return NoClaims(why, "its log says what became of it")
        if error.kind == "malformed":
            return NoClaims("what the run uploaded cannot be used: it is too large or damaged")
        raise
    if not found:
        return NoClaims("the run uploaded neither a plan nor trials", "its log says what became of it")
    return Claims(folder)


def _check_lines(path: Path) -> None:
    """See that no line is longer than any trial, before one is read whole. Raises InputFileError."""
    with path.open("rb") as stream:
        number = 1
        while line := stream.readline(MAX_LINE_BYTES + 1):
            if len(line) > MAX_LINE_BYTES:
                message = f"a line of more than {MAX_LINE_BYTES // 1024 // 1024} MB"
                raise InputFileError(message, "no trial is that long", location=Location(path.name, number))
            number += 1
