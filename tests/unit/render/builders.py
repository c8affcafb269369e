"""Reports made by hand for the tests of render: a red, a green, a thin, an unevaluated and a first one."""

from __future__ import annotations

from dataclasses import replace

from gatebot.model.plan import SideInfo
from gatebot.model.report import (
    CaseLabel,
    CaseMetric,
    CaseResult,
    Evidence,
    Failure,
    FailureShare,
    MetricResult,
    PassHatK,
    Report,
    SeedCounts,
    SideCount,
    SmallestDrop,
    TargetResult,
    TrialCounts,
)
from gatebot.model.score import Divergence
from gatebot.model.trajectory import Usage

BASE = SideInfo(sha="5f0c1d2e3a4b5c6d7e8f90123456789abcdef012", tree="b" * 64, label="merge base")
HEAD = SideInfo(sha="9ab8c7d6e5f40312233445566778899aabbccdde", tree="a" * 64, label="HEAD")


def case(case_id: str, passed: tuple[int, int], label: CaseLabel = "stable", **more: object) -> CaseResult:
    """A case of five trials a side."""
    built = CaseResult(id=case_id, label=label, base=SideCount(passed[0], 5), head=SideCount(passed[1], 5))
    return replace(built, **more)


def refund_case() -> CaseResult:
    return case(
        "refund-07",
        (5, 1),
        "regressed",
        first_divergence=Divergence(
            step=2,
            kind="wrong_args",
            expected='refund(order="A-7", amount=12.5)',
            actual='refund(order="A-7", amount=125)',
            explanation="amount is 125, not 12.5",
        ),
        failure=Failure("wrong_arguments", "amount is 125, not 12.5", 4, (2,)),
        metrics={"pass_rate": CaseMetric(1.0, 0.2)},
        shown_slot=2,
    )


def metric(name: str = "pass_rate", **more: object) -> MetricResult:
    """An unchanged gating share."""
    built = MetricResult(
        name=name,
        gating=True,
        direction="higher",
        scale="binary",
        base=0.95,
        head=0.94,
        delta=-0.01,
        interval=(-0.05, 0.03),
        confidence=0.9,
        p_value=0.41,
        n_cases=22,
        seeds=SeedCounts(5, 5),
        margin=0.10,
        target=None,
        verdict="unchanged",
        ungraded=0,
    )
    return replace(built, **more)


def red_metrics() -> tuple[MetricResult, ...]:
    return (
        metric("trajectory_match", base=0.93, head=0.91, delta=-0.02, interval=(-0.07, 0.03), p_value=0.31),
        metric(
            base=0.955,
            head=0.791,
            delta=-0.164,
            interval=(-0.24, -0.09),
            p_value=0.0004,
            p_adjusted=0.0011,
            verdict="regressed",
            smallest_drop=SmallestDrop(0.08),
        ),
        metric(
            "convergence",
            scale="unit",
            base=0.88,
            head=0.79,
            delta=-0.09,
            interval=(-0.19, 0.01),
            p_value=0.06,
            target=0.8,
            target_result=TargetResult(0.8, "below", (0.74, 0.84)),
            verdict="inconclusive",
            reason="a drop of 19 points is not excluded; about 9 trials per case would decide",
        ),
        metric(
            "tokens",
            direction="lower",
            scale="ratio",
            base=1240.0,
            head=1525.0,
            delta=1.23,
            interval=(1.12, 1.35),
            p_value=0.002,
            margin=1.25,
            verdict="regressed",
        ),
        metric(
            "tool_iou",
            gating=False,
            margin=None,
            scale="unit",
            verdict="improved",
            delta=0.05,
            interval=(0.01, 0.09),
        ),
        metric(
            "latency_s",
            gating=False,
            margin=None,
            direction="lower",
            scale="ratio",
            base=2.41,
            head=2.53,
            delta=1.05,
            interval=(0.97, 1.13),
        ),
    )


EVIDENCE = Evidence(
    method="Exact test within cases for pass/fail metrics, permutation within cases (max-T) over the gating metrics",
    alpha=0.05,
    mean_level=0.035,
    case_level=0.015,
    looks=("one look after 5 of 5 rounds",),
    resamples=9999,
)


def red() -> Report:
    """Two regressed metrics, one regressed and one suspect case."""
    cases = (
        refund_case(),
        case(
            "sla-status-page",
            (5, 3),
            "suspect",
            first_divergence=Divergence(3, "missing", 'web_search(query="status page")', "", "no third call"),
        ),
        case("ambiguous-order", (4, 3), "flaky"),
        case("gift-card", (0, 4), "new", base=SideCount(0, 0), gating=False),
        *(case(f"stable-{n:02}", (5, 5)) for n in range(18)),
    )
    return Report(
        conclusion="fail",
        reason="`pass_rate` fell from 95.5% to 79.1%, `tokens` rose by 23%, and `refund-07` passes 1 of 5 trials instead of 5",
        advice="Fix `refund-07`; or, if the new behaviour is intended, have a maintainer accept it.",
        suite="support-agent",
        mode="detect",
        base_sha=BASE.sha,
        head_sha=HEAD.sha,
        metrics=red_metrics(),
        cases=cases,
        trials=TrialCounts(planned=215, completed=213, timeout=1, infra_error=1, agent_error=0),
        pass_hat_k=PassHatK({"1": 0.955, "2": 0.92, "3": 0.9}, {"1": 0.791, "2": 0.71, "3": 0.66}),
        pass_at_k=PassHatK({"1": 0.955, "2": 0.98, "3": 0.99}, {"1": 0.791, "2": 0.85, "3": 0.88}),
        failures=(FailureShare("wrong_arguments", 0, 4), FailureShare("premature_termination", 1, 3)),
        worst_cases=("refund-07", "sla-status-page", "ambiguous-order"),
        evidence=EVIDENCE,
        base=BASE,
        head=HEAD,
        alerts=("The pull request changes `gate.metrics` in gatebot.yaml: it counts after the merge.",),
        isolation="landlock, own user",
        cost={"base": Usage(120_000, 9_000, 0, 0.21), "head": Usage(150_000, 11_000, 0, 0.26)},
        wall_s=212.0,
        result_digest="c" * 64,
        gatebot_version="0.1.0",
    )


def green() -> Report:
    cases = tuple(case(f"stable-{n:02}", (5, 5)) for n in range(22))
    return replace(
        red(),
        conclusion="pass",
        reason="No significant change, and a drop of 10 points is excluded in every gating metric",
        advice="",
        metrics=(
            metric(smallest_drop=SmallestDrop(0.08)),
            metric("trajectory_match", base=0.93, head=0.94, delta=0.01),
        ),
        cases=cases,
        failures=(),
        worst_cases=(),
        alerts=(),
    )


def inconclusive() -> Report:
    return replace(
        red(),
        conclusion="inconclusive",
        reason="Nothing regressed, but a drop of 14 points in `pass_rate` is not excluded",
        advice="Run more trials (`--seeds 9`), or accept that this run could not tell.",
        metrics=(
            metric(
                head=0.9,
                delta=-0.05,
                interval=(-0.14, 0.04),
                verdict="inconclusive",
                reason="a drop of 14 points is not excluded; about 9 trials per case would decide",
                smallest_drop=SmallestDrop(0.16),
            ),
        ),
        cases=tuple(case(f"stable-{n:02}", (5, 5)) for n in range(20)),
        failures=(),
        worst_cases=(),
        alerts=(),
    )


def not_evaluated() -> Report:
    return replace(
        red(),
        conclusion="not_evaluated",
        reason="34 of 110 head trials were lost to infrastructure, more than 20%",
        advice="Run the check again; nothing was decided about this pull request.",
        metrics=(
            metric(
                head=None,
                delta=None,
                interval=None,
                confidence=None,
                p_value=None,
                verdict="not_evaluated",
                reason="too many head trials are missing",
                ungraded=34,
            ),
        ),
        cases=tuple(case(f"stable-{n:02}", (5, 5)) for n in range(20)),
        trials=TrialCounts(planned=220, completed=186, infra_error=34),
        failures=(),
        worst_cases=(),
        alerts=(),
    )


def first() -> Report:
    """The pull request that adds gatebot: there is no base."""
    return replace(
        red(),
        conclusion="pass",
        reason="There is no baseline yet: the next pull request will be compared with this one",
        advice="",
        base=None,
        base_sha=None,
        metrics=tuple(
            replace(
                each,
                base=None,
                delta=None,
                interval=None,
                confidence=None,
                p_value=None,
                p_adjusted=None,
                smallest_drop=None,
                verdict="not_evaluated",
                reason="no baseline",
                seeds=SeedCounts(0, 5),
            )
            for each in red_metrics()
        ),
        cases=tuple(
            CaseResult(f"case-{n:02}", "new", SideCount(0, 0), SideCount(5 if n else 2, 5), gating=False)
            for n in range(12)
        ),
        pass_hat_k=PassHatK(None, {"1": 0.95, "2": 0.93}),
        pass_at_k=PassHatK(None, {"1": 0.95, "2": 0.99}),
        worst_cases=("case-00",),
        alerts=(),
    )
