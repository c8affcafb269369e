"""`gatebot run`: one side alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gatebot.commands.evaluation import evaluate
from gatebot.commands.request import EvaluationRequest
from gatebot.commands.ruler import one_side_ruler
from gatebot.commands.sides import open_side, opened
from gatebot.commands.views import Evaluation, SideView
from gatebot.runner.progress import ProgressView

if TYPE_CHECKING:
    from gatebot.model.report import Report


def run(request: EvaluationRequest, *, head: str, watch: ProgressView, first_slot: int = 1) -> Report:
    """Run the suite on `head` (a ref or WORKTREE) alone, from `first_slot` on. Raises GatebotError of every kind."""
    return evaluate(one_side(request, head=head, first_slot=first_slot), request, watch)


def one_side(request: EvaluationRequest, *, head: str, first_slot: int = 1) -> Evaluation:
    """What there is to evaluate on `head` alone. Raises GatebotError of every kind."""
    place = opened(request)
    side = open_side(place, head)
    ruler = one_side_ruler(side.tree, place.config_path, request.cases, request.today)
    view = SideView(side.tree, side.commit.sha, side.label, ruler.head_agent, side.dirty, first_slot)
    return Evaluation("run", ruler, {"head": view}, place.config_path)
