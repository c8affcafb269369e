"""Right answers worked out elsewhere (by enumeration, scipy, statsmodels and R), where they are at hand."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypedDict, cast

import numpy as np
import pytest

from gatebot.core.stats.boschloo import boschloo_p
from gatebot.core.stats.exact import exact_tails
from gatebot.core.stats.generalize import paired_t_interval, paired_t_tails, sign_flip_tails
from gatebot.core.stats.interval import score_interval
from gatebot.core.stats.multiplicity import benjamini_hochberg, holm
from gatebot.core.stats.permutation import permutation_tails
from gatebot.core.stats.quantiles import normal_quantile
from gatebot.core.stats.sequential import nominal_levels, quadratic_spending
from gatebot.core.stats.strata import effect, log_strata, pass_counts, strata_of
from gatebot.core.stats.targets import clopper_pearson_interval, wilson_interval
from tests.unit.core.stats.spending import obrien_fleming_spending

REFERENCE = Path(__file__).parents[5] / "shared" / "reference" / "stats_cases.json"

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not REFERENCE.is_file(), reason="../shared/reference is not here"),
]

Lists = list[list[float]]


class Case(TypedDict):
    """One data set with its right answers."""

    name: str
    data: dict[str, object]
    expect: dict[str, object]


def cases() -> dict[str, Case]:
    return {case["name"]: case for case in cast("list[Case]", json.loads(REFERENCE.read_text()))}


def exactly(expected: object, tolerance: float = 1e-9) -> object:
    return pytest.approx(expected, abs=tolerance)


def binary(case: Case) -> None:
    strata = strata_of(cast("Lists", case["data"]["base"]), cast("Lists", case["data"]["head"]))
    counts, expect = pass_counts(strata), case["expect"]
    tails = exact_tails(counts)
    assert effect(strata) == exactly(expect["diff"])
    assert (tails.lower, tails.upper) == exactly((expect["p_regressed"], expect["p_improved"]))
    if "mn_ci90" in expect:
        assert list(score_interval(counts, 0.90)) == exactly(expect["mn_ci90"])
    permuted, enumerated = permutation_tails(strata, seed=1)
    if enumerated:
        assert (permuted.lower, permuted.upper) == exactly((expect["p_regressed"], expect["p_improved"]))


def sign_flips(case: Case) -> None:
    base, head = (np.array(case["data"][side], dtype=float) for side in ("base", "head"))
    tails, exact = sign_flip_tails(head - base, seed=1)
    assert exact
    assert tails.lower == exactly(case["expect"]["p_signflip_less"])
    assert paired_t_tails(head - base).lower == exactly(case["expect"]["p_paired_t_less"])
    assert list(paired_t_interval(head - base, 0.90)) == exactly(case["expect"]["t_ci90"])
    assert float(np.mean(head - base)) == exactly(case["expect"]["diff"])


def tokens(case: Case) -> None:
    strata = log_strata(
        strata_of(cast("Lists", case["data"]["base"]), cast("Lists", case["data"]["head"])), floor=0.5
    )
    tails, exact = permutation_tails(strata, seed=1)
    assert exact
    assert (tails.upper, tails.lower) == exactly((case["expect"]["p_higher"], case["expect"]["p_lower"]))
    assert effect(strata) == exactly(case["expect"]["log_diff"])
    assert float(np.exp(effect(strata))) == exactly(case["expect"]["ratio"])


def levels(case: Case) -> None:
    """Printed to five decimals of p and four (three) of z, so that is how exactly they can be met."""
    looks = cast("list[int]", case["data"]["looks"])
    found = nominal_levels(
        [k / looks[-1] for k in looks], quadratic_spending(cast("float", case["data"]["alpha"]))
    )
    assert list(found) == exactly(case["expect"]["nominal_p"], 0.51e-5)
    assert [-normal_quantile(p) for p in found] == exactly(case["expect"]["z"], 0.51e-4)
    check = nominal_levels((0.2, 0.4, 0.6, 0.8, 1.0), obrien_fleming_spending(0.025))
    assert [-normal_quantile(p) for p in check] == exactly(case["expect"]["obf_check_z"], 0.51e-3)


def adjusted(case: Case) -> None:
    p_values = cast("list[float]", case["data"]["p"])
    assert holm(p_values) == exactly(case["expect"]["holm"])
    assert benjamini_hochberg(p_values) == exactly(case["expect"]["bh"])


def target(case: Case) -> None:
    passes, runs = (cast("int", case["data"][name]) for name in ("passes", "runs"))
    expect = case["expect"]
    assert list(wilson_interval(passes, runs, 0.90)) == exactly(expect["wilson90"])
    assert list(clopper_pearson_interval(passes, runs, 0.90)) == exactly(expect["cp90"])
    assert list(wilson_interval(30, 30, 0.90)) == exactly(expect["wilson90_30of30"])
    assert list(clopper_pearson_interval(30, 30, 0.90)) == exactly(expect["cp90_30of30"])


def confirmation(case: Case) -> None:
    for counts, p in case["expect"].items():
        base, head = (int(number) for number in counts.split("v"))
        assert boschloo_p((base, 7), (head, 7)) == exactly(p, 1e-5)


CHECKS: dict[str, Callable[[Case], None]] = {
    "binary_n4_k3": binary,
    "binary_n12_k1_is_mcnemar": binary,
    "all_pass_n10_k3_zero_variance_trap": binary,
    "signflip_n8_case_means": sign_flips,
    "tokens_log_n3_k3": tokens,
    "group_sequential_levels": levels,
    "holm_bh_6_metrics": adjusted,
    "target_74_of_100": target,
    "confirm_7v7_boschloo": confirmation,
}


@pytest.mark.parametrize("name", sorted(CHECKS))
def test_reference(name: str) -> None:
    CHECKS[name](cases()[name])


def test_every_reference_case_is_checked() -> None:
    assert set(cases()) == set(CHECKS)
