"""`gatebot aa`: a commit against itself on fresh slots, so that whatever it reports is a false alarm."""

from __future__ import annotations

from dataclasses import replace

from gatebot.commands.evaluation import evaluate
from gatebot.commands.request import EvaluationRequest
from gatebot.commands.ruler import one_side_ruler
from gatebot.commands.sides import open_side, opened
from gatebot.commands.views import Evaluation, SideView
from gatebot.core.rounds import seed_plan
from gatebot.model.report import Report
from gatebot.model.trial import Side
from gatebot.runner.progress import ProgressView


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
