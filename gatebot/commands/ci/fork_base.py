"""The base that a fork's recording is held against: the default branch's own stored results, never what the fork sent."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from gatebot.commands.ci.base_store import DefaultBranch, stored_results
from gatebot.commands.ci.context import CiContext
from gatebot.commands.ci.reported import Sides
from gatebot.core.recordings import (
    FEWEST_SLOTS,
    RECORDED_SLOTS,
    as_recording,
    may_be_recorded,
    recorded_rounds,
)
from gatebot.github_api.pull_requests import branch_tip
from gatebot.github_api.repository import default_branch
from gatebot.model.plan import Plan
from gatebot.model.trial import Trial
from gatebot.results.base_results import RecordedTrial, valid
from gatebot.suite.snapshot import agent_digest, case_run_digest


@dataclass(frozen=True, slots=True)
class ForkBase:
    """Recorded trials per case, or why there are too few; `told` says where they are from."""

    trials: Mapping[str, Sequence[RecordedTrial]]
    lacking: str = ""
    told: str = ""

    def planned(self, plan: Plan) -> Plan:
        """The plan with these recordings as its base; a base that is lacking stops it."""
        if not self.trials:
            return replace(plan, stopped=self.lacking)
        counts = [(case, len(found)) for case, found in self.trials.items()]
        oldest = min(one.recorded for found in self.trials.values() for one in found)
        return replace(
            plan,
            base_recorded=min(count for _, count in counts),
            recorded_since=oldest.isoformat(),
            rounds=(*recorded_rounds(plan, counts, sentinel=False), *plan.rounds),
        )

    def recordings(self) -> Iterator[Trial]:
        """The recorded trials, in the slots that the plan names."""
        for case, found in sorted(self.trials.items()):
            for place, one in enumerate(found, start=1):
                yield as_recording(one.trial, case, place)


NOTHING_RECORDED = ForkBase({})
"""Of a head without a trial: there is nothing to hold against a base."""


def fork_base(ci: CiContext, sides: Sides, plan: Plan) -> ForkBase:
    """What is stored of exactly this base, as far as it may stand for it. Raises ApiError."""
    gate = sides.suite.config.gate
    if not may_be_recorded(plan, gate):
        return ForkBase({}, "what gates here cannot be held against a recorded base")
    name = default_branch(ci.client)
    stored = stored_results(ci, sides.suite.config.suite, DefaultBranch(name, branch_tip(ci.client, name)))
    cases = [case for case in sides.suite.cases if case.id not in sides.evaluation.ruler.new]
    digests = {case.id: case_run_digest(case) for case in cases}
    side = sides.evaluation.sides["base"]
    found = usable(
        stored.trials, (sides.examined["base"].digest, agent_digest(side.agent)), digests, ci.today
    )
    fewest = min((len(trials) for trials in found.values()), default=0)
    if fewest < FEWEST_SLOTS:
        lacking = (
            f"the stored results of the base hold {fewest} of the {FEWEST_SLOTS} trials of every case that it takes "
            f"({stored.told})"
        )
        return ForkBase({}, lacking)
    return ForkBase(found, told=f"The base comes from {stored.told}.")


def usable(
    trials: Sequence[RecordedTrial],
    agent: tuple[str, str],
    cases: Mapping[str, str],
    today: datetime.date,
) -> dict[str, list[RecordedTrial]]:
    """Case → the recordings of exactly this agent (digests of tree and configuration) asked exactly this, of one
    environment: the one that was recorded last. At most `RECORDED_SLOTS` a case, the newest first.
    """
    same = [
        one
        for one in trials
        if one.role == "recording"
        and (one.origin.tree, one.origin.agent) == agent
        and cases.get(one.trial.case) == one.origin.case
        and valid(one, today)
        and one.trial.status != "infra_error"
    ]
    newest = max(same, key=lambda one: (one.recorded, one.origin.environment), default=None)
    found: dict[str, list[RecordedTrial]] = {case: [] for case in cases}
    for one in sorted(same, key=lambda one: (-one.recorded.toordinal(), one.origin.slot)):
        if newest is not None and one.origin.environment == newest.origin.environment:
            found[one.trial.case].append(one)
    return {case: kept[:RECORDED_SLOTS] for case, kept in found.items()}
