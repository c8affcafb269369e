"""The oracle plays the golden and what a person expects; nop does nothing at all."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import PurePath

import pytest

from gatebot.agents.builtin import NopAgent, OracleAgent
from gatebot.model.case import Expect
from gatebot.model.json_value import JsonValue
from gatebot.model.suite import Case, ExpectedCall, Reference, Turn
from gatebot.model.trial import Trial
from gatebot.ports import SideEnvironment
from tests.unit.agents.tasks import PLAIN, scripted, task

ENVIRONMENT = SideEnvironment("head", PurePath("/nowhere"))
CALLS = (
    ExpectedCall("read", {"id": 1}, group=0),
    ExpectedCall("list", None, group=0),
    ExpectedCall("skip", {}, group=1, optional=True),
    ExpectedCall("write", {"to": "x"}, group=2, alternatives=(("append", {}),)),
)


def play(case: Case) -> Trial:
    return OracleAgent().run(task(case), ENVIRONMENT)


def expecting(answer: JsonValue) -> Case:
    return replace(PLAIN, expect=Expect.model_validate_json(json.dumps({"answer": answer})))


def test_the_golden_is_played_group_by_group() -> None:
    trial = play(replace(PLAIN, references=(Reference(CALLS, "Done.", {"n": 1}), Reference(answer="no"))))
    assert (trial.status, trial.answer, trial.state, trial.seed) == ("completed", "Done.", {"n": 1}, 7)
    assert trial.key == task().key
    assert [[call.name for call in message.calls] for message in trial.trajectory.messages] == [
        [],
        ["read", "list"],
        ["write"],
        [],
    ]
    calls = trial.trajectory.calls()
    assert [call.arguments for call in calls] == [{"id": 1}, {}, {"to": "x"}]
    assert len({call.id for call in calls}) == 3
    assert all(call.result == "" and call.is_error is False for call in calls)
    assert trial.trajectory.final_text() == "Done."


def test_required_tools_that_the_golden_does_not_call_are_called() -> None:
    case = replace(PLAIN, expect=Expect(require=("read", "log")), references=(Reference(CALLS),))
    assert [call.name for call in play(case).trajectory.calls()] == ["read", "list", "write", "log"]


def test_every_turn_is_heard() -> None:
    case = replace(
        scripted("One?", "Two?"), history=(Turn("system", "s"),), references=(Reference(answer="A"),)
    )
    messages = play(case).trajectory.messages
    assert [message.role for message in messages] == ["system", "user", "user", "assistant"]


@pytest.mark.parametrize(
    ("expected", "answer"),
    [
        ({"exact": "Yes."}, "Yes."),
        ({"contains": "99.9%"}, "99.9%"),
        ({"contains": ["a", "b"]}, "a\nb"),
        ({"contains": {"all": ["a"], "any": ["x", "y"]}}, "a\nx"),
        ({"number": 1200}, "1200"),
        ({"number": {"value": 12.5, "unit": "EUR"}}, "12.5 EUR"),
        ({"number": 1e-7}, "0.0000001"),
        ({"number": 1e20}, "100000000000000000000"),
        ({"json": {"value": {"b": 1, "a": [True]}}}, '{"a":[true],"b":1}'),
        ({"similar": {"text": "It ships.", "entities": ["Lyon"]}}, "It ships.\nLyon"),
        ({"contains": "total", "number": 3}, "total\n3"),
    ],
)
def test_without_a_golden_answer_one_is_made_from_what_is_expected(expected: JsonValue, answer: str) -> None:
    assert play(expecting(expected)).answer == answer


def test_a_golden_answer_goes_before_what_is_expected() -> None:
    case = replace(expecting({"contains": "x"}), references=(Reference(answer=""),))
    assert play(case).answer == ""


def test_nop_completes_and_says_nothing() -> None:
    trial = NopAgent().run(
        task(replace(PLAIN, references=(Reference(CALLS, "Done.", {"n": 1}),))), ENVIRONMENT
    )
    assert (trial.status, trial.answer, trial.state) == ("completed", "", None)
    assert [message.role for message in trial.trajectory.messages] == ["user"]
    assert trial.trajectory.calls() == ()
