"""Trajectories and their diffs made by hand."""

from __future__ import annotations

from dataclasses import replace

from gatebot.model.suite import ExpectedCall, Reference
from gatebot.model.trajectory import Message, ToolCall, Trajectory
from gatebot.render.diff import CaseDiff, trajectory_diff


def call(name: str, **arguments: object) -> ToolCall:
    """A client call with an id of its name."""
    return replace(ToolCall(id=f"call-{name}", name=name, arguments={}), arguments=arguments)


def trajectory(*calls: ToolCall, answer: str = "") -> Trajectory:
    messages = [Message("user", "hello"), *(Message("assistant", calls=(one,)) for one in calls)]
    return Trajectory((*messages, Message("assistant", answer)) if answer else tuple(messages))


def golden(*calls: ToolCall, answer: str | None = None) -> Reference:
    steps = tuple(ExpectedCall(one.name, one.arguments, group) for group, one in enumerate(calls))
    return Reference(steps, answer)


def red_diffs() -> dict[str, CaseDiff]:
    lookup = call("get_order", order="A-7")
    right, wrong = call("refund", order="A-7", amount=12.5), call("refund", order="A-7", amount=125)
    docs, web = call("search_docs", query="SLA uptime"), call("web_search", query="status page")
    failed = replace(call("web_search", query="status"), is_error=True, result="503\nservice unavailable")
    return {
        "refund-07": trajectory_diff(
            golden(lookup, right, answer="Refunded $12.50."),
            trajectory(lookup, right, answer="I refunded $12.50 to your card."),
            trajectory(lookup, wrong, answer="I refunded $125 to your card."),
        ),
        "sla-status-page": trajectory_diff(
            golden(docs, web), trajectory(docs, web), trajectory(docs, failed, docs)
        ),
    }
