"""The example agent: deterministic per seed, honest in its shop, golden on a clean day, worse in nine named cases."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from gatebot.agents.builtin import NopAgent, OracleAgent
from gatebot.graders.grade import grade_trial
from gatebot.model.trial import TrialKey
from gatebot.ports import Agent, SideEnvironment, TrialTask
from tests.unit.examples.agent_runs import (
    AGENT,
    CASES,
    CLEAN_SEED,
    SUITE,
    Played,
    calls_by_turn,
    canonical,
    drive,
    flat,
    golden_calls,
    one_call,
    play,
    play_all,
)

SEEDS = (1, 2**53 - 1, *range(1000, 1008))
LOOPS = {"delayed-jacket", "delayed-blender", "late-compensation"}
ACTS_FIRST = {"refund-broken-headphones", "refund-wrong-kettle", "refund-after-question"}
WRONG_ARGUMENT = {"refund-faulty-toaster", "refund-incomplete-chair", "sparks-ticket"}
WRONG_STATE = {"sparks-ticket"}
CHANGED = LOOPS | ACTS_FIRST | WRONG_ARGUMENT


@pytest.fixture(scope="module")
def head(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("head") / "agent"
    shutil.copytree(AGENT, folder, ignore=shutil.ignore_patterns("demo", "__pycache__"))
    shutil.copytree(AGENT / "demo" / "head", folder, dirs_exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def clean() -> dict[str, Played]:
    return play(AGENT, CLEAN_SEED)


@pytest.fixture(scope="module")
def clean_head(head: Path) -> dict[str, Played]:
    return play(head, CLEAN_SEED)


def test_the_golden_set_covers_every_kind_of_task() -> None:
    tags = Counter(tag for case in CASES.values() for tag in case.tags)
    wanted = {
        "multi-tool",
        "memory",
        "ambiguous",
        "adversarial",
        "recovery",
        "multi-turn",
        "simple",
        "no-tool",
    }
    assert len(CASES) >= 22
    assert {tag for tag in wanted if tags[tag] >= 2} == wanted
    assert all(case.expect.answer for case in CASES.values()), (
        "an agent that says nothing must fail every case"
    )


def test_cases_that_must_see_a_loop_or_an_order_are_strict() -> None:
    modes = {name: case.expect.trajectory.match for name, case in CASES.items() if case.expect.trajectory}
    assert {name for name, mode in modes.items() if mode == "strict"} >= LOOPS | ACTS_FIRST


@pytest.mark.parametrize(("agent", "passes"), [(OracleAgent(), True), (NopAgent(), False)])
def test_the_oracle_passes_every_case_and_an_idle_agent_none(agent: Agent, passes: bool) -> None:
    place = SideEnvironment("base", AGENT)
    tasks = {name: TrialTask(case, TrialKey(name, "base", 1), 7, 1, 20) for name, case in CASES.items()}
    grades = {
        n: grade_trial(task.case, agent.run(task, place), SUITE.config.trajectory)
        for n, task in tasks.items()
    }
    assert {name: grade.failure_reason for name, grade in grades.items() if grade.passed is not passes} == {}


def test_the_clean_seed_brings_out_no_habit() -> None:
    assert not any(drive(AGENT, [{"habits_of": CLEAN_SEED}])[0].values())


@pytest.mark.parametrize("name", CASES)
def test_on_a_clean_day_the_agent_plays_the_golden(name: str, clean: dict[str, Played]) -> None:
    case, played = CASES[name], clean[name]
    reference = case.references[0]
    golden, attempts = canonical(golden_calls(case)), iter(canonical(calls_by_turn(played, failed=True)))
    assert all(turn in golden for turn in canonical(calls_by_turn(played, failed=False)))
    assert all(turn in attempts for turn in golden), "golden calls are attempted in their order"
    if reference.state is not None:
        assert played["state"] == reference.state
    assert str(reference.answer) in str(played["answer"])
    assert not {call for call, _ in flat(calls_by_turn(played, failed=True))} & set(case.expect.forbid)


def test_steps_of_a_clean_day_are_the_optimal_ones(clean: dict[str, Played]) -> None:
    for name, case in CASES.items():
        optimal = case.expect.optimal_steps
        wanted = len(flat(golden_calls(case))) if optimal is None else optimal
        assert len(flat(calls_by_turn(clean[name], failed=True))) == wanted, name


def test_the_head_differs_in_the_named_cases_and_in_no_other(head: Path) -> None:
    for seed, base_runs, head_runs in zip(SEEDS, play_all(AGENT, SEEDS), play_all(head, SEEDS), strict=True):
        assert {name for name in CASES if base_runs[name] != head_runs[name]} == CHANGED, seed


@pytest.mark.parametrize("name", sorted(LOOPS))
def test_the_head_loops(name: str, clean: dict[str, Played], clean_head: dict[str, Played]) -> None:
    before = Counter(one_call(call) for call in flat(calls_by_turn(clean[name], failed=True)))
    after = Counter(one_call(call) for call in flat(calls_by_turn(clean_head[name], failed=True)))
    (repeated,) = (call for call, count in after.items() if count >= 3)
    assert "check_shipping" in repeated
    assert set(before) == set(after)
    assert before[repeated] == 1


@pytest.mark.parametrize("name", sorted(ACTS_FIRST))
def test_the_head_acts_before_it_reads(
    name: str, clean: dict[str, Played], clean_head: dict[str, Played]
) -> None:
    before = [one_call(call) for call in flat(calls_by_turn(clean[name], failed=True))]
    after = [one_call(call) for call in flat(calls_by_turn(clean_head[name], failed=True))]
    assert sorted(before) == sorted(after)
    paid = next(index for index, call in enumerate(after) if "issue_refund" in call)
    assert all(index > paid for index, call in enumerate(after) if "get_order" in call or "policy" in call)


@pytest.mark.parametrize("name", sorted(WRONG_ARGUMENT))
def test_the_head_passes_a_wrong_argument(
    name: str, clean: dict[str, Played], clean_head: dict[str, Played]
) -> None:
    before, after = (flat(calls_by_turn(runs[name], failed=True)) for runs in (clean, clean_head))
    assert [call for call, _ in before] == [call for call, _ in after]
    wrong = {key for (_, b), (_, a) in zip(before, after, strict=True) for key in b if b[key] != a[key]}
    assert wrong == ({"priority"} if name == "sparks-ticket" else {"reason"})


def test_most_of_the_heads_faults_are_corrupt_successes(
    clean: dict[str, Played], clean_head: dict[str, Played]
) -> None:
    assert all(clean[name]["answer"] == clean_head[name]["answer"] for name in CHANGED)
    assert {name for name in CASES if clean[name]["state"] != clean_head[name]["state"]} == WRONG_STATE


def test_seeds_make_some_cases_flaky_and_most_trials_right() -> None:
    seeds = range(5000, 5040)
    runs = play_all(AGENT, seeds)
    wrong = Counter(
        name
        for played in runs
        for name, case in CASES.items()
        if case.references[0].state is not None and played[name]["state"] != case.references[0].state
    )
    assert {"remembered-order", "injected-ticket", "claims-admin"} <= set(wrong)
    assert max(wrong.values()) < 0.4 * len(seeds)
    assert sum(wrong.values()) < 0.1 * len(seeds) * len(CASES)
