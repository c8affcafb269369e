"""The joint permutation test against enumeration, the exact test, and what max-T must obey."""

import itertools
import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatebot.core.stats.exact import exact_tails
from gatebot.core.stats.permutation import joint_permutation, permutation_tails, step_down
from gatebot.core.stats.strata import FloatArray, Strata, counts_of, effect, pass_counts, strata_of
from tests.unit.core.stats.drawn import (
    Case,
    as_strata,
    counted,
    counted_tails,
    counts_lists,
    strata_lists,
    unhurried,
)

Sides = tuple[list[FloatArray], list[FloatArray]]


def noise(seed: int, cases: int, trials: int, metrics: int) -> Sides:
    generator = np.random.Generator(np.random.PCG64(seed))
    base = [generator.normal(size=(trials, metrics)) for _ in range(cases)]
    return base, [generator.normal(size=(trials, metrics)) for _ in range(cases)]


@pytest.mark.parametrize(
    ("base", "head", "upper"),
    [
        ([[1, 2]], [[3, 4]], 1 / 6),
        ([[1, 4]], [[2, 3]], 4 / 6),
        ([[1], [5]], [[2], [7]], 1 / 4),
        ([[3]], [[3]], 1.0),
    ],
    ids=["best of six", "ties count", "two pairs", "nothing moves"],
)
def test_hand_counts(base: list[list[float]], head: list[list[float]], upper: float) -> None:
    tails, exact = permutation_tails(strata_of(base, head), seed=1)
    assert exact
    assert tails.upper == pytest.approx(upper)


@unhurried
@given(strata_lists(2, 4))
def test_few_labelings_are_all_gone_through(strata: Strata) -> None:
    tails, exact = permutation_tails(strata, seed=1)
    assert exact
    assert (tails.lower, tails.upper) == pytest.approx(counted_tails(strata, effect(strata)))


@unhurried
@given(counts_lists(3, 3))
def test_on_passes_it_is_the_exact_test(cases: list[Case]) -> None:
    tails, _ = permutation_tails(as_strata(cases), seed=1)
    expected = exact_tails(counted(cases))
    assert (tails.lower, tails.upper) == pytest.approx((expected.lower, expected.upper))


@pytest.mark.parametrize(
    ("bases", "heads"), [(10, 10), (20, 10), (30, 25)], ids=["table", "unranked", "sorted keys"]
)
def test_drawn_labelings_agree_with_the_exact_test_on_many_passes(bases: int, heads: int) -> None:
    generator = np.random.Generator(np.random.PCG64(3))
    rates = generator.beta(2, 2, 25)
    base = [(float(x), float(bases)) for x in generator.binomial(bases, rates)]
    head = [(float(x), float(heads)) for x in generator.binomial(heads, rates * 0.88)]
    strata = as_strata(
        [((int(b), int(kb)), (int(h), int(kh))) for (b, kb), (h, kh) in zip(base, head, strict=True)]
    )
    tails, exact = permutation_tails(strata, seed=11)
    p = exact_tails(counts_of(base, head)).lower
    assert not exact
    assert 0.0005 < p < 0.6
    assert tails.lower == pytest.approx(p, abs=4 * math.sqrt(p * (1 - p) / 9_999))


def test_same_arguments_same_result_and_another_seed_another_draw() -> None:
    base, head = noise(1, 12, 5, 3)
    first = joint_permutation(base, head, seed=7, permutations=999)
    assert joint_permutation(base, head, seed=7, permutations=999) == first
    assert joint_permutation(base, head, seed=8, permutations=999) != first
    assert (first.exact, first.labelings) == (False, 999)


@unhurried
@given(strata_lists(2, 4))
def test_swapping_the_sides_swaps_the_tails(strata: Strata) -> None:
    there, _ = permutation_tails(strata, seed=1)
    back, _ = permutation_tails(Strata(strata.head, strata.base), seed=1)
    assert (there.lower, there.upper) == pytest.approx((back.upper, back.lower))


@unhurried
@given(strata_lists(3, 3), st.data())
def test_neither_the_order_of_cases_nor_of_trials_matters(strata: Strata, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(strata.cases)))
    other = Strata(tuple(strata.base[i][::-1] for i in order), tuple(strata.head[i] for i in order))
    assert permutation_tails(strata, seed=1)[0] == permutation_tails(other, seed=1)[0]


@unhurried
@given(strata_lists(2, 4), st.floats(0.0, 2.0))
def test_a_shift_down_of_every_head_value_never_weakens_the_evidence(strata: Strata, shift: float) -> None:
    """Observed D falls by the shift; that of any other labeling by less."""
    before, _ = permutation_tails(strata, seed=1)
    after, _ = permutation_tails(Strata(strata.base, tuple(values - shift for values in strata.head)), seed=1)
    assert after.lower <= before.lower + 1e-12


@unhurried
@given(strata_lists(2, 3))
def test_over_all_labelings_p_is_super_uniform(strata: Strata) -> None:
    """Each labeling as if it had been the observed one: a share of at most p has a p-value of at most p."""
    per_case = [
        [
            (np.delete(pooled, chosen), pooled[list(chosen)])
            for chosen in itertools.combinations(range(pooled.size), head.size)
        ]
        for pooled, head in (
            (np.concatenate((base, head)), head) for base, head in zip(strata.base, strata.head, strict=True)
        )
    ]
    p_values = np.array(
        [
            permutation_tails(Strata(tuple(b for b, _ in sides), tuple(h for _, h in sides)), seed=1)[0].lower
            for sides in itertools.product(*per_case)
        ]
    )
    for level in np.unique(p_values):
        assert np.mean(p_values <= level + 1e-12) <= level + 1e-9


def test_a_metric_that_cannot_vary_has_p_1_and_costs_the_others_nothing() -> None:
    base, head = noise(2, 6, 3, 2)
    for side in (base, head):
        for values in side:
            values[:, 1] = 0.1 + 0.2
    alone = joint_permutation([b[:, :1] for b in base], [h[:, :1] for h in head], seed=4)
    joint = joint_permutation(base, head, seed=4)
    assert (joint.raw[1].lower, joint.raw[1].upper) == (1.0, 1.0)
    assert joint.raw[0] == alone.raw[0]
    assert min(alone.raw[0].lower, alone.raw[0].upper) == min(
        joint.adjusted[0].lower, joint.adjusted[0].upper
    )


def test_a_difference_without_any_noise_is_found() -> None:
    base, head = [np.zeros((3, 1))] * 4, [np.ones((3, 1))] * 4
    found = joint_permutation(base, head, seed=1)
    assert found.raw[0].upper < 0.001


def test_copies_of_a_metric_cost_nothing_and_independent_ones_cost_less_than_bonferroni() -> None:
    base, head = noise(6, 15, 4, 4)
    for values in head:
        values[:, 0] -= 0.55
    copies = joint_permutation(
        [np.repeat(b[:, :1], 4, axis=1) for b in base], [np.repeat(h[:, :1], 4, axis=1) for h in head], seed=2
    )
    assert copies.adjusted[0] == pytest.approx(copies.raw[0])
    joint = joint_permutation(base, head, seed=2)
    assert joint.raw[0].lower < joint.adjusted[0].lower <= 4 * joint.raw[0].lower * 1.05


@settings(unhurried, max_examples=30)
@given(st.integers(0, 10_000))
def test_adjusting_never_helps_and_never_reorders(seed: int) -> None:
    base, head = noise(seed, 5, 3, 4)
    found = joint_permutation(base, head, seed=seed, permutations=199)
    raw = [tails.lower for tails in found.raw]
    adjusted = [tails.lower for tails in found.adjusted]
    assert all(after >= before for before, after in zip(raw, adjusted, strict=True))
    by_raw = sorted(range(4), key=lambda i: (adjusted[i], raw[i]))
    assert [adjusted[i] for i in by_raw] == sorted(adjusted)


def test_step_down_by_hand() -> None:
    """Four draws, two metrics. The larger statistic meets the maximum of both, the smaller only itself."""
    shuffled = np.array([[3.0, 0.0], [0.0, 2.5], [1.0, 1.0], [0.0, 0.0]])
    raw, adjusted = step_down(np.array([2.0, 1.0]), shuffled, exact=False)
    assert raw == [2 / 5, 3 / 5]
    assert adjusted == [3 / 5, 3 / 5]
    raw, adjusted = step_down(np.array([1.0, 2.0]), shuffled, exact=True)
    assert raw == [2 / 4, 1 / 4]
    assert adjusted == [2 / 4, 2 / 4]


def test_the_chance_of_any_false_alarm_stays_near_the_level() -> None:
    """300 A/A comparisons of four metrics, 199 draws: at 10 %, 3.1 standard errors are 5.4 points."""
    alarms = 0
    for seed in range(300):
        base, head = noise(1000 + seed, 6, 3, 4)
        found = joint_permutation(base, head, seed=seed, permutations=199)
        alarms += min(tails.lower for tails in found.adjusted) <= 0.10
    assert 0.046 <= alarms / 300 <= 0.154


def test_a_metric_absent_from_a_case_is_judged_on_the_others() -> None:
    base, head = noise(9, 4, 3, 2)
    base[3][:, 1] = np.nan
    head[3][:, 1] = np.nan
    joint = joint_permutation(base, head, seed=1)
    alone, _ = permutation_tails(
        Strata(tuple(b[:, 1] for b in base[:3]), tuple(h[:, 1] for h in head[:3])), seed=1
    )
    assert joint.raw[1].lower == pytest.approx(alone.lower, abs=0.02)
    assert joint.labelings == 9_999


@pytest.mark.parametrize(
    ("base", "head", "reason"),
    [
        ([[1.0, math.nan]], [[2.0, math.nan]], "no value on any case"),
        ([[math.inf, 1.0]], [[2.0, 1.0]], "infinite"),
    ],
)
def test_values_that_labels_cannot_be_shuffled_over_are_refused(
    base: list[list[float]], head: list[list[float]], reason: str
) -> None:
    with pytest.raises(ValueError, match=reason):
        joint_permutation([np.array(base)], [np.array(head)], seed=1)


def test_a_case_needs_both_sides() -> None:
    with pytest.raises(ValueError, match="one side"):
        joint_permutation([np.ones((2, 1))], [np.ones((0, 1))], seed=1)
    with pytest.raises(ValueError, match="at least one"):
        joint_permutation([], [], seed=1)


def test_half_a_thousand_cases_fit_in_little_memory() -> None:
    base, head = noise(4, 500, 10, 8)
    joint_permutation(base[:1], head[:1], seed=1)
    tracemalloc.start()
    try:
        found = joint_permutation(base, head, seed=1)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found.labelings == 9_999
    assert peak < 60e6


def test_passes_read_as_values_give_the_effect_of_the_counts() -> None:
    strata = as_strata([((2, 3), (1, 3)), ((0, 2), (2, 2))])
    assert effect(strata) == pytest.approx(pass_counts(strata).effect)


def _difference_of_means(base: list[FloatArray], head: list[FloatArray]) -> float:
    """D over the cases that have a value, 0 from a case with none on one side."""
    parts = [
        float(np.nanmean(h) - np.nanmean(b)) if np.isfinite(b).any() and np.isfinite(h).any() else 0.0
        for b, h in zip(base, head, strict=True)
    ]
    return sum(parts)


def _all_labelings(base: list[FloatArray], head: list[FloatArray]) -> list[Sides]:
    pooled = [np.concatenate((b, h)) for b, h in zip(base, head, strict=True)]
    choices = [
        list(itertools.combinations(range(len(values)), len(h)))
        for values, h in zip(pooled, head, strict=True)
    ]
    return [
        (
            [np.delete(values, list(heads), axis=0) for values, heads in zip(pooled, chosen, strict=True)],
            [values[list(heads)] for values, heads in zip(pooled, chosen, strict=True)],
        )
        for chosen in itertools.product(*choices)
    ]


_HOLED: Sides = (
    [np.array([[1.0, math.nan], [3.0, 0.5], [2.0, 0.25]]), np.array([[5.0, 1.0], [4.0, 0.0]])],
    [np.array([[0.0, 0.0], [1.0, math.nan], [2.0, 0.125]]), np.array([[4.5, 0.75], [3.0, math.nan]])],
)


def test_what_is_missing_moves_with_its_trial() -> None:
    base, head = _HOLED
    found = joint_permutation(base, head, seed=1)
    labelings = _all_labelings(base, head)
    assert (found.exact, found.labelings) == (True, len(labelings))
    for metric in range(2):
        shuffled = [
            _difference_of_means([v[:, metric] for v in b], [v[:, metric] for v in h]) for b, h in labelings
        ]
        observed = _difference_of_means([v[:, metric] for v in base], [v[:, metric] for v in head])
        lower = sum(d <= observed + 1e-12 for d in shuffled) / len(shuffled)
        assert found.raw[metric].lower == pytest.approx(lower)


@pytest.mark.parametrize("metric", [0, 1])
def test_with_missing_values_p_is_super_uniform_over_all_labelings(metric: int) -> None:
    tails = [joint_permutation(b, h, seed=1) for b, h in _all_labelings(*_HOLED)]
    raw = sorted(t.raw[metric].lower for t in tails)
    smallest = sorted(min(a.lower for a in t.adjusted) for t in tails)
    for found in (raw, smallest):
        assert all(sum(q <= p + 1e-12 for q in found) / len(found) <= p + 1e-9 for p in found)


def test_drawn_labelings_agree_with_enumerated_ones_where_values_are_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    base, head = noise(5, 2, 4, 2)
    base[0][1, 1] = head[1][0, 1] = head[1][1, 0] = math.nan
    whole = joint_permutation(base, head, seed=1)
    monkeypatch.setattr("gatebot.core.stats.permutation.ENUMERATION_LIMIT", 0)
    drawn = joint_permutation(base, head, seed=1)
    assert (whole.exact, drawn.exact) == (True, False)
    for one, other in zip((*whole.raw, *whole.adjusted), (*drawn.raw, *drawn.adjusted), strict=True):
        assert one.lower == pytest.approx(other.lower, abs=0.02)
