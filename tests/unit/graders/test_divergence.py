"""The first divergence: where, what kind, and the sentence a person reads (the wording is pinned here)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatebot.graders.divergence import first_divergence
from gatebot.graders.trajectory import judge
from gatebot.model.case import MatchMode
from gatebot.model.suite import ExpectedCall
from gatebot.model.trajectory import ToolCall
from tests.unit.graders.trials import Item, Spec, call, case, golden, grade, prepared, steps_of, trial

READ: Spec = ("read", {"id": "A1"})
CHECK: Spec = ("check", {"id": "A1"})
REFUND: Spec = ("refund", {"id": "A1", "amount": 30})
read, check = call("read", {"id": "A1"}), call("check", {"id": "A1"})
refund = call("refund", {"id": "A1", "amount": 30})
too_much = call("refund", {"id": "A1", "amount": 300})
other = call("cancel", {"id": "A1"})


@pytest.mark.parametrize(
    ("mode", "items", "turns", "step", "kind", "explanation"),
    [
        (
            "strict", [READ, REFUND], [read, too_much], 2, "wrong_args",
            ('step 2: expected `refund(id="A1", amount=30)`, got `refund(id="A1", amount=300)`: '
            "amount is 300, expected 30"),
        ),
        (
            "strict", [READ, CHECK, REFUND], [read, refund], 2, "missing",
            ('step 2: expected `check(id="A1")`, got `refund(id="A1", amount=30)`: '
            "check is never called; the golden has it first"),
        ),
        (
            "strict", [READ, REFUND], [refund, read], 1, "out_of_order",
            'step 1: expected `read(id="A1")`, got `refund(id="A1", amount=30)`: the golden has this call later',
        ),
        (
            "strict", [READ, REFUND], [read, read, refund], 2, "extra",
            'step 2: expected `refund(id="A1", amount=30)`, got `read(id="A1")`: the golden has no such call here',
        ),
        (
            "strict", [READ, REFUND], [read, other], 2, "wrong_tool",
            'step 2: expected `refund(id="A1", amount=30)`, got `cancel(id="A1")`: the golden has no such call here',
        ),
        (
            "strict", [READ, REFUND], [read, refund, refund], 3, "extra",
            ('step 3: expected nothing, got `refund(id="A1", amount=30)`: '
            "the golden has 2 calls, and this is none of them"),
        ),
        (
            "strict", [READ, REFUND], [read], 2, "missing",
            'step 2: expected `refund(id="A1", amount=30)`, got nothing: the run ended after 1 call',
        ),
        (
            "strict", [READ, REFUND], [[read, refund]], 2, "out_of_order",
            ('step 2: expected `refund(id="A1", amount=30)`, got `refund(id="A1", amount=30)`: '
            "was made in one turn with step 1; expected a turn of its own"),
        ),
        (
            "strict", [[READ, CHECK], REFUND], [check, refund], 2, "missing",
            ('step 2: expected `read(id="A1")`, got `refund(id="A1", amount=30)`: '
            "read is never called; the golden has it first"),
        ),
        (
            "superset", [READ, REFUND], [other, refund], 1, "wrong_tool",
            'step 1: expected `read(id="A1")`, got `cancel(id="A1")`: the golden has no such call',
        ),
        (
            # Looking something up stands in for no refund, where further calls are allowed.
            "superset", [READ, REFUND], [check, read, check], 4, "missing",
            'step 4: expected `refund(id="A1", amount=30)`, got nothing: the run ended after 3 calls',
        ),
        (
            "superset", [READ, REFUND], [check, read, other, check], 3, "wrong_tool",
            'step 3: expected `refund(id="A1", amount=30)`, got `cancel(id="A1")`: the golden has no such call',
        ),
        (
            "superset", [READ, REFUND], [refund], 1, "missing",
            'step 1: expected `read(id="A1")`, got `refund(id="A1", amount=30)`: read is never called',
        ),
        (
            "superset", [READ, READ, REFUND], [read, refund], 2, "missing",
            ('step 2: expected `read(id="A1")`, got `refund(id="A1", amount=30)`: '
            "read is called like this only 1 time"),
        ),
        (
            "superset", [READ, REFUND], [], 1, "missing",
            'step 1: expected `read(id="A1")`, got nothing: no tool was called',
        ),
        (
            "superset", [READ, REFUND], [read, other, too_much], 3, "wrong_args",
            ('step 3: expected `refund(id="A1", amount=30)`, got `refund(id="A1", amount=300)`: '
            "amount is 300, expected 30"),
        ),
        (
            "unordered", [READ, REFUND], [refund, read, other], 3, "extra",
            'step 3: expected nothing, got `cancel(id="A1")`: the golden has 2 calls, and this is none of them',
        ),
        (
            "subset", [READ, REFUND], [read, other], 2, "wrong_tool",
            'step 2: expected `refund(id="A1", amount=30)`, got `cancel(id="A1")`: the golden has no such call',
        ),
        (
            "subset", [READ, REFUND], [], 1, "missing",
            'step 1: expected `read(id="A1")`, got nothing: no tool was called',
        ),
        (
            "subset", [], [other], 1, "extra",
            'step 1: expected nothing, got `cancel(id="A1")`: the golden has 0 calls, and this is none of them',
        ),
        (
            # A satisfied mode: what a strict reader sees first.
            "superset", [READ, REFUND], [other, read, refund], 1, "extra",
            'step 1: expected `read(id="A1")`, got `cancel(id="A1")`: the golden has no such call here',
        ),
    ],
)  # fmt: skip
def test_divergence(
    mode: MatchMode,
    items: list[Item],
    turns: list[ToolCall | list[ToolCall]],
    step: int,
    kind: str,
    explanation: str,
) -> None:
    reference, steps = prepared(*items), steps_of(*turns)
    found = first_divergence(reference, steps, mode, judge(reference, steps, mode))
    assert found is not None
    assert (found.step, found.kind, found.explanation) == (step, kind, explanation)


def test_no_divergence_where_the_calls_are_the_goldens() -> None:
    reference, steps = prepared(READ, REFUND), steps_of(read, refund)
    for mode in ("strict", "unordered", "superset", "subset"):
        assert first_divergence(reference, steps, mode, judge(reference, steps, mode)) is None


def test_hostile_text_is_one_bounded_printable_line() -> None:
    nasty = call("x" * 5_000, {"a\n\x1b[2J`\u202e": "`\r\n" * 9_000, "b": ["\ud800"] * 50_000, "c": 10**5000})
    graded = grade(case({"trajectory": {"match": "strict"}}, golden(READ)), trial(nasty))
    assert graded.divergence is not None
    for text in (graded.divergence.explanation, graded.failure_reason, graded.checks[0].reason):
        assert text.isprintable()
        assert len(text) <= 650
    assert graded.divergence.actual.count("`") == 2


CALLS = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 1)), max_size=5)


@given(CALLS, CALLS, st.sampled_from(["strict", "unordered", "superset", "subset"]))
def test_every_mismatch_has_one_and_its_step_exists(
    expected: list[tuple[str, int]], actual: list[tuple[str, int]], mode: MatchMode
) -> None:
    reference = prepared(*[ExpectedCall(name, {"k": k}, at) for at, (name, k) in enumerate(expected)])
    steps = steps_of(*[call(name, {"k": k}) for name, k in actual])
    fit = judge(reference, steps, mode)
    found = first_divergence(reference, steps, mode, fit)
    if found is None:
        assert expected == actual
    else:
        assert 1 <= found.step <= len(actual) + 1
        assert (found.actual == "nothing") is (found.step == len(actual) + 1)
        assert found.explanation.startswith(f"step {found.step}: expected ")
    if fit.passed is False:
        assert found is not None
