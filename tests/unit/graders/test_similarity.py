"""Similarity behind guards, and chrF++ against worked values."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatebot.errors import ConfigError
from gatebot.graders.chrf import chrf
from gatebot.graders.similarity import similarity
from tests.unit.graders.trials import Written, call, case, golden, grade, trial, value


@pytest.mark.parametrize(
    ("reference", "answer", "guard"),
    [
        ("We refunded $30.", "We refunded $300.", "numbers: expected 30 $, got 300 $"),
        ("We refunded $30.", "We refunded 30 euros.", "numbers: expected 30 $, got 30 €"),
        ("The SLA is 99.9%.", "The SLA is 99.99%.", "numbers: expected 99.9 %, got 99.99 %"),
        ("Two bags and 2 seats.", "One bag and 2 seats.", "numbers: expected 2 bag, got no other number"),
        ("It is booked.", "It is not booked.", "negation: expected 0 negating words, got 1"),
        ("You can cancel.", "You can't cancel.", "negation: expected 0 negating words, got 1"),
        ("Leaves on May 1, 2024.", "Leaves on May 2, 2024.", "dates: expected 2024-05-01, got 2024-05-02"),
        ("Leaves on 2024-05-01.", "Leaves soon.", "dates: expected 2024-05-01, got no date"),
        ("It is 5 days.", "It is 5 weeks.", "numbers: expected 5 day, got 5 week"),
    ],
)
def test_guards(reference: str, answer: str, guard: str) -> None:
    score = similarity(reference, answer)
    assert (score.value, score.reason) == (0.0, f"guard {guard}")


@pytest.mark.parametrize(
    ("reference", "answer"),
    [
        ("We refunded $1,000 to you.", "We refunded 1k dollars to you."),
        ("The SLA is 99.9 %.", "The SLA is 99.9 percent."),
        ("Leaves on 2024-05-01 at noon.", "Leaves on May 1, 2024 at noon."),
        ("Leaves on May 1st.", "Leaves on 1 May 2024."),
        ("Two seats.", "2 seats."),
        ("It is not impossible to cancel.", "It is possible to cancel."),
    ],
)
def test_agreeing_texts_pass_the_guards(reference: str, answer: str) -> None:
    score = similarity(reference, answer)
    assert score.value is not None
    assert score.value > 0.5


def test_required_entities() -> None:
    assert similarity("Flight to Paris.", "flight to  PARIS.", ["Paris"]).value == 1.0
    score = similarity("Flight to Paris.", "flight to Rome.", ["Paris"])
    assert (score.value, score.reason) == (0.0, 'guard entities: expected "Paris", got "flight to Rome."')


def test_order_of_words_does_not_matter_and_other_texts_are_unlike() -> None:
    assert similarity("the order ships today", "today the order ships").value == 1.0
    unlike = similarity("the order ships today", "completely other words")
    assert unlike.value is not None
    assert unlike.value < 0.5


@pytest.mark.parametrize(
    ("threshold", "answer", "passes"),
    [
        (0.8, "Your order ships today!", True),
        (0.8, "bananas", False),
        (0.99, "Your order ships today!", False),
    ],
)
def test_the_check(threshold: float, answer: str, passes: bool) -> None:
    expect: Written = {"answer": {"similar": {"threshold": threshold}}}
    graded = grade(case(expect, answer="Your order ships today."), trial(answer=answer))
    assert graded.passed is passes
    assert value(graded, "similarity") is not None
    if not passes:
        assert "is below" in graded.checks[0].reason


def test_no_answer_is_not_similar_and_a_missing_reference_is_an_error() -> None:
    graded = grade(case({"answer": {"similar": True}}, answer="yes"), trial())
    assert (graded.passed, value(graded, "similarity")) == (False, 0.0)
    with pytest.raises(ConfigError, match=r"no text to compare with"):
        grade(case({"answer": {"similar": True}}), trial(answer="yes"))


def test_an_argument_may_be_similar() -> None:
    made = case(
        {"trajectory": {"args": {"s": {"q": {"similar": 0.8}}}}}, golden(("s", {"q": "status page uptime"}))
    )
    assert grade(made, trial(call("s", {"q": "uptime status page"}))).passed is True
    failed = grade(made, trial(call("s", {"q": "weather"})))
    assert failed.passed is False
    assert failed.failure_reason.endswith('expected something similar to "status page uptime" (at least 0.8)')


@pytest.mark.parametrize(
    ("reference", "answer", "expected"),
    [
        ("", "", 0.0),
        ("a", "", 0.0),
        ("same words", "same words", 1.0),
        ("abc", "xyz", 0.0),
        # By hand. Characters: order 1 precision 2/2, recall 2/3; order 2 1/1, 1/2. Words: order 1 0/1, 0/1. Three
        # orders that both have: precision 2/3, recall 7/18; F = 5 P R / (4 P + R) = 14/33.
        ("abc", "ab", 14 / 33),
    ],
)
def test_chrf(reference: str, answer: str, expected: float) -> None:
    assert chrf(reference, answer) == pytest.approx(expected)


@given(st.text(max_size=30), st.text(max_size=30))
def test_similarity_lies_in_the_unit_interval(one: str, other: str) -> None:
    score = similarity(one, other)
    assert score.value is not None
    assert 0 <= score.value <= 1
    own = similarity(one, one)
    assert own.value == 1.0


@pytest.mark.parametrize(
    "text", ["no " * 100_000, "may 1 " * 50_000, "9" * 300_000, "a-" * 200_000, "2024-01-" * 50_000]
)
def test_hostile_text_takes_no_time(text: str) -> None:
    begun = time.process_time()
    similarity("Refund of $30 on May 1.", text)
    similarity(text, text + "x")
    assert time.process_time() - begun < 4
