"""The plan of an evaluation before its first round: what it is an evaluation of."""

from __future__ import annotations

from collections.abc import Mapping

from gatebot.commands.request import EvaluationRequest
from gatebot.commands.views import Evaluation, side_info
from gatebot.core.rounds import seed_plan
from gatebot.model.plan import Plan
from gatebot.model.trial import Side
from gatebot.process.environment import AllowedVariables, allowed_variables
from gatebot.suite.snapshot import digests
from gatebot.workspace.checkout import Examined


def plan_of(evaluation: Evaluation, request: EvaluationRequest, examined: Mapping[Side, Examined]) -> Plan:
    """The plan of an evaluation before its first round."""
    suite = evaluation.ruler.suite
    seeds = seed_plan(suite.config.seeds, request.seeds, compared=len(evaluation.sides) > 1)
    infos = {side: side_info(view, examined[side]) for side, view in evaluation.sides.items()}
    variables = allowed_variables(suite.config.agent.env, request.environment)
    return Plan(
        activity=evaluation.activity,
        suite=suite.config.suite,
        digests=digests(suite),
        base=infos.get("base"),
        head=infos.get("head"),
        seeds=seeds.count,
        sequential=seeds.sequential and request.shard is None,
        shard="" if request.shard is None else str(request.shard),
        base_first_slot=_first_slot(evaluation, "base"),
        head_first_slot=_first_slot(evaluation, "head"),
        case_notices=evaluation.ruler.notices,
        no_baseline=evaluation.ruler.no_baseline,
        emptied=evaluation.ruler.emptied,
        env_names=tuple(variables.values),
        notes=(*evaluation.ruler.notes, *_not_passed(variables), *_notices(examined)),
        same_agent=evaluation.same_agent(examined),
    )


def _first_slot(evaluation: Evaluation, side: Side) -> int:
    view = evaluation.sides.get(side)
    return view.first_slot if view is not None else 1


def _not_passed(variables: AllowedVariables) -> list[str]:
    """Sentences on names in `agent.env` that agents do not get."""
    notes: list[str] = []
    if variables.absent:
        notes.append(f"Named in agent.env but not set here: {', '.join(variables.absent)}.")
    if variables.withheld:
        notes.append(f"Named in agent.env but never passed to agents: {', '.join(variables.withheld)}.")
    return notes


def _notices(examined: Mapping[Side, Examined]) -> list[str]:
    return sorted({notice for one in examined.values() for notice in one.notices})
