"""`gatebot aa`: a commit against itself on fresh slots, or recorded trials split at random: what is red is a false alarm."""

from __future__ import annotations

import datetime
from dataclasses import replace
from pathlib import Path

from gatebot.commands.compare import Recording
from gatebot.commands.evaluation import evaluate
from gatebot.commands.grading import Tally, graded
from gatebot.commands.request import EvaluationRequest
from gatebot.commands.ruler import one_side_ruler
from gatebot.commands.sides import open_side, opened
from gatebot.commands.views import Evaluation, SideView
from gatebot.core.evidence import Evidence
from gatebot.core.rounds import seed_plan
from gatebot.core.splitting import Splits, outcomes_of, split_alarms
from gatebot.errors import InputFileError
from gatebot.model.report import Report
from gatebot.model.trial import Side
from gatebot.results.journal import read_trials
from gatebot.runner.progress import ProgressView
from gatebot.suite.snapshot import digests
from gatebot.suite.source import suite_directory


def aa(request: EvaluationRequest, *, ref: str, first_slot: int, watch: ProgressView) -> Report:
    """Run `ref` on both sides: the base on slots first … first+k−1, the head on the k after them."""
    place = opened(request)
    side = open_side(place, ref)
    ruler = one_side_ruler(side.tree, place.config_path, request.cases, request.today)
    ruler = replace(ruler, base_agent=ruler.head_agent).with_notes(
        "A/A: the same commit on both sides; whatever got worse here is a false alarm."
    )
    count = seed_plan(ruler.suite.config.seeds, request.seeds, compared=True).count
    base = SideView(side.tree, side.commit.sha, side.label, ruler.head_agent, side.dirty, first_slot)
    head = replace(base, first_slot=first_slot + count)
    sides: dict[Side, SideView] = {"base": base, "head": head}
    return evaluate(Evaluation("aa", ruler, sides, place.config_path, shared_tree=True), request, watch)


def aa_recorded(recording: Recording, suite: Path, config: str, today: datetime.date, splits: int) -> Splits:
    """Split one agent's recorded trials at random, `splits` times, and count how often the gate closes.

    The head's trials where there are any, else the base's. A tenth as many splits get each planted regression.
    Raises InputFileError when there is nothing to split, ConfigError for the suite.
    """
    ruler = one_side_ruler(suite_directory(suite), config, (), today)
    if not recording.file.is_file():
        raise InputFileError(
            f"no recorded trials at {recording.place}", "give a trials.jsonl, or its directory"
        )
    evidence = Evidence(frozenset(), ruler.gating)
    trials = (
        trial
        for trial in read_trials(recording.file)
        if recording.slots is None or trial.slot in recording.slots
    )
    for grade in graded(trials, ruler.suite, Tally(digests(ruler.suite).grading)):
        evidence.add(replace(grade, cached=False))
    gate = ruler.suite.config.gate
    held: Side = "head" if any(evidence.sample_rows(case, "head") for case in ruler.gating) else "base"
    recorded = outcomes_of(evidence, gate, held)
    if not recorded.cases or recorded.values["pass_rate"].shape[1] < 2:
        raise InputFileError(
            f"{recording.file.name} holds no two trials of any case of the suite", "record more slots"
        )
    return split_alarms(recorded, gate, splits=splits, planted=max(1, splits // 10))
