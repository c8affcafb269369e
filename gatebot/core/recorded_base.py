"""What makes a recorded base doubtful: its sentinel, other models, a target that the head misses (statistics, item 15)."""

from __future__ import annotations

from gatebot.core.decision import closes
from gatebot.core.evidence import Evidence, side_values
from gatebot.core.recordings import other_models
from gatebot.core.rows import Rows
from gatebot.core.target import judge_target
from gatebot.core.view import MetricSample
from gatebot.model.config import Gate
from gatebot.model.metric import METRICS, PRIMARY_METRIC
from gatebot.model.trial import SIDES, TrialKey

SENTINEL_LEVEL = 0.005


def why_doubtful(evidence: Evidence, gate: Gate, *, recorded: frozenset[str], live: frozenset[str]) -> str:
    """Why the base must be run although it is recorded, whatever the looks say; an empty string when it need not.

    `recorded`, `live`: the models named in the recordings, and in what was run. A target that the head misses is held
    against it only if a live base meets it, so that a provider's bad day is not taken for the pull request.
    """
    if any(not _recorded_in(evidence, key) for key in evidence.recordings):
        return "some of the base's recordings are missing"
    if sentinel_fires(recordings_against(evidence, evidence.tested)):
        return "live trials of the base differ from its recordings"
    other = other_models(recorded, live)
    if other:
        return other
    missed = [name for name in gate.metrics if _misses(evidence, gate, name)]
    return f"the head misses the target of {missed[0]}" if missed else ""


def why_void(evidence: Evidence, *, recorded: frozenset[str], live: frozenset[str]) -> str:
    """Why the recordings hold for nobody any more, or an empty string: all live trials of the base against them.

    `live`: the models that answered on the base alone.
    """
    if sentinel_fires(recordings_against(evidence, evidence.tested, evidence.rows)):
        return "live trials of the base differ from its recordings"
    return other_models(recorded, live)


def recordings_against(evidence: Evidence, *live: Rows) -> MetricSample:
    """The primary metric, the recordings as its base and live trials of the base as its head, over the gating cases."""
    cases = sorted(evidence.gating_cases)
    recorded = {case: _passes(case, evidence.recorded) for case in cases}
    lived = {case: _passes(case, *live) for case in cases}
    kept = [case for case in cases if recorded[case] and lived[case]]
    return MetricSample(
        metric=METRICS[PRIMARY_METRIC],
        cases=tuple(kept),
        base=tuple(recorded[case] for case in kept),
        head=tuple(lived[case] for case in kept),
        base_slots=tuple(tuple(range(len(recorded[case]))) for case in kept),
        head_slots=tuple(tuple(range(len(lived[case]))) for case in kept),
        ungraded=dict.fromkeys(SIDES, 0),
        unexplained=dict.fromkeys(SIDES, 0),
    )


def _passes(case: str, *kept: Rows) -> tuple[float, ...]:
    rows = [row for one in kept for row in one.get(case, {}).get("base", {}).values()]
    values = [row.values.get(PRIMARY_METRIC) for row in rows if row.status != "infra_error"]
    return tuple(value for value in values if value is not None)


def _recorded_in(evidence: Evidence, key: TrialKey) -> bool:
    return key.slot in evidence.recorded.get(key.case, {}).get("base", {})


def _misses(evidence: Evidence, gate: Gate, name: str) -> bool:
    target = judge_target(
        METRICS[name],
        gate.metrics[name],
        lambda: side_values(evidence, name, "head"),
        lambda: side_values(evidence, name, "base"),
    )
    return target is not None and closes(target, gate.metrics[name])


def sentinel_fires(sample: MetricSample) -> bool:
    """Whether live trials of the base differ from its recordings, in either direction, beyond chance.

    `sample`: the primary metric, the recordings as its base and live trials as its head. Exact test, .005
    each side: in one of a hundred rounds at most recordings are thrown away for nothing. It sees a broken provider at
    once and a slow drift hardly ever; that is why a recorded base convicts nobody.
    """
    if not sample.cases:
        return False
    from gatebot.core.compare import strata
    from gatebot.core.stats.exact import exact_tails
    from gatebot.core.stats.strata import pass_counts

    tails = exact_tails(pass_counts(strata(sample)))
    return min(tails.lower, tails.upper) <= SENTINEL_LEVEL
