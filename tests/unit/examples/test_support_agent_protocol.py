"""The example agent's protocol and shop: what it reads, what it refuses, which rules the tools keep."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from gatebot.model.json_value import JsonValue
from tests.unit.examples.agent_runs import AGENT, CASES, CLEAN_SEED, Call, Played, ask, drive, objects, play


def test_one_seed_gives_the_same_bytes_and_seeds_differ() -> None:
    request: JsonValue = {"input": "Where is order A-1003?", "context": {"customer_id": "C-101"}}
    runs = {seed: ask(request, seed).stdout for seed in (*range(12), 2**64 - 1)}
    assert all(ask(request, seed).stdout == output for seed, output in list(runs.items())[-3:])
    assert len(set(runs.values())) > 3


def test_the_case_name_changes_nothing_and_the_environment_seed_wins() -> None:
    case = CASES["refund-broken-headphones"]
    request: dict[str, JsonValue] = {"input": case.turns[0], "context": case.context, "seed": 11}
    plain = ask(request | {"case": "refund-broken-headphones"})
    assert plain.returncode == 0
    assert ask(request | {"case": "greeting"}).stdout == plain.stdout
    assert ask({k: v for k, v in request.items() if k != "seed"}, 11).stdout == plain.stdout
    assert ask(request | {"seed": 12}, 11).stdout == plain.stdout


def test_turns_as_processes_end_where_one_conversation_ends() -> None:
    case = CASES["refund-after-question"]
    history: list[JsonValue] = []
    response: dict[str, JsonValue] = {}
    for turn in case.turns:
        history.append({"role": "user", "content": turn})
        response = json.loads(ask({"input": history, "context": case.context}, CLEAN_SEED).stdout)
        history += objects(response["messages"])
    played = play(AGENT, CLEAN_SEED)["refund-after-question"]
    assert history == played["history"]
    assert response["state"] == played["state"]


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
