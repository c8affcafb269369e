"""`gatebot gate`: head against base."""

from __future__ import annotations

from dataclasses import replace

from gatebot.commands.evaluation import evaluate
from gatebot.commands.request import EvaluationRequest
from gatebot.commands.ruler import Sources, pull_request_ruler
from gatebot.commands.sides import OpenedRepository, open_side, opened
from gatebot.commands.views import Evaluation, SideView
from gatebot.model.report import Report
from gatebot.model.trial import Side
from gatebot.runner.progress import ProgressView
from gatebot.suite.load import load_config
from gatebot.suite.source import FileSource
from gatebot.workspace.repository import BasePoint


def gate(
    request: EvaluationRequest, *, base: str, head: str, watch: ProgressView, fork_point: str = ""
) -> Report:
    """Judge `head` (a ref or WORKTREE) against `base`, as `comparison` has it. Raises GatebotError of every kind."""
    return evaluate(comparison(request, base=base, head=head, fork_point=fork_point), request, watch)


def gate_head(
    request: EvaluationRequest, *, base: str, head: str, watch: ProgressView, fork_point: str = ""
) -> Report:
    """Run `head` alone by the ruler of `base`, for a base whose results are elsewhere. Raises GatebotError of every kind."""
    evaluation = head_alone(comparison(request, base=base, head=head, fork_point=fork_point))
    return evaluate(evaluation, request, watch)


def head_alone(evaluation: Evaluation) -> Evaluation:
    """The head's part of a comparison: the same ruler, cases and agent, with a fixed number of slots."""
    return replace(evaluation, sides={"head": evaluation.sides["head"]})


def comparison(request: EvaluationRequest, *, base: str, head: str, fork_point: str = "") -> Evaluation:
    """What there is to evaluate between `base` and `head`. Raises GatebotError of every kind.

    `fork_point`: the commit whose cases and code are the base side, when the merge base is not: a shallow clone has
    none, and for accepted cases the accepted commit takes its place.
    """
    place: OpenedRepository = opened(request)
    head_side = open_side(place, head)
    tip = place.repository.resolve(base)
    if fork_point:
        point = BasePoint(tip, place.repository.resolve(fork_point))
    elif _base_of(place.repository.tree(tip), place.config_path) == "branch":
        point = BasePoint(tip, tip)
    else:
        point = place.repository.base_point(tip, head_side.commit)
    fork = place.repository.tree(point.fork)
    ruler = pull_request_ruler(
        Sources(tip=place.repository.tree(point.tip), fork=fork, head=head_side.tree),
        place.config_path,
        request.cases,
        request.today,
    )
    ruler = ruler.with_alpha_share(request.alpha_share)
    if point.note:
        ruler = ruler.with_notes(point.note)
    sides: dict[Side, SideView] = {}
    if ruler.base_agent is not None:
        sides["base"] = SideView(fork, point.fork.sha, point.fork.label, ruler.base_agent)
    sides["head"] = SideView(
        head_side.tree, head_side.commit.sha, head_side.label, ruler.head_agent, dirty=head_side.dirty
    )
    return Evaluation("gate", ruler, sides, place.config_path)


def _base_of(tip: FileSource, config_path: str) -> str:
    """Which commit the policy wants for the base side; without a policy it does not matter. Raises ConfigError."""
    try:
        tip.read(config_path)
    except FileNotFoundError:
        return "merge-base"
    return load_config(tip, config_path).config.base
