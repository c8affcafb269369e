"""Every metric's reason on a failing trial, word for word: one line that names step, tool, key, expected and got.

Where a metric is about names, quantities or answers, there is no key or no step to name; the table shows all.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from gatebot.graders.grade import CaseGrader
from gatebot.graders.tool_schemas import ToolSchemas
from gatebot.model.config import TrajectoryDefault
from gatebot.model.grading import Tools
from gatebot.model.metric import METRICS, is_judge_metric
from gatebot.model.score import Grade
from gatebot.model.suite import Case
from gatebot.model.trajectory import Message, ToolCall, Trajectory, Usage
from gatebot.model.trial import Timing, Trial
from tests.unit.graders.trials import call, case, golden, trial

TOOLS: Tools = {
    "find": {"properties": {"order": {"type": "string"}}, "required": ["order"]},
    "refund": {"properties": {"amount": {"type": "number"}}},
}


def refund_case() -> Case:
    made = case(
        {
            "answer": {"contains": "refunded", "similar": True},
            "state": {"mode": "subset"},
            "require": ["notify"],
            "forbid": ["delete"],
            "trajectory": {"match": "unordered"},
        },
        golden(("find", {"order": "4411"}), ("refund", {"amount": 30, "to": "card"}), ("notify", {})),
        answer="We refunded 30 EUR.",
        state={"orders": [{"status": "refunded"}]},
    )
    return replace(made, references=(replace(made.references[0], graph=(("agent", "tools", "agent"),)),))


def failing_trial() -> Trial:
    refund = call(
        "refund", {"amount": "30", "to": "card"}, result="Error: amount must be a number", is_error=True
    )
    find = call("find", {"order": "4411"}, result="order 4411: 30 EUR", is_error=False)
    calls: list[ToolCall] = [
        replace(find, started_at=1.0, ended_at=1.5),
        find,
        find,
        find,
        refund,
        call("delete", {"order": 7}, result="gone", is_error=False),
    ]
    made = trial(*calls, answer="Order 9921 was not refunded.", state={"orders": [{"status": "open"}]})
    agents = ("desk", "desk", "desk", "desk", "billing", "desk")
    turns = tuple(
        Message("assistant", calls=(one,), agent=agent) for one, agent in zip(calls, agents, strict=True)
    )
    whole = Trajectory((Message("user", "please"), *turns, Message("assistant", made.answer or "")))
    graph = (("agent", "agent"),)
    return replace(
        made,
        trajectory=replace(whole, graph=graph),
        usage=Usage(10, 5, cost_usd=0.1),
        timing=Timing(2.0),
    )


def graded() -> Grade:
    return CaseGrader(refund_case(), TrajectoryDefault(), ToolSchemas(TOOLS)).grade(failing_trial())


REASONS: dict[str, str] = {
    "convergence": "expected 3 steps, got 6",
    "corrupt_success": "",
    "duplicate_calls": 'step 2: `find(order="4411")` repeats an equal call and brought nothing new',
    "failed_calls": 'step 5: `refund(amount="30", to="card")` failed: Error: amount must be a number',
    "final_response": "answer.similar: similarity 0.00 is below 0.8: guard numbers: expected 30 €, got 9921",
    "forbidden_tools": "step 6: forbidden tool called: `delete(order=7)`",
    "golden_drift": "expected 3 calls, got 6; expected first find, refund, notify, got find, find, find; answer similarity 0.00",
    "graph_match": "unordered: expected node tools, got agent, agent",
    "grounded": 'expected in a tool result or the input, got only in the answer: "9921"',
    "handoffs": "1 straight back, first desk to billing and back",
    "in_order": "expected order find, refund, notify; got find, find, find, find, refund, delete",
    "loop": 'step 4: `find(order="4411")` is wasted for the third time',
    "order": "expected order find, refund, notify; got find, find, find, find, refund, delete",
    "parallelism": 'expected 3 turns with calls, got 6: step 2 (`find(order="4411")`) needs no result of step 1',
    "param_accuracy": 'step 5: expected `refund(amount=30, to="card")`, got `refund(amount="30", to="card")`: amount is "30" (string instead of number), expected 30',
    "pass_rate": "answer.similar: similarity 0.00 is below 0.8: guard numbers: expected 30 €, got 9921 (and 5 more checks)",
    "recovery": 'step 5: `refund(amount="30", to="card")` failed and was given up: Error: amount must be a number',
    "required_tools": "required tool not called: notify; called: delete, find, refund",
    "schema_valid": 'step 5: `refund(amount="30", to="card")`: amount is "30", expected type number (and 1 more calls)',
    "similarity": "guard numbers: expected 30 €, got 9921",
    "state_match": 'final state at orders.0.status: expected "refunded", got "open"',
    "tool_choice": 'step 2: expected notify or refund, got `find(order="4411")`',
    "tool_iou": "expected but not called: notify; called but not expected: delete (step 6), find (3 times, from step 2)",
    "tool_iou_set": "expected but not called: notify; called but not expected: delete (step 6), find (3 times, from step 2)",
    "tool_latency_s": "find 0.5 s × 1",
    "tool_precision": "called but not expected: delete (step 6), find (3 times, from step 2)",
    "tool_recall": "expected but not called: notify",
    "tool_selection": "expected but not called: notify; called but not expected: delete (step 6), find (3 times, from step 2)",
    "trajectory_credit": '2 of 3 golden calls not made, first `refund(amount=30, to="card")`',
    "trajectory_match": 'unordered: step 2: expected `notify()`, got `find(order="4411")`: the golden has no such call',
}


@pytest.mark.parametrize("metric", sorted(REASONS))
def test_reason(metric: str) -> None:
    assert graded().scores[metric].reason == REASONS[metric]


def test_every_metric_has_its_line() -> None:
    silent = {"tool_calls", "turns", "unique_tools", "latency_s", "tokens", "cost_usd"}
    known = {name for name in METRICS if not is_judge_metric(name)}
    assert set(REASONS) == set(graded().scores) - silent
    assert known - set(REASONS) - silent == set()


def test_reasons_are_one_printable_line_of_bounded_length() -> None:
    made = graded()
    everything = [score.reason for score in made.scores.values()]
    everything += [check.reason for check in made.checks] + [made.failure_reason]
    assert all(reason.isprintable() and len(reason) <= 1_000 for reason in everything)
