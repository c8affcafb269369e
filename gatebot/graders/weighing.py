"""`combine: {weighted: …, threshold: …}`: answer checks that together must earn enough."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from gatebot.graders.wording import clip
from gatebot.model.case import Weighted
from gatebot.model.score import Check

_ROUNDING = 1e-9
_REASON_LIMIT = 600


def weigh(checks: Sequence[Check], combine: Weighted, credit: Mapping[str, float]) -> Check:
    """One check: earned weight over all weight, at least `combine.threshold`.

    A check earns its weight when it passes, nothing when it fails, and its score times its weight when `credit` has a
    score in [0, 1] for it (programs give such scores). Where a check could not be made, the verdict stands if that check
    cannot turn it, else it is unknown too. `checks` are named `answer.<name>`; every one has a weight. With one check
    and threshold 1 it is `combine: all`.
    """
    weights = {check.name: combine.weighted[check.name.removeprefix("answer.")] for check in checks}
    total = math.fsum(weights.values())
    sure = math.fsum(
        weights[check.name] * credit.get(check.name, float(check.passed))
        for check in checks
        if check.passed is not None
    )
    undecided = math.fsum(weights[check.name] for check in checks if check.passed is None)
    needed = combine.threshold - _ROUNDING
    if sure / total >= needed:
        return Check("goal", "answer", passed=True)
    short = [check for check in checks if not check.passed]
    reason = f"earned {sure / total:.2f} of the weight, needs {combine.threshold:g}: " + "; ".join(
        f"{check.name.removeprefix('answer.')}: {check.reason}" for check in short
    )
    unknown = (sure + undecided) / total >= needed
    fault = any(check.fault for check in short) and not unknown
    return Check("goal", "answer", None if unknown else False, clip(reason, _REASON_LIMIT), fault)
