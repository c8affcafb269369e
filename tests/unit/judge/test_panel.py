"""Means, too few opinions, model families."""

from __future__ import annotations

import pytest

from gatebot.judge.floor import OPEN, Floor
from gatebot.judge.material import material_of
from gatebot.judge.panel import family_of, judgement_of, same_family
from gatebot.judge.protocol import question_of
from gatebot.judge.rubric import builtin_rubric
from gatebot.model.judgement import Judgement, Opinion
from tests.unit.judge.subjects import case, trial

RUBRIC = builtin_rubric("trajectory")
QUESTION = question_of(RUBRIC, material_of(case(), trial(), RUBRIC))


def judged(*values: float | None, floor: Floor = OPEN) -> Judgement:
    opinions = [
        Opinion("m", n, value, explanation=f"said {n}", error="" if value is not None else f"error {n}")
        for n, value in enumerate(values)
    ]
    return judgement_of(trial(), QUESTION, "s", floor, opinions)


@pytest.mark.parametrize(
    ("values", "value", "apart"),
    [
        ((0.5,), 0.5, None),
        ((0.2, 0.8), 0.5, 0.6),
        ((0.2, None), 0.2, None),
        ((0.2, None, None), None, None),
        ((None,), None, None),
        ((), None, None),
    ],
)
def test_the_mean_of_at_least_half(
    values: tuple[float | None, ...], value: float | None, apart: float | None
) -> None:
    found = judged(*values)
    assert found.value == (pytest.approx(value) if value is not None else None)
    assert found.disagreement == (pytest.approx(apart) if apart is not None else None)


def test_the_reason_is_the_first_usable_explanation_or_the_first_error() -> None:
    assert judged(None, 0.5).reason == "said 1"
    assert judged(None, None).reason == "judge error: error 0"


def test_a_floor_binds_only_what_lies_above() -> None:
    assert (judged(0.9, floor=Floor(0.3, rule="r")).value, judged(0.9, floor=Floor(0.3, rule="r")).floor) == (
        0.3,
        "r",
    )
    assert (judged(0.1, floor=Floor(0.3, rule="r")).value, judged(0.1, floor=Floor(0.3, rule="r")).floor) == (
        0.1,
        "",
    )


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("claude-sonnet-4-6", "claude"),
        ("anthropic/claude-3", "claude"),
        ("gpt-5.2", "gpt"),
        ("o3-mini", "gpt"),
        ("models/gemini-3-pro", "gemini"),
        ("my-model", ""),
        ("", ""),
    ],
)
def test_families(model: str, family: str) -> None:
    assert family_of(model) == family


def test_strangers_are_of_no_family() -> None:
    assert same_family(["x"], ["y"]) == ""
    assert same_family(["claude-a", "gpt-5"], ["gpt-4"]) == "gpt"
