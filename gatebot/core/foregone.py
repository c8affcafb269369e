"""What a plan settles by itself, before any trial: a side that does not install, or the same agent on both sides."""

from __future__ import annotations

from dataclasses import replace

from gatebot.core.decision import ADVICE, Decision, SingleCases, observing
from gatebot.model.config import Gate
from gatebot.model.plan import Plan
from gatebot.model.report import Conclusion

_MEND = "Mend the head's setup; what it printed is in logs/setup-head.log."

_KEEP = (
    "Keep the suite; where taking cases away is intended, a maintainer lets this head pass by the override label. "
    "This is not a pass."
)


def decided_without_trials(plan: Plan) -> tuple[Conclusion, str] | None:
    """What a plan settles by itself: a side that does not install, or the same agent on both sides."""
    broken = {
        side: info.setup_reason
        for side, info in (("head", plan.head), ("base", plan.base))
        if info is not None and info.setup == "failed"
    }
    if set(broken) == {"head", "base"}:
        return "not_evaluated", f"neither side installs: {broken['head']}"
    if "head" in broken:
        return "fail", f"the head does not install: {broken['head']}"
    if "base" in broken:
        return "not_evaluated", f"base broken: it does not install: {broken['base']}"
    if (
        plan.same_agent
        and plan.base is not None
        and plan.head is not None
        and plan.base.tree == plan.head.tree
    ):
        return "pass", "base and head hold the same agent: nothing to run"
    return None


def settled(conclusion: Conclusion, reason: str, gate: Gate) -> Decision:
    """The decision for an evaluation that needed no trials."""
    advice = _MEND if conclusion == "fail" else ADVICE[conclusion]
    return observing(Decision(conclusion, reason, advice, (), SingleCases(), gate.alpha), gate)


def unless_emptied(decision: Decision, plan: Plan, gate: Gate) -> Decision:
    """The decision, but no pass for a head that keeps too little of the suite: the next one would be gated by nothing."""
    told = decision.would_have or decision.conclusion
    if not plan.emptied or told not in ("pass", "inconclusive"):
        return decision
    kept = replace(decision, conclusion="not_evaluated", reason=plan.emptied, advice=_KEEP, would_have=None)
    return observing(kept, gate)
