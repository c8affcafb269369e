"""Other names of tools: matched under one name, kept under their own."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from gatebot.graders.aliases import Aliases
from gatebot.graders.grade import grade_trial
from gatebot.model.config import TrajectoryDefault
from gatebot.model.suite import Case
from tests.unit.graders.trials import Written, call, case, golden, grade, trial

ALIASES = {"search": ("web.search", "mcp__*__search"), "pay": ("billing/*",)}
DEFAULTS = TrajectoryDefault(aliases=ALIASES)


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("search", "search"),
        ("web.search", "search"),
        ("web-search", "web-search"),
        ("mcp__web__search", "search"),
        ("mcp__a__b__search", "search"),
        ("mcp__search", "mcp__search"),
        ("mcp__web__search2", "mcp__web__search2"),
        ("billing/", "pay"),
        ("billing/charge", "pay"),
        ("pay", "pay"),
    ],
)
def test_names(raw: str, name: str) -> None:
    assert Aliases(ALIASES).name(raw) == name


def test_several_stars_cost_one_pass_on_any_name() -> None:
    aliases = Aliases({"x": ("a*a*a*a*a*a*b",)})
    assert aliases.name("a" * 200_000) == "a" * 200_000
    assert aliases.name("a" * 200_000 + "b") == "x"


def test_an_exact_name_wins_over_a_pattern() -> None:
    aliases = Aliases({"read": ("fs__*",), "write": ("fs__put",)})
    assert (aliases.name("fs__put"), aliases.name("fs__get")) == ("write", "read")


def searched() -> Case:
    return case(
        {"require": ["web.search"], "trajectory": {"args": {"mcp__web__search": {"query": "ignore"}}}},
        calls=golden(("search", {"query": "sla"})),
    )


def test_golden_checks_and_trial_may_each_use_another_name() -> None:
    ran = trial(call("mcp__web__search", {"query": "anything"}))
    graded = grade(searched(), ran, defaults=DEFAULTS)
    assert graded.passed is True
    assert graded.scores["tool_selection"].value == 1.0
    assert grade(searched(), ran).passed is False


def test_a_forbidden_tool_is_forbidden_under_all_its_names() -> None:
    graded = grade(case({"forbid": ["pay"]}), trial(call("billing/charge")), defaults=DEFAULTS)
    assert graded.scores["forbidden_tools"].value == 0.0


def test_the_trial_keeps_the_names_it_has() -> None:
    ran = trial(call("mcp__web__search", {"query": "x"}))
    grade_trial(searched(), ran, DEFAULTS)
    assert ran.trajectory.calls()[0].name == "mcp__web__search"
    renamed = Aliases(ALIASES).trial(ran).trajectory.calls()[0]
    assert (renamed.name, renamed.raw_name) == ("search", "mcp__web__search")


@pytest.mark.parametrize(
    ("aliases", "told"),
    [
        ({"a": ["x"], "b": ["x"]}, "'x' is an alias of both 'a' and 'b'"),
        ({"a": ["b"], "b": ["c"]}, "'b' is an alias and has aliases of its own"),
    ],
)
def test_names_that_could_mean_two_tools(aliases: dict[str, list[str]], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        TrajectoryDefault.model_validate({"aliases": aliases})


def test_a_case_may_have_aliases_of_its_own() -> None:
    expect: Written = {"trajectory": {"aliases": {"search": ["web_lookup"]}}}
    ran = trial(call("web_lookup", {"query": "x"}))
    golden_calls = golden(("search", {"query": "x"}))
    assert grade(case(expect, golden_calls), ran).passed is True
    assert grade(case({"trajectory": {}}, golden_calls), ran).passed is False


def test_an_alias_of_the_case_wins_over_the_suites() -> None:
    suite = TrajectoryDefault.model_validate({"aliases": {"other": ["web_lookup"]}})
    expect: Written = {"trajectory": {"aliases": {"search": ["web_lookup"]}}}
    ran = trial(call("web_lookup", {"query": "x"}))
    assert grade(case(expect, golden(("search", {"query": "x"}))), ran, defaults=suite).passed is True
