"""Arguments against the schemas of their tools: edges, every reason, unknown tools, bounded patterns."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from gatebot.graders.grade import CaseGrader
from gatebot.graders.tool_schemas import ToolSchemas, schema_valid
from gatebot.model.config import TrajectoryDefault
from gatebot.model.grading import Tools
from gatebot.model.json_value import JsonValue
from gatebot.model.score import Score
from gatebot.model.trajectory import Trajectory
from tests.unit.graders.trials import call, case, grade, steps_of, trial, unknown_call

SEARCH = "search"
TOOLS: Tools = {
    SEARCH: {
        "type": "object",
        "properties": {
            "q": {"type": "string", "minLength": 2},
            "limit": {"type": "integer", "maximum": 10},
            "sort": {"enum": ["date", "rank"]},
            "filter": {"type": "object", "properties": {"day": {"type": "string", "pattern": "^[0-9-]+$"}}},
            "tags": {"type": "array", "items": {"type": ["string", "null"]}},
        },
        "required": ["q"],
        "additionalProperties": False,
    },
    "now": {},
}


def scored(*calls: tuple[str, dict[str, JsonValue]]) -> Score:
    return schema_valid(ToolSchemas(TOOLS), steps_of(*[call(name, args) for name, args in calls]))


@pytest.mark.parametrize(
    ("arguments", "clause"),
    [
        ({}, "q is missing, got no arguments"),
        ({"limit": 3}, "q is missing, got limit"),
        ({"q": 7}, "q is 7, expected type string"),
        ({"q": "x"}, 'q is "x", expected minLength 2'),
        ({"q": "xy", "limit": "5"}, 'limit is "5", expected type integer'),
        ({"q": "xy", "limit": 11}, "limit is 11, expected maximum 10"),
        ({"q": "xy", "sort": "name"}, 'sort is "name", expected one of ["date", "rank"]'),
        (
            {"q": "xy", "page": 2},
            "page=2 was not expected, expected filter, limit, q, sort, tags",
        ),
        ({"q": "xy", "filter": {"day": "may"}}, 'filter.day is "may", expected pattern "^[0-9-]+$"'),
        ({"q": "xy", "tags": ["a", 1]}, "tags.1 is 1, expected type string or null"),
    ],
)
def test_the_reason_names_step_tool_key_expected_and_got(
    arguments: dict[str, JsonValue], clause: str
) -> None:
    score = scored(("now", {}), (SEARCH, arguments))
    assert score.value == 0.5
    assert score.reason.startswith("step 2: `search(")
    assert score.reason.endswith(f"`: {clause}")


def test_valid_calls_score_one_whatever_keys_an_empty_schema_takes() -> None:
    assert scored((SEARCH, {"q": "xy", "limit": 10}), ("now", {"any": [1]})) == Score(1.0)


def test_an_unknown_tool_is_named() -> None:
    score = scored(("find", {"q": "x"}), ("find", {}), (SEARCH, {"q": "xy"}))
    assert score.value == pytest.approx(1 / 3)
    assert (
        score.reason
        == 'step 1: `find(q="x")`: unknown tool find, expected one of now, search (and 1 more calls)'
    )


def test_a_renamed_call_is_known_by_its_raw_name_too() -> None:
    renamed = call("find", {"q": 7}, raw_name=SEARCH)
    score = schema_valid(ToolSchemas(TOOLS), steps_of(renamed))
    assert score.reason == "step 1: `find(q=7)`: q is 7, expected type string"


def test_malformed_arguments_do_not_satisfy_and_unknown_ones_take_no_part() -> None:
    broken = call(SEARCH, raw_arguments="{", arguments_error="not JSON")
    schemas = ToolSchemas(TOOLS)
    assert schema_valid(schemas, steps_of(broken)).value == 0
    assert "malformed_args" in schema_valid(schemas, steps_of(broken)).reason
    assert schema_valid(schemas, steps_of(unknown_call(SEARCH), call(SEARCH, {"q": "xy"}))) == Score(1.0)
    score = schema_valid(schemas, steps_of(unknown_call(SEARCH)))
    assert (score.value, score.by_design) == (None, False)


def test_no_schema_and_no_call_are_ungraded() -> None:
    assert schema_valid(ToolSchemas(), steps_of(call("a"))).by_design
    assert schema_valid(ToolSchemas("tools.json"), steps_of(call("a"))).by_design
    assert schema_valid(ToolSchemas(TOOLS), steps_of()).by_design


def test_the_grade_has_the_metric_only_where_the_suite_has_schemas() -> None:
    made = case({"require": ["now"]})
    assert "schema_valid" not in grade(made, trial(call("now"))).scores
    grader = CaseGrader(made, TrajectoryDefault(), ToolSchemas(TOOLS))
    assert grader.grade(trial(call("now"))).scores["schema_valid"] == Score(1.0)
    broken = grader.grade(trial(call("now"), status="timeout"))
    assert broken.scores["schema_valid"].value == 0
    unreported = grader.grade(replace(trial(), trajectory=Trajectory())).scores["schema_valid"]
    assert (unreported.value, unreported.by_design) == (None, False)


def test_a_pattern_that_explodes_is_a_fault_and_not_a_wait() -> None:
    tools: Tools = {"t": {"properties": {"x": {"pattern": "(a|aa)+$"}}}}
    grader = CaseGrader(case({"require": ["t"]}), TrajectoryDefault(), ToolSchemas(tools))
    begun = time.process_time()
    graded = grader.grade(trial(call("t", {"x": "a" * 5_000 + "b"})))
    assert time.process_time() - begun < 5
    assert graded.scores["schema_valid"].fault
    assert graded.passed is True


def test_a_reference_to_another_document_is_not_followed() -> None:
    tools: Tools = {"t": {"$ref": "http://localhost:9/schema.json"}}
    grader = CaseGrader(case({"require": ["t"]}), TrajectoryDefault(), ToolSchemas(tools))
    score = grader.grade(trial(call("t"))).scores["schema_valid"]
    assert score.fault
    assert "Unresolvable" in score.reason


def test_equal_arguments_are_looked_at_once_and_every_schema_compiled_once() -> None:
    schemas = ToolSchemas(TOOLS)
    calls = [call(SEARCH, {"q": "xy", "limit": number % 3}) for number in range(3_000)]
    begun = time.process_time()
    assert schema_valid(schemas, steps_of(*calls)) == Score(1.0)
    assert time.process_time() - begun < 2
