"""Consensus of trials: what counts as the same behaviour, who wins, and what is said when nobody does."""

from __future__ import annotations

from dataclasses import replace

from gatebot.core.consensus import Behaviour, behaviour_of, consensus
from gatebot.model.case import Expect
from gatebot.model.json_value import JsonValue
from gatebot.model.suite import Case, ExpectedCall, Reference
from gatebot.model.trajectory import Message, ToolCall, Trajectory
from gatebot.model.trial import Status, Trial

CASE = Case("c", "golden/c.yaml", ("hi",), references=(Reference(calls=()),))


def call(name: str, **arguments: JsonValue) -> ToolCall:
    return ToolCall("id", name, arguments)


def trial(
    *turns: tuple[ToolCall, ...], slot: int = 1, answer: str | None = None, status: Status = "completed"
) -> Trial:
    messages = tuple(Message("assistant", calls=calls) for calls in turns)
    return Trial("c", "head", slot, 1, status, trajectory=Trajectory(messages), answer=answer)


def expecting(document: dict[str, JsonValue], *references: Reference) -> Case:
    return Case("c", "golden/c.yaml", ("hi",), expect=Expect.model_validate(document), references=references)


def behaviours(*words: str) -> list[Behaviour]:
    return [Behaviour(slot, word, {"answer": word}) for slot, word in enumerate(words, 1)]


def test_all_alike_is_unanimous() -> None:
    found = consensus(behaviours("a", "a", "a"))
    assert (found.agreement, found.took, found.of, found.slots) == ("unanimous", 3, 3, (1, 2, 3))
    assert found.reason == ""


def test_more_than_half_is_a_majority_and_says_so() -> None:
    found = consensus(behaviours("b", "a", "a"))
    assert (found.agreement, found.golden, found.took, found.spread) == (
        "majority",
        {"answer": "a"},
        2,
        (2, 1),
    )


def test_half_is_no_majority() -> None:
    found = consensus(behaviours("b", "a", "a", "b"))
    assert found.agreement == "split"
    assert "2 of 4" in found.reason
    assert found.golden == {"answer": "b"}  # for whoever insists: the one seen first


def test_nothing_ran() -> None:
    assert consensus([]).agreement == "none"


def test_a_crash_that_most_trials_show_is_no_golden() -> None:
    crashed = [behaviour_of(CASE, "exact", trial(slot=slot, status="agent_error")) for slot in (1, 2)]
    found = consensus([*crashed, behaviour_of(CASE, "exact", trial((call("a"),), slot=3))])
    assert found.golden is None
    assert "agent_error" in found.reason


def test_the_order_of_trials_changes_nothing() -> None:
    some = behaviours("b", "a", "a", "c", "b")
    assert consensus(some) == consensus(some[::-1])


def test_parallel_calls_in_another_order_are_the_same_behaviour() -> None:
    one = behaviour_of(CASE, "exact", trial((call("a"), call("b"))))
    other = behaviour_of(CASE, "exact", trial((call("b"), call("a"))))
    assert one.signature == other.signature
    assert one.golden == {"calls": [[{"a": {}}, {"b": {}}]]}


def test_calls_one_after_the_other_are_another_behaviour() -> None:
    one = behaviour_of(CASE, "exact", trial((call("a"), call("b"))))
    other = behaviour_of(CASE, "exact", trial((call("a"),), (call("b"),)))
    assert one.signature != other.signature
    assert other.golden == {"calls": [{"a": {}}, {"b": {}}]}


def test_arguments_the_case_ignores_are_neither_compared_nor_kept() -> None:
    case = expecting(
        {"trajectory": {"args": {"pay": {"at": "ignore"}, "log": "ignore"}}}, Reference(calls=())
    )
    found = [
        behaviour_of(case, "exact", trial((call("pay", at=at, sum=3),), (call("log", text=at),)))
        for at in ("1", "2")
    ]
    assert found[0] == found[1]
    assert found[0].golden == {"calls": [{"pay": {"sum": 3}}, "log"]}


def test_wording_that_is_not_judged_may_differ() -> None:
    case = expecting({}, Reference(calls=(), answer="x"))
    found = consensus(
        [behaviour_of(case, "exact", trial(slot=slot, answer=text)) for slot, text in enumerate("yxy", 1)]
    )
    assert (found.agreement, found.golden) == ("unanimous", {"answer": "y"})


def test_an_answer_that_must_be_exact_is_part_of_the_behaviour() -> None:
    case = expecting({"answer": {"exact": True}}, Reference(answer="x"))
    found = consensus(
        [
            behaviour_of(case, "exact", trial(slot=slot, answer=text))
            for slot, text in enumerate(["Y  z", "x", "y Z"], 1)
        ]
    )
    assert (found.agreement, found.took, found.golden) == ("majority", 2, {"answer": "Y  z"})


def test_a_golden_says_no_more_than_the_one_it_replaces() -> None:
    case = expecting({"answer": {"exact": True}}, Reference(answer="x"))
    found = behaviour_of(case, "exact", trial((call("a"),), answer="y"))
    assert found.golden == {"answer": "y"}


def test_a_case_without_a_golden_gets_calls_and_answer() -> None:
    found = behaviour_of(expecting({}), "exact", trial((call("a", n=1),), answer="y"))
    assert found.golden == {"calls": [{"a": {"n": 1}}], "answer": "y"}


def test_unknown_arguments_are_not_compared() -> None:
    odd = ToolCall("id", "a", None, raw_arguments="{")
    assert behaviour_of(CASE, "exact", trial((odd,))).golden == {"calls": ["a"]}


def test_calls_that_were_not_told_are_not_no_calls() -> None:
    """An agent that prints its answer alone has told no call: its golden says nothing of calls, and replaces none."""
    told = Trial("c", "head", 1, 1, "completed", answer="yes", trajectory=Trajectory(format="openai"))
    untold = Trial("c", "head", 1, 1, "completed", answer="yes")
    without = Case("c", "golden/c.yaml", ("hi",))
    assert behaviour_of(without, "exact", told).golden == {"calls": [], "answer": "yes"}
    assert behaviour_of(without, "exact", untold).golden == {"answer": "yes"}
    case = replace(CASE, references=(Reference(calls=(ExpectedCall("search", {}, 0),)),))
    found = behaviour_of(case, "exact", untold)
    assert found.golden is None
    assert consensus([found]).reason.endswith("without telling the calls that the golden holds")
