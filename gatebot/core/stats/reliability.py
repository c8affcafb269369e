"""pass@k and pass^k: does one of k trials pass, do all k pass; with an interval where one exists."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gatebot.core.stats.quantiles import normal_quantile

if TYPE_CHECKING:
    from gatebot.core.stats.interval import Limits

# Beyond k this many trials per case are needed before an interval is worth printing.
_SPARE_TRIALS = 2


@dataclass(frozen=True, slots=True)
class Reliability:
    """An estimate in [0, 1] and its interval; `limits` is None where trials are too few for one."""

    estimate: float
    limits: Limits | None


def pass_at_k(cases: Sequence[tuple[int, int]], k: int, confidence: float = 0.90) -> Reliability | None:
    """The mean chance that at least one of k trials passes; cases are (passes, trials) pairs.

    Per case 1 - C(s-c, k) / C(s, k), the unbiased estimate of Chen et al. (2021). None if a case has
    fewer than k trials (or there is no case): there is no unbiased estimate then.
    """
    failures = [(trials - passes, trials) for passes, trials in cases]
    failing = pass_hat_k(failures, k, confidence)
    if failing is None:
        return None
    limits = None if failing.limits is None else (1.0 - failing.limits[1], 1.0 - failing.limits[0])
    return Reliability(1.0 - failing.estimate, limits)


def pass_hat_k(cases: Sequence[tuple[int, int]], k: int, confidence: float = 0.90) -> Reliability | None:
    """The mean chance that all of k trials pass (pass^k); cases are (passes, trials) pairs.

    Per case C(c, k) / C(s, k), unbiased (Yao et al., tau-bench, 2024). The interval treats the cases
    as fixed: normal, with the mean of per-case variances, each the larger of the delete-one
    jackknife (too small near the ceiling) and the variance of p^k when p has its Jeffreys posterior
    (too small in between): own combination, calibrated by simulation. It is given only if every
    case has at least k + 2 trials. None as in `pass_at_k`. Raises ValueError for impossible counts.
    """
    if k < 1:
        raise ValueError("k counts trials, so it is at least 1")
    for passes, trials in cases:
        if not 0 <= passes <= trials:
            raise ValueError(f"{passes} passes of {trials} trials cannot be")
    if not cases or any(trials < k for _, trials in cases):
        return None
    estimate = math.fsum(_all_pass(c, s, k) for c, s in cases) / len(cases)
    if any(trials < k + _SPARE_TRIALS for _, trials in cases):
        return Reliability(estimate, None)
    variance = math.fsum(max(_jackknife(c, s, k), _posterior(c, s, k)) for c, s in cases)
    reach = normal_quantile(0.5 + confidence / 2.0) * math.sqrt(variance) / len(cases)
    return Reliability(estimate, (max(estimate - reach, 0.0), min(estimate + reach, 1.0)))


def _all_pass(passes: int, trials: int, k: int) -> float:
    return math.comb(passes, k) / math.comb(trials, k)


def _jackknife(passes: int, trials: int, k: int) -> float:
    """Variance by leaving out one trial at a time; only two distinct estimates arise."""
    without_pass = _all_pass(passes - 1, trials - 1, k) if passes else 0.0
    without_failure = _all_pass(passes, trials - 1, k) if passes < trials else 0.0
    share = passes / trials
    spread = share * (1.0 - share) * (without_pass - without_failure) ** 2
    return (trials - 1) * spread


def _posterior(passes: int, trials: int, k: int) -> float:
    """Variance of p^k for p ~ Beta(passes + 1/2, failures + 1/2)."""
    moment = _moments(passes + 0.5, trials + 1.0)
    return max(moment(2 * k) - moment(k) ** 2, 0.0)


def _moments(a: float, total: float) -> Callable[[int], float]:
    return lambda order: math.prod((a + i) / (total + i) for i in range(order))
