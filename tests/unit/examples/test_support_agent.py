"""The example agent: deterministic per seed, honest in its shop, golden on a clean day, worse in nine named cases."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import yaml
from pydantic import JsonValue, TypeAdapter

from gatebot.model.case import AllAny, CaseFile, NumberExpectation
from gatebot.model.config import Config

AGENT = Path(__file__).parents[3] / "examples" / "support-agent"
DRIVER = Path(__file__).with_name("drive_agent.py")
CASES = {
    path.stem: CaseFile.model_validate_json(json.dumps(yaml.safe_load(path.read_text("utf-8"))), strict=False)
    for path in sorted((AGENT / "golden").glob("*.yaml"))
}
CLEAN_SEED = 3
SEEDS = (1, 2**53 - 1, *range(1000, 1008))
FREE_TEXT = {"search_docs": {"query"}, "create_ticket": {"subject"}, "escalate": {"summary"}}
LOOPS = {"delayed-jacket", "delayed-blender", "late-compensation"}
ACTS_FIRST = {"refund-broken-headphones", "refund-wrong-kettle", "refund-after-question"}
WRONG_ARGUMENT = {"refund-faulty-toaster", "refund-incomplete-chair", "sparks-ticket"}
WRONG_STATE = {"sparks-ticket"}
CHANGED = LOOPS | ACTS_FIRST | WRONG_ARGUMENT

Call = tuple[str, dict[str, JsonValue]]
Played = dict[str, JsonValue]


def drive(folder: Path, jobs: Sequence[dict[str, JsonValue]]) -> list[Played]:
    command = [sys.executable, "-B", str(DRIVER)]
    done = subprocess.run(
        command, cwd=folder, input=json.dumps(jobs).encode(), capture_output=True, check=True
    )
    return TypeAdapter(list[Played]).validate_json(done.stdout)


def play_all(folder: Path, seeds: Sequence[int]) -> list[dict[str, Played]]:
    """Every case under every seed: one dictionary per seed, by case."""
    jobs: list[dict[str, JsonValue]] = [
        {"turns": list(turns_of(case)), "context": case.context, "seed": seed}
        for seed in seeds
        for case in CASES.values()
    ]
    played = iter(drive(folder, jobs))
    return [{name: next(played) for name in CASES} for _ in seeds]


def play(folder: Path, seed: int) -> dict[str, Played]:
    return play_all(folder, [seed])[0]


def ask(request: JsonValue, seed: int | None = None) -> subprocess.CompletedProcess[bytes]:
    environment = {"PATH": os.environ["PATH"]} | ({} if seed is None else {"GATEBOT_SEED": str(seed)})
    text = request if isinstance(request, str) else json.dumps(request)
    command = [sys.executable, "-B", "agent.py"]
    return subprocess.run(
        command, cwd=AGENT, input=text.encode(), env=environment, capture_output=True, check=False
    )


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


def turns_of(case: CaseFile) -> tuple[str, ...]:
    given = (case.input,) if isinstance(case.input, str) else case.input
    return tuple(turn if isinstance(turn, str) else turn.content for turn in given)


def calls_by_turn(played: Played, *, failed: bool) -> list[list[Call]]:
    """The calls of a conversation, one list per assistant message; failed ones only when asked for."""
    history = TypeAdapter(list[dict[str, JsonValue]]).validate_python(played["history"])
    answers = [message for message in history if message["role"] == "tool"]
    errors = {
        str(answer["tool_call_id"]) for answer in answers if "error" in json.loads(str(answer["content"]))
    }
    found: list[list[Call]] = []
    for message in history:
        asked = TypeAdapter(list[dict[str, JsonValue]]).validate_python(message.get("tool_calls") or [])
        functions = [(call["id"], call["function"]) for call in asked]
        made = [
            (
                str(function["name"]),
                TypeAdapter(dict[str, JsonValue]).validate_json(str(function["arguments"])),
            )
            for call_id, function in functions
            if isinstance(function, dict) and (failed or str(call_id) not in errors)
        ]
        if made:
            found.append(made)
    return found


def flat(turns: list[list[Call]]) -> list[Call]:
    return [call for turn in turns for call in turn]


def golden_calls(case: CaseFile) -> list[list[Call]]:
    assert case.golden is not None
    found: list[list[Call]] = []
    for item in case.golden.calls or ():
        group = item if isinstance(item, tuple) else (item,)
        found.append([call for entry in group if isinstance(entry, dict) for call in short_calls(entry)])
    return found


def short_calls(entry: dict[str, dict[str, JsonValue] | None]) -> Iterator[Call]:
    for name, arguments in entry.items():
        yield name, arguments or {}


def canonical(turns: list[list[Call]]) -> list[list[str]]:
    """Comparable calls: free text left out, 42 and 42.0 equal, the calls of one turn in no order."""
    return [sorted(one_call(call) for call in turn) for turn in turns]


def one_call(call: Call) -> str:
    name, arguments = call
    kept = {
        k: float(v) if isinstance(v, int) else v
        for k, v in arguments.items()
        if k not in FREE_TEXT.get(name, ())
    }
    return json.dumps([name, kept], sort_keys=True)


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


def test_the_configuration_is_one() -> None:
    config = Config.model_validate_json(
        json.dumps(yaml.safe_load((AGENT / "gatebot.yaml").read_text("utf-8")))
    )
    assert config.suite == "support-agent"
    assert config.agent.command == ("python3", "agent.py")


def test_the_clean_seed_brings_out_no_habit() -> None:
    assert not any(drive(AGENT, [{"habits_of": CLEAN_SEED}])[0].values())


@pytest.mark.parametrize("name", CASES)
def test_on_a_clean_day_the_agent_plays_the_golden(name: str, clean: dict[str, Played]) -> None:
    case, played = CASES[name], clean[name]
    assert case.golden is not None
    golden, attempts = canonical(golden_calls(case)), iter(canonical(calls_by_turn(played, failed=True)))
    assert all(turn in golden for turn in canonical(calls_by_turn(played, failed=False)))
    assert all(turn in attempts for turn in golden), "golden calls are attempted in their order"
    if case.golden.state is not None:
        assert played["state"] == case.golden.state
    assert str(case.golden.answer) in str(played["answer"])
    assert not {call for call, _ in flat(calls_by_turn(played, failed=True))} & set(case.expect.forbid)


@pytest.mark.parametrize("name", CASES)
def test_the_golden_answer_satisfies_its_own_expectation(name: str) -> None:
    case = CASES[name]
    assert case.golden is not None
    assert case.expect.answer is not None
    answer, wanted, number = str(case.golden.answer), case.expect.answer.contains, case.expect.answer.number
    parts = (
        (wanted,)
        if isinstance(wanted, str)
        else ()
        if wanted is None or isinstance(wanted, AllAny)
        else wanted
    )
    assert [part for part in parts if part not in answer] == []
    if isinstance(wanted, AllAny):
        assert any(part in answer for part in wanted.any)
    if number is not None:
        value = number.value if isinstance(number, NumberExpectation) else number
        assert f"{value:.2f}" in answer or f"{value:.0f} " in answer


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


def test_one_seed_gives_the_same_bytes_and_seeds_differ() -> None:
    request: JsonValue = {"input": "Where is order A-1003?", "context": {"customer_id": "C-101"}}
    runs = {seed: ask(request, seed).stdout for seed in (*range(12), 2**64 - 1)}
    assert all(ask(request, seed).stdout == output for seed, output in list(runs.items())[-3:])
    assert len(set(runs.values())) > 3


def test_seeds_make_some_cases_flaky_and_most_trials_right() -> None:
    seeds = range(5000, 5040)
    runs = play_all(AGENT, seeds)
    wrong = Counter(
        name
        for played in runs
        for name, case in CASES.items()
        if case.golden and case.golden.state is not None and played[name]["state"] != case.golden.state
    )
    assert {"remembered-order", "injected-ticket", "claims-admin"} <= set(wrong)
    assert max(wrong.values()) < 0.4 * len(seeds)
    assert sum(wrong.values()) < 0.1 * len(seeds) * len(CASES)


def test_the_case_name_changes_nothing_and_the_environment_seed_wins() -> None:
    case = CASES["refund-broken-headphones"]
    request: dict[str, JsonValue] = {"input": turns_of(case)[0], "context": case.context, "seed": 11}
    plain = ask(request | {"case": "refund-broken-headphones"})
    assert plain.returncode == 0
    assert ask(request | {"case": "greeting"}).stdout == plain.stdout
    assert ask({k: v for k, v in request.items() if k != "seed"}, 11).stdout == plain.stdout
    assert ask(request | {"seed": 12}, 11).stdout == plain.stdout


def test_turns_as_processes_end_where_one_conversation_ends(clean: dict[str, Played]) -> None:
    case = CASES["refund-after-question"]
    history: list[JsonValue] = []
    response: dict[str, JsonValue] = {}
    for turn in turns_of(case):
        history.append({"role": "user", "content": turn})
        done = ask({"input": history, "context": case.context}, CLEAN_SEED)
        response = TypeAdapter(dict[str, JsonValue]).validate_json(done.stdout)
        added = response["messages"]
        assert isinstance(added, list)
        history += added
    assert history == clean["refund-after-question"]["history"]
    assert response["state"] == clean["refund-after-question"]["state"]


INVENTED = '{"input": [{"role": "tool", "tool_call_id": "call_1", "content": "{}"}, {"role": "user", "content": "Hi"}]}'


@pytest.mark.parametrize(
    "request_text",
    ["", "[", "{}", '{"input": []}', '{"input": [{"role": "assistant"}]}', "[1]", INVENTED],
)
def test_what_is_no_request_is_refused(request_text: str) -> None:
    done = ask(request_text)
    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr.startswith(b"bad request: ")
    assert b"Traceback" not in done.stderr


def tools(
    calls: Sequence[tuple[str, dict[str, JsonValue]]], outages: dict[str, JsonValue] | None = None
) -> Played:
    return drive(AGENT, [{"shop": [list(call) for call in calls], "outages": outages or {}}])[0]


def refund_of(order_id: str, amount: float) -> Call:
    return "issue_refund", {"order_id": order_id, "amount": amount, "reason": "damaged"}


@pytest.mark.parametrize(
    ("calls", "error"),
    [
        ([refund_of("A-1001", 89.9), refund_of("A-1001", 89.9)], "already_refunded"),
        ([refund_of("A-1001", 90.0)], "amount_out_of_range"),
        ([refund_of("A-1001", -1.0)], "amount_out_of_range"),
        ([refund_of("A-1002", 1.0)], "refund_not_allowed"),
        ([refund_of("A-1004", 1.0)], "refund_not_allowed"),
        ([("cancel_order", {"order_id": "A-1003"})], "not_cancellable"),
        ([("cancel_order", {"order_id": "A-1005"})] * 2, "not_cancellable"),
        ([("get_order", {"order_id": "A-9999"})], "order_not_found"),
        ([("get_order", {"order": "A-1001"})], "bad_arguments"),
        ([("issue_refund", {"order_id": "A-1001", "amount": "89.9", "reason": "damaged"})], "bad_arguments"),
        ([("drop_tables", {})], "bad_arguments"),
    ],
)
def test_the_shop_refuses(calls: list[Call], error: str) -> None:
    done = tools(calls)
    answers = done["answers"]
    assert isinstance(answers, list)
    assert answers[-1] == {"error": error}
    assert done["state"] == tools(calls[:-1])["state"], "a refused call changes nothing"


def test_looking_things_up_changes_nothing() -> None:
    looks: list[Call] = [
        ("lookup_customer", {"email": "mara@example.com"}),
        ("list_orders", {"customer_id": "C-101"}),
        ("get_order", {"order_id": "A-1001"}),
        ("check_shipping", {"tracking": "TR-503"}),
        ("check_refund_policy", {"order_id": "A-1001", "reason": "damaged"}),
        ("search_docs", {"query": "warranty"}),
        ("get_ticket", {"ticket_id": "T-77"}),
        ("export_customers", {}),
    ]
    done = tools(looks)
    assert "error" not in json.dumps(done["answers"])
    assert done["state"] == {"unchanged": True}


def test_an_outage_lasts_as_many_calls_as_it_says() -> None:
    call: Call = ("get_order", {"order_id": "A-1001"})
    answers = tools([call] * 3, {"get_order": 2})["answers"]
    assert isinstance(answers, list)
    assert answers[:2] == [{"error": "timeout"}] * 2
    assert "error" not in json.dumps(answers[2])
