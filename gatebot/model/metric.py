"""The metrics gatebot knows: name, direction, scale, level. One table, read by config, core and render."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Direction = Literal["higher", "lower"]
Scale = Literal["binary", "unit", "count", "ratio"]
Level = Literal["final_response", "trajectory", "step", "efficiency"]


@dataclass(frozen=True, slots=True)
class Metric:
    """A named score over the suite.

    scale: `binary` 0 or 1 · `unit` [0, 1] · `count` a number that may be 0, compared as a difference of means ·
    `ratio` a positive quantity, compared as a ratio of geometric means.
    """

    name: str
    direction: Direction
    scale: Scale
    level: Level
    caption: str


_TABLE: tuple[Metric, ...] = (
    Metric("pass_rate", "higher", "binary", "final_response", "every check the case requires passes"),
    Metric("final_response", "higher", "binary", "final_response", "every goal check holds"),
    Metric("state_match", "higher", "binary", "final_response", "final state equals the expected state"),
    Metric(
        "grounded", "higher", "unit", "final_response", "facts of the answer occur in tool results or input"
    ),
    Metric(
        "similarity", "higher", "unit", "final_response", "answer similar to the golden answer, behind guards"
    ),
    Metric("trajectory_match", "higher", "binary", "trajectory", "calls match the golden in the case's mode"),
    Metric("trajectory_credit", "higher", "unit", "trajectory", "share of golden calls matched one to one"),
    Metric("tool_iou", "higher", "unit", "trajectory", "multiset overlap of tool names"),
    Metric("tool_iou_set", "higher", "unit", "trajectory", "set overlap of tool names"),
    Metric("tool_precision", "higher", "unit", "trajectory", "share of calls that were expected"),
    Metric("tool_recall", "higher", "unit", "trajectory", "share of expected calls that were made"),
    Metric("tool_selection", "higher", "unit", "trajectory", "F1 of expected and made calls, by name"),
    Metric("order", "higher", "unit", "trajectory", "1 − edit distance of the name sequences"),
    Metric("in_order", "higher", "unit", "trajectory", "F1 of the longest common subsequence of names"),
    Metric("graph_match", "higher", "binary", "trajectory", "node path matches the golden path"),
    Metric("tool_choice", "higher", "unit", "step", "at each step the tool was an allowed one"),
    Metric(
        "param_accuracy", "higher", "unit", "step", "argument keys right over all keys seen, best pairing"
    ),
    Metric("schema_valid", "higher", "unit", "step", "calls whose arguments satisfy the tool's schema"),
    Metric("parallelism", "higher", "unit", "step", "advisory: independent calls made in one turn"),
    Metric("required_tools", "higher", "binary", "step", "every required tool was called"),
    Metric("forbidden_tools", "higher", "binary", "step", "no forbidden tool was called"),
    Metric("convergence", "higher", "unit", "efficiency", "optimal steps over steps taken, capped at 1"),
    Metric("tool_calls", "lower", "ratio", "efficiency", "tool calls per trial"),
    Metric("turns", "lower", "ratio", "efficiency", "assistant messages per trial"),
    Metric("unique_tools", "lower", "count", "efficiency", "different tools used"),
    Metric(
        "duplicate_calls", "lower", "count", "efficiency", "repeated identical calls that brought nothing new"
    ),
    Metric("failed_calls", "lower", "count", "efficiency", "tool calls that returned an error"),
    Metric("recovery", "higher", "unit", "efficiency", "tool failures recovered from"),
    Metric("loop", "lower", "binary", "efficiency", "the agent went in circles"),
    Metric("handoffs", "lower", "count", "efficiency", "control passed between agents"),
    Metric("latency_s", "lower", "ratio", "efficiency", "wall seconds per trial"),
    Metric("tokens", "lower", "ratio", "efficiency", "tokens per trial, cached input included"),
    Metric("cost_usd", "lower", "ratio", "efficiency", "US dollars per trial"),
    Metric("corrupt_success", "lower", "binary", "efficiency", "goal reached, another required check failed"),
)

METRICS: dict[str, Metric] = {metric.name: metric for metric in _TABLE}

PRIMARY_METRIC = "pass_rate"
MEASURED_METRICS = frozenset({"latency_s", "cost_usd"})
"""Metrics whose values are measured by clocks or price tables: excluded from "same bytes"."""
