"""Builders for decision tests: grades of a suite from pass patterns, plans and gates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gatebot.core.course import course_of
from gatebot.core.decide import decide
from gatebot.core.decision import Decision
from gatebot.core.evidence import Evidence, gather
from gatebot.core.reporting import Context, build_report
from gatebot.model.config import Gate, MetricGate
from gatebot.model.plan import Digests, Plan, Round, SideInfo
from gatebot.model.report import Report
from gatebot.model.score import Grade, Score
from gatebot.model.trial import Side, Status, TrialKey

DIGESTS = Digests(run="r", grading="g", policy="p", agent="a")


@dataclass(frozen=True)
class Trials:
    """Pass patterns per case and side: '110' = passed, passed, failed; '!' an infrastructure error, '.' missing."""

    base: Mapping[str, str]
    head: Mapping[str, str]
    scores: Mapping[tuple[str, Side], Sequence[dict[str, Score]]] = field(
        default_factory=dict[tuple[str, Side], Sequence[dict[str, Score]]]
    )
    first: int = 1

    def grades(self) -> list[Grade]:
        """The grades, in the order of cases, sides and slots."""
        sides: list[tuple[Side, Mapping[str, str]]] = [("base", self.base), ("head", self.head)]
        return [
            self._grade(case, side, place, mark)
            for side, patterns in sides
            for case, pattern in patterns.items()
            for place, mark in enumerate(pattern)
            if mark != "."
        ]

    def keys(self) -> list[TrialKey]:
        """Every planned trial, missing ones too."""
        sides: list[tuple[Side, Mapping[str, str]]] = [("base", self.base), ("head", self.head)]
        return [
            TrialKey(case, side, self.first + place)
            for side, patterns in sides
            for case, pattern in patterns.items()
            for place in range(len(pattern))
        ]

    def _grade(self, case: str, side: Side, place: int, mark: str) -> Grade:
        status: Status = "infra_error" if mark == "!" else "completed"
        rows = self.scores.get((case, side))
        return Grade(
            case,
            side,
            self.first + place,
            status,
            None if mark == "!" else mark == "1",
            scores={} if rows is None or mark == "!" else rows[place],
        )


def evidence_of(
    trials: Trials, *, gating: Sequence[str] | None = None, confirming: Trials | None = None
) -> Evidence:
    """Evidence from patterns; `confirming` are the suspects' fresh trials."""
    fresh = confirming.keys() if confirming is not None else []
    evidence = Evidence(
        planned=frozenset([*trials.keys(), *fresh]),
        gating_cases=frozenset(gating if gating is not None else trials.base),
        confirming=frozenset(fresh),
    )
    for grade in [*trials.grades(), *(confirming.grades() if confirming is not None else [])]:
        evidence.add(grade)
    return evidence


def plan_of(seeds: int, *, sequential: bool = False, rounds: int | None = None) -> Plan:
    """A plan of so many slots, of which `rounds` have been planned."""
    return Plan(
        activity="gate",
        suite="s",
        digests=DIGESTS,
        head=SideInfo("h" * 40, "th", "head"),
        base=SideInfo("b" * 40, "tb", "base"),
        seeds=seeds,
        sequential=sequential,
        rounds=tuple(Round(number, ()) for number in range(1, (rounds or seeds) + 1)),
    )


def gate_of(*names: str, **options: object) -> Gate:
    """A gate over metrics with default margins."""
    metrics = {name: MetricGate() for name in names or ("pass_rate",)}
    return Gate.model_validate({"metrics": {n: g.model_dump() for n, g in metrics.items()}, **options})


def decided(
    trials: Trials, gate: Gate | None = None, *, stopped: str = "", confirming: Trials | None = None
) -> Decision:
    """The decision with a fixed number of seeds (the longest pattern)."""
    gate = gate or gate_of()
    seeds = max(len(pattern) for pattern in (*trials.base.values(), *trials.head.values()))
    evidence = evidence_of(trials, confirming=confirming)
    return decide(evidence, gate, course_of(plan_of(seeds), gate), stopped=stopped)


def reported(trials: Trials, gate: Gate | None = None) -> Report:
    """The whole report with a fixed number of seeds."""
    gate = gate or gate_of()
    seeds = max(len(pattern) for pattern in (*trials.base.values(), *trials.head.values()))
    plan = plan_of(seeds)
    evidence = evidence_of(trials)
    return build_report(evidence, decide(evidence, gate, course_of(plan, gate)), Context(plan, gate, "0"))


def suite_of(count: int, pattern: str) -> dict[str, str]:
    """So many cases, all with the same pattern."""
    return {f"case-{number:03}": pattern for number in range(count)}


def verdict_of(decision: Decision, name: str = "pass_rate") -> str:
    """One metric's verdict."""
    return next(metric.judged.verdict for metric in decision.metrics if metric.name == name)


__all__ = [
    "Trials",
    "decided",
    "evidence_of",
    "gate_of",
    "gather",
    "plan_of",
    "reported",
    "suite_of",
    "verdict_of",
]
