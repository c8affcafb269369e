"""The base's stored results between runs on GitHub: taken from a trusted run's artifact, and handed on as this run's."""

from __future__ import annotations

import datetime
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from gatebot.commands.ci.context import CiContext
from gatebot.commands.recorded_side import SideOrigin
from gatebot.errors import InfrastructureError, InputFileError
from gatebot.github_api.artifacts import members
from gatebot.github_api.errors import ApiError
from gatebot.github_api.result_store import download_store, newest_store, store_name
from gatebot.results.base_results import (
    BASE_RESULTS_FILE,
    MAX_BYTES,
    RecordedTrial,
    decode_base_results,
    encode_base_results,
    kept,
    valid,
)
from gatebot.results.plain_file import replace_file
from gatebot.results.store import ResultsDirectory

_LIMITS = {BASE_RESULTS_FILE: 4 * MAX_BYTES}


@dataclass(frozen=True, slots=True)
class StoredResults:
    """What the newest trusted run left behind, and a sentence on where it is from or why there is nothing."""

    trials: tuple[RecordedTrial, ...]
    told: str


@dataclass(frozen=True, slots=True)
class DefaultBranch:
    """The default branch and the commit it is at."""

    name: str
    tip: str


def stored_results(ci: CiContext, suite: str, branch: DefaultBranch) -> StoredResults:
    """The base's stored results; nothing, and why, when they cannot be had or believed. Never raises over them."""
    try:
        found = newest_store(ci.client, suite, branch.name, branch.tip)
        if found is None:
            return StoredResults((), "there are no stored results of the base yet: the base is run")
        held = members(download_store(ci.client, found), _LIMITS)
    except (ApiError, InputFileError) as error:
        hint = f"; {error.hint}" if error.hint else ""
        return StoredResults((), f"the base's stored results cannot be read: {error.message}{hint}")
    read = decode_base_results(held.get(BASE_RESULTS_FILE, b""))
    trials = tuple(one for one in read.trials if one.role == "reference" or valid(one, ci.today))
    recordings = sum(one.role == "recording" for one in trials)
    from_run = f"{recordings} stored trials of the base, from run {found.run_id}"
    others = f"; {found.passed_over} newer artifacts of that name are of runs that do not count"
    told = read.trouble or f"{from_run}{others if found.passed_over else ''}"
    return StoredResults(trials, told)


def recorded_of(
    results: ResultsDirectory, origin: SideOrigin, today: datetime.date
) -> tuple[RecordedTrial, ...]:
    """The trials of a finished run of one side, as recordings of `today` (UTC).

    An infrastructure error is no trial: the slot is run again another day.
    """
    return tuple(
        RecordedTrial(
            origin.of(trial.case, trial.slot),
            today,
            "recording",
            replace(trial, side="base", round=1, reused=False, cached=False),
        )
        for trial in results.trials()
        if trial.status != "infra_error" and trial.case in origin.cases
    )


def first_results(
    new: Iterable[RecordedTrial], references: Mapping[str, Mapping[int, RecordedTrial]]
) -> tuple[RecordedTrial, ...]:
    """The new trials of cases that have no reference yet, as references: the first results of a tree are what it is held to."""
    return tuple(replace(one, role="reference") for one in new if not references.get(one.trial.case))


def hand_on(
    ci: CiContext, suite: str, trials: Iterable[RecordedTrial], tree: str
) -> tuple[tuple[str, str], ...]:
    """Write the store for the workflow to upload; the step's outputs that say what and as what. Raises InfrastructureError."""
    place = ci.out_path.with_name(f"{ci.out_path.name}-store")
    try:
        if place.is_symlink() or place.is_file():
            place.unlink()
        elif place.exists():
            shutil.rmtree(place)
        place.mkdir(parents=True)
    except OSError as error:
        message = f"the base's results cannot be handed on: {error.strerror}"
        raise InfrastructureError(message, "make the workspace writable") from error
    data = encode_base_results(kept(tuple(trials), tree, ci.today))
    replace_file(place / ".gitignore", b"*\n")
    replace_file(place / BASE_RESULTS_FILE, data)
    return (("store", f"{ci.out}-store"), ("store-name", store_name(suite)))
