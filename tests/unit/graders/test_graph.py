"""Node paths of graphs: the four modes, their edges, and agentevals beside the strict one."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import PurePosixPath

import pytest

from gatebot.agents.builtin import OracleAgent
from gatebot.core.consensus import behaviour_of
from gatebot.errors import ConfigError
from gatebot.graders.agentevals_engine import graph_verdict
from gatebot.graders.graph import Path, match_graph
from gatebot.model.case import MatchMode
from gatebot.model.suite import Case, Reference
from gatebot.model.trial import Trial, TrialKey
from gatebot.ports import SideEnvironment, TrialTask
from gatebot.suite.splice import splice_golden
from tests.unit.graders.trials import case, grade, trial
from tests.unit.suite.suite_files import case_of, findings_of

GOLDEN: Path = (("agent", "tools", "agent"),)

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning:langchain_core"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:langsmith"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:openevals"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:agentevals"),
]


@pytest.mark.parametrize(
    ("mode", "path", "reason"),
    [
        ("strict", [["agent", "tools", "agent"]], ""),
        ("strict", [["__start__", "agent", "tools", "agent"]], ""),
        ("strict", [["agent", "agent", "tools"]], "strict: node 2 of turn 1: expected `tools`, got `agent`"),
        ("strict", [["agent", "tools"]], "strict: node 3 of turn 1: expected `agent`, got the turn's end"),
        (
            "strict",
            [["agent", "tools", "agent", "x"]],
            "strict: node 4 of turn 1: expected the turn's end, got `x`",
        ),
        ("strict", [["agent", "tools", "agent"], ["agent"]], "strict: turn 2: expected nothing, got agent"),
        ("unordered", [["tools", "agent"], ["agent"]], ""),
        (
            "unordered",
            [["tools", "agent", "x"]],
            "unordered: expected node agent, got tools, agent, x; node 3 of turn 1: got x, which the golden does not expect",
        ),
        ("superset", [["agent", "x", "tools", "agent"]], ""),
        ("superset", [["agent", "x"]], "superset: expected node agent, tools, got agent, x"),
        ("subset", [["tools"]], ""),
        (
            "subset",
            [["tools", "tools", "tools"]],
            "subset: node 3 of turn 1: got tools × 2, which the golden does not expect",
        ),
    ],
)
def test_modes(mode: MatchMode, path: list[list[str]], reason: str) -> None:
    fit = match_graph(GOLDEN, tuple(tuple(turn) for turn in path), mode)
    assert (fit.passed, fit.reason) == (not reason, reason)


@pytest.mark.parametrize("mode", ["strict", "unordered", "superset", "subset"])
@pytest.mark.parametrize("path", [(), ((),)])
def test_no_path_is_no_verdict_in_any_mode(mode: MatchMode, path: Path) -> None:
    assert match_graph(GOLDEN, path, mode).passed is None


def test_strict_is_what_agentevals_says() -> None:
    draw = random.Random(5)
    verdicts: list[bool] = []
    for _ in range(300):
        golden = [[draw.choice("ab") for _ in range(draw.randint(1, 2))] for _ in range(draw.randint(1, 2))]
        made = [list(turn) for turn in golden]
        if draw.random() < 0.6:
            made[-1][draw.randrange(len(made[-1]))] = draw.choice("ab")
        if draw.random() < 0.2:
            made.append(["a"])
        ours = match_graph(tuple(map(tuple, golden)), tuple(map(tuple, made)), "strict").passed
        assert ours == graph_verdict(golden, made)
        verdicts.append(ours is True)
    assert 60 < sum(verdicts) < 240


def test_agentevals_passes_two_empty_paths_and_wants_the_start_named() -> None:
    assert graph_verdict([], []) is True
    assert graph_verdict([["agent"]], [["__start__", "agent"]]) is False


def went(*turns: str, answer: str | None = None) -> Trial:
    made = trial(answer=answer)
    graph = tuple(tuple(turn.split()) for turn in turns)
    return replace(made, trajectory=replace(made.trajectory, graph=graph))


def graph_case(**trajectory: str | bool) -> Case:
    made = case({"trajectory": {"match": "strict", **trajectory}})
    return replace(made, references=(Reference(graph=GOLDEN),))


def test_the_check_is_required_unless_the_case_says_otherwise() -> None:
    good, bad = grade(graph_case(), went("agent tools agent")), grade(graph_case(), went("agent agent"))
    assert (good.passed, bad.passed) == (True, False)
    assert [check.name for check in bad.checks] == ["graph_match"]
    assert bad.failure == "tool_selection"
    assert bad.failure_reason == "strict: node 2 of turn 1: expected `tools`, got `agent`"
    loose = replace(graph_case(required=False), expect=graph_case(required=False).expect)
    assert grade(loose, went("agent agent")).scores["graph_match"].value == 0
    assert grade(graph_case(), trial()).passed is False
    assert grade(graph_case(), trial(status="timeout")).scores["graph_match"].value == 0


def test_the_best_variant_counts() -> None:
    made = graph_case()
    other = replace(made, references=(*made.references, Reference(graph=(("agent",),))))
    assert grade(other, went("agent")).passed is True


def test_a_path_without_end_is_a_fault() -> None:
    graded = grade(graph_case(), went("agent " * 100_001))
    assert graded.scores["graph_match"].fault
    assert graded.passed is False


WRITTEN = "input: hi\nexpect: {trajectory: {match: strict}}\ngolden:\n  graph: [agent, tools, agent]\n"


def test_written_forms() -> None:
    assert case_of(WRITTEN).references == (Reference(graph=GOLDEN),)
    turns = case_of(WRITTEN.replace("[agent, tools, agent]", "[[agent], [tools, agent]]"))
    assert turns.references[0].graph == (("agent",), ("tools", "agent"))
    assert [one.message for one in findings_of(WRITTEN)] == []
    with pytest.raises(ConfigError, match="mixes nodes and turns"):
        case_of(WRITTEN.replace("[agent, tools, agent]", "[agent, [tools]]"))
    with pytest.raises(ConfigError, match="must not be empty"):
        case_of(WRITTEN.replace("[agent, tools, agent]", "[]"))


def test_a_recorded_graph_is_a_golden_path_without_calls() -> None:
    recorded = case_of('input: hi\ngolden: {messages: {steps: [[__start__, agent]], results: [{"a": 1}]}}\n')
    assert recorded.references[0].graph == (("__start__", "agent"),)
    assert recorded.references[0].calls is None


def test_oracle_plays_it_and_an_accepted_golden_keeps_it() -> None:
    made = graph_case()
    behaviour = behaviour_of(made, "exact", went("agent", "tools"))
    assert behaviour.golden is not None
    assert behaviour.golden["graph"] == [["agent"], ["tools"]]
    spliced = splice_golden("case.yaml", WRITTEN.encode(), {"graph": [["agent"], ["tools"]]})
    assert case_of(spliced.decode()).references[0].graph == (("agent",), ("tools",))
    task = TrialTask(made, TrialKey("case", "head", 0), seed=1, round=1, timeout_s=1.0)
    played = OracleAgent().run(task, SideEnvironment("head", PurePosixPath(".")))
    assert grade(made, played).passed is True
