"""pass@k and pass^k: unbiased, refused when trials are too few, and no interval without spare trials."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from gatebot.core.stats.reliability import Reliability, pass_at_k, pass_hat_k
from tests.unit.core.stats.drawn import unhurried

PAIRS = st.lists(
    st.integers(5, 9).flatmap(lambda s: st.tuples(st.integers(0, s), st.just(s))), min_size=1, max_size=5
)


def found(result: Reliability | None) -> Reliability:
    assert result is not None
    return result


def test_by_hand() -> None:
    """Three of five: all of two pass in 3 of 10 pairs, none of two in 1 of 10."""
    assert found(pass_hat_k([(3, 5)], 2)).estimate == pytest.approx(0.3)
    assert found(pass_at_k([(3, 5)], 2)).estimate == pytest.approx(0.9)
    assert found(pass_hat_k([(3, 5), (5, 5)], 2)).estimate == pytest.approx(0.65)


@pytest.mark.parametrize("rate", [0.2, 0.7, 0.95])
@pytest.mark.parametrize(("trials", "k"), [(3, 3), (5, 2), (7, 3)])
def test_unbiased_over_every_outcome(rate: float, trials: int, k: int) -> None:
    chances = [math.comb(trials, c) * rate**c * (1 - rate) ** (trials - c) for c in range(trials + 1)]
    all_pass = sum(p * found(pass_hat_k([(c, trials)], k)).estimate for c, p in enumerate(chances))
    any_pass = sum(p * found(pass_at_k([(c, trials)], k)).estimate for c, p in enumerate(chances))
    assert all_pass == pytest.approx(rate**k)
    assert any_pass == pytest.approx(1 - (1 - rate) ** k)


def test_fewer_trials_than_k_in_any_case_is_refused() -> None:
    assert pass_hat_k([(3, 5), (2, 2)], 3) is None
    assert pass_at_k([(3, 5), (2, 2)], 3) is None
    assert pass_hat_k([], 1) is None


def test_an_interval_needs_two_trials_more_than_k() -> None:
    assert found(pass_hat_k([(3, 5), (4, 4)], 3)).limits is None
    assert found(pass_at_k([(3, 5), (4, 4)], 3)).limits is None
    assert found(pass_hat_k([(3, 5), (5, 5)], 3)).limits is not None


def jackknife(passes: int, trials: int, k: int) -> float:
    """Literally: leave out each trial in turn."""
    outcomes = [1] * passes + [0] * (trials - passes)
    left = [sum(outcomes) - outcome for outcome in outcomes]
    estimates = [math.comb(c, k) / math.comb(trials - 1, k) for c in left]
    mean = sum(estimates) / trials
    return (trials - 1) / trials * sum((e - mean) ** 2 for e in estimates)


def posterior(passes: int, trials: int, k: int) -> float:
    """Numerically: the variance of p^k under the Jeffreys posterior."""

    def moment(order: int) -> float:
        def integrand(p: float) -> float:
            return p**order * float(stats.beta.pdf(p, passes + 0.5, trials - passes + 0.5))

        return float(integrate.quad(integrand, 0, 1)[0])

    return moment(2 * k) - moment(k) ** 2


@pytest.mark.parametrize(("passes", "trials", "k"), [(5, 5, 3), (3, 5, 2), (4, 6, 3), (1, 8, 2), (9, 10, 3)])
def test_the_variance_is_the_larger_of_two(passes: int, trials: int, k: int) -> None:
    result = found(pass_hat_k([(passes, trials)] * 40, k))
    assert result.limits is not None
    expected = max(jackknife(passes, trials, k), posterior(passes, trials, k)) / 40
    reach = 1.6448536269514722 * math.sqrt(expected)
    assert result.limits[0] == pytest.approx(max(result.estimate - reach, 0.0), abs=1e-6)
    assert result.limits[1] == pytest.approx(min(result.estimate + reach, 1.0), abs=1e-6)


@unhurried
@given(PAIRS, st.integers(1, 3))
def test_limits_hold_the_estimate_and_have_width(cases: list[tuple[int, int]], k: int) -> None:
    for estimator in (pass_hat_k, pass_at_k):
        result = found(estimator(cases, k))
        assert result.limits is not None
        assert 0.0 <= result.limits[0] <= result.estimate + 1e-12
        assert result.estimate - 1e-12 <= result.limits[1] <= 1.0
        assert result.limits[1] > result.limits[0]
    at_least_one, all_of_them = found(pass_at_k(cases, k)), found(pass_hat_k(cases, k))
    assert all_of_them.estimate <= at_least_one.estimate + 1e-12


@pytest.mark.parametrize(("cases", "k"), [([(3, 2)], 1), ([(-1, 2)], 1), ([(1, 2)], 0)])
def test_impossible_arguments_are_refused(cases: list[tuple[int, int]], k: int) -> None:
    with pytest.raises(ValueError, match=r"cannot be|at least 1"):
        pass_hat_k(cases, k)
