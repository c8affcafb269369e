"""Arguments against schemas that the agent's own side declared: a hint that no gate is set on."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from gatebot.commands.grading import SuiteGrader
from gatebot.graders.declared_schemas import BY_ITS_OWN, DeclaredSchemas
from gatebot.model.config import Config
from gatebot.model.json_value import JsonValue
from gatebot.model.score import Score
from gatebot.model.suite import Suite
from gatebot.model.trajectory import ToolCall
from gatebot.model.trial import Trial
from tests.unit.graders.trials import call, case, steps_of, trial, unknown_call

Schemas = dict[str, dict[str, JsonValue]]
AGENT: dict[str, JsonValue] = {"version": 1, "suite": "a", "agent": {"command": ["true"]}}
STRICT: Schemas = {"t": {"type": "object", "required": ["q"]}}


def scored(tools: Schemas, *calls: ToolCall) -> Score:
    return DeclaredSchemas().score(tools, steps_of(*calls))


def test_the_share_of_calls_that_satisfy_what_was_declared() -> None:
    assert scored(STRICT, call("t", {"q": 1})) == Score(1.0)
    half = scored(STRICT, call("t", {"q": 1}), call("t", {"p": 1}))
    assert half.value == 0.5
    assert half.reason == f"step 2: `t(p=1)`: q is missing, got p, {BY_ITS_OWN}"


def test_what_nothing_was_declared_of_takes_no_part() -> None:
    assert scored(STRICT, call("t", {"q": 1}), call("other")) == Score(1.0)
    assert scored(STRICT, call("t", {"q": 1}), unknown_call("t")) == Score(1.0)
    assert scored(STRICT, call("other")).value is None
    assert scored(STRICT, unknown_call("t")).value is None
    assert scored(STRICT).by_design
    assert scored(STRICT, ToolCall("1", "t", None, arguments_error="malformed")).value == 0


def test_a_tool_is_also_known_by_the_name_that_the_source_gave_it() -> None:
    assert scored(STRICT, call("mine", {}, raw_name="t")).value == 0


@pytest.mark.parametrize(
    "schema",
    [
        {"type": 7},
        {"$ref": "http://localhost:1/x"},
        {"$ref": "#"},
        {"exclusiveMaximum": True},
        {"properties": {"q": {"pattern": "("}}},
    ],
)
def test_a_schema_that_is_none_is_not_held_against_the_agent(schema: dict[str, JsonValue]) -> None:
    score = scored({"t": schema}, call("t", {"q": "x"}))
    assert score.value is None
    assert not score.fault


def test_a_pattern_that_never_ends_and_too_much_to_compare_are_ungraded_in_bounded_time() -> None:
    begun = time.process_time()
    slow: Schemas = {"t": {"properties": {"q": {"pattern": "^(a|a)*$"}}}}
    calls = [call("t", {"q": "a" * 40 + "b" * number}) for number in range(1, 30)]
    assert scored(slow, *calls).value is None
    wide: Schemas = {"t": {"properties": {"q": {"items": {"type": "integer"}, "uniqueItems": True}}}}
    assert scored(wide, call("t", {"q": [{"a": n} for n in range(5_000)]})).value is None
    assert time.process_time() - begun < 5


def told(name: str, gate: dict[str, JsonValue], tools: dict[str, JsonValue] | None = None) -> Score | None:
    written: dict[str, JsonValue] = {**AGENT, "gate": {"metrics": gate}}
    config = Config.model_validate({**written, "tools": tools} if tools else written)
    grader = SuiteGrader(Suite(config, (case(),)))
    made = trial(call(name, {"p": 1}))
    lax = replace(made, trajectory=replace(made.trajectory, tools=STRICT))
    found = grader.grade(lax)
    assert found is not None
    return found[0].scores.get("schema_valid")


def test_the_configuration_s_schemas_come_first_and_no_gate_rests_on_declared_ones() -> None:
    informs = told("t", {"pass_rate": {}})
    assert informs is not None
    assert informs.value == 0
    assert BY_ITS_OWN in informs.reason
    assert told("t", {"pass_rate": {}}, {"t": {"required": ["p"]}}) == Score(1.0)
    assert told("t", {"pass_rate": {}, "schema_valid": {}}) is None


def test_a_trial_that_declares_nothing_has_no_such_score() -> None:
    made: Trial = trial(call("t"))
    found = SuiteGrader(Suite(Config.model_validate(AGENT), (case(),))).grade(made)
    assert found is not None
    assert "schema_valid" not in found[0].scores
