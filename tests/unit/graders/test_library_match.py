"""`engine: agentevals`: its verdict counts, our explanation stays, and what it cannot say is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from gatebot.commands.validate import validate
from gatebot.errors import ConfigError
from gatebot.graders.grade import CaseGrader
from gatebot.model.case import ArgsMode, MatchMode
from gatebot.model.config import TrajectoryDefault
from gatebot.model.score import Grade
from gatebot.model.suite import Case, ExpectedCall
from gatebot.model.trajectory import ToolCall
from tests.unit.graders.trials import Written, call, case, golden, grade, trial, unknown_call

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning:langchain_core"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:langsmith"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:openevals"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:agentevals"),
]


def by_library(made: Case, *calls: ToolCall | list[ToolCall], match: MatchMode = "superset") -> Grade:
    return grade(made, trial(*calls), TrajectoryDefault(match=match, engine="agentevals"))


def expecting(*calls: tuple[str, Written], args: ArgsMode = "exact") -> Case:
    return case({"trajectory": {"args": args}}, golden(*calls))


def test_equal_verdicts_keep_our_explanation() -> None:
    made = expecting(("search", {"q": "x"}))
    assert by_library(made, call("search", {"q": "x"})).passed is True
    graded = by_library(made, call("search", {"q": "y"}))
    assert graded == grade(made, trial(call("search", {"q": "y"})))
    assert graded.divergence is not None


def test_the_library_decides_where_the_two_differ() -> None:
    """It matches greedily: the second golden call finds its only partner taken."""
    made = expecting(("search", {}), ("search", {"q": "x"}), args="superset")
    calls = [call("search", {"q": "x"}), call("search", {"q": "y"})]
    assert grade(made, trial(*calls)).passed is True
    graded = by_library(made, *calls)
    assert graded.passed is False
    assert graded.scores["trajectory_match"].reason == (
        "agentevals finds no match in mode superset, though by gatebot's matcher it matches the golden"
    )
    assert graded.failure_reason
    lenient = case(None, (ExpectedCall("search", {"fast": True}, 0),))
    assert by_library(lenient, call("search", {"fast": 1})).passed is True
    assert grade(lenient, trial(call("search", {"fast": 1}))).passed is False


def test_per_tool_modes_and_uncompared_arguments_reach_the_library() -> None:
    rules: Written = {"trajectory": {"args": {"a": "ignore", "b": "superset"}}}
    made = case(rules, golden(("a", {"k": 1}), ("b", {"k": 1}), "c"))
    assert by_library(made, call("a"), call("b", {"k": 1, "l": 2}), call("c", {"z": 1})).passed is True
    assert by_library(made, call("a"), call("b", {"l": 2}), call("c")).passed is False


def test_ours_stays_where_the_library_cannot_judge() -> None:
    made = expecting(("search", {"q": "x"}))
    assert by_library(made, unknown_call("search")).scores["trajectory_match"].value is None
    broken = by_library(made, call("search", raw_arguments="{", arguments_error="not JSON"))
    assert broken.scores["trajectory_match"].value == 0
    assert not broken.scores["trajectory_match"].fault
    assert by_library(made, match="subset").scores["trajectory_match"].value is None
    assert by_library(made).passed is False


@pytest.mark.parametrize(
    ("expect", "calls", "message"),
    [
        ({"trajectory": {"args": {"a": {"k": {"regex": "x"}}}}}, golden(("a", {})), "field by field"),
        ({}, (ExpectedCall("a", {}, 0, optional=True),), "optional, alternative or ordered calls"),
        ({}, (ExpectedCall("a", {}, 0, alternatives=(("b", None),)),), "the golden call 'a'"),
        ({}, golden("a", ("a", {})), "of all calls of 'a' or of none"),
    ],
)
def test_what_the_library_cannot_say_is_refused(
    expect: Written, calls: tuple[ExpectedCall, ...], message: str
) -> None:
    with pytest.raises(ConfigError, match=message) as raised:
        CaseGrader(case(expect, calls), TrajectoryDefault(engine="agentevals"))
    assert raised.value.location is not None
    assert raised.value.location.path == "golden/case.yaml"


def test_validate_refuses_what_the_library_cannot_say(tmp_path: Path) -> None:
    (tmp_path / "golden").mkdir()
    text = "version: 1\nsuite: s\nagent: {command: [a]}\ntrajectory: {engine: agentevals}\n"
    (tmp_path / "gatebot.yaml").write_text(text, encoding="utf-8")
    golden_text = "input: hi\ngolden: {calls: [{call: search, optional: true}, pay]}\n"
    (tmp_path / "golden" / "one.yaml").write_text(golden_text, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"golden/one\.yaml.*'search'") as caught:
        validate(tmp_path, "gatebot.yaml")
    assert "engine: own" in caught.value.hint
