"""Coefficients against values that others published or that can be worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatebot.judge.agreement import cohens_kappa, krippendorffs_alpha

# Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), example C/D: 4 observers, 12 units, missing data.
OBSERVERS: list[list[float | None]] = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]
UNITS = [list(unit) for unit in zip(*OBSERVERS, strict=True)]


def test_alpha_of_the_published_example() -> None:
    assert krippendorffs_alpha(UNITS, "nominal") == pytest.approx(0.743, abs=5e-4)
    assert krippendorffs_alpha(UNITS, "interval") == pytest.approx(0.849, abs=5e-4)


def test_kappa_of_the_textbook_example() -> None:
    """20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no: po 0.7, pe 0.5, kappa 0.4."""
    one = [1] * 25 + [0] * 25
    other = [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
    assert cohens_kappa(one, other) == pytest.approx(0.4)


def test_no_variation_is_no_agreement_that_could_be_measured() -> None:
    assert cohens_kappa([], []) is None
    assert cohens_kappa([1, 1], [1, 1]) is None
    assert krippendorffs_alpha([], "nominal") is None
    assert krippendorffs_alpha([[1, 1], [1, 1]], "interval") is None
    assert krippendorffs_alpha([[1], [2]], "interval") is None
    assert krippendorffs_alpha([[1, None], [None, 2]], "nominal") is None


def test_lists_must_be_of_one_length() -> None:
    with pytest.raises(ValueError, match="zip"):
        cohens_kappa([1], [1, 0])


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 0.5, 1.0])), min_size=2))
def test_bounds_and_symmetry(pairs: list[tuple[float, float]]) -> None:
    one, other = [a for a, _ in pairs], [b for _, b in pairs]
    kappa = cohens_kappa(one, other)
    assert kappa == cohens_kappa(other, one)
    assert kappa is None or -1 - 1e-9 <= kappa <= 1 + 1e-9
    for level in ("nominal", "interval"):
        alpha = krippendorffs_alpha(pairs, "nominal" if level == "nominal" else "interval")
        swapped = krippendorffs_alpha(
            [(b, a) for a, b in pairs], "nominal" if level == "nominal" else "interval"
        )
        assert alpha == swapped
        assert alpha is None or alpha <= 1 + 1e-9


@given(st.lists(st.floats(0, 1), min_size=2, unique=True))
def test_full_agreement_is_one(values: list[float]) -> None:
    alpha = krippendorffs_alpha([(value, value) for value in values], "nominal")
    assert alpha == pytest.approx(1)
    assert cohens_kappa(values, values) == pytest.approx(1)
