"""The metrics gatebot knows: name, direction, scale, level. One table, read by config, core and render."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from gatebot.model.written import SLUG_PATTERN

Direction = Literal["higher", "lower"]
Scale = Literal["binary", "unit", "count", "ratio"]
Level = Literal["final_response", "trajectory", "step", "efficiency"]


@dataclass(frozen=True, slots=True)
class Metric:
    """A named score over the suite.

    scale: `binary` 0 or 1 · `unit` [0, 1] · `count` a number that may be 0, compared as a difference of means ·
    `ratio` a positive quantity, compared as a ratio of geometric means.
    `floor`: of a `ratio` metric, what a smaller value counts as on the log scale, so that a ratio with 0 stays finite:
    half a call, half a token, a millisecond, a ten-thousandth of a cent.
    """

    name: str
    direction: Direction
    scale: Scale
    level: Level
    caption: str
    floor: float = 0.5


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
    Metric(
        "golden_drift",
        "lower",
        "unit",
        "trajectory",
        "informational: change of calls, first tools and answer",
    ),
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
    Metric("latency_s", "lower", "ratio", "efficiency", "wall seconds per trial", floor=1e-3),
    Metric(
        "tool_latency_s",
        "lower",
        "ratio",
        "efficiency",
        "seconds per tool call, where the trace tells",
        floor=1e-3,
    ),
    Metric("tokens", "lower", "ratio", "efficiency", "tokens per trial, cached input included"),
    Metric("cost_usd", "lower", "ratio", "efficiency", "US dollars per trial", floor=1e-6),
    Metric("corrupt_success", "lower", "binary", "efficiency", "goal reached, another required check failed"),
    Metric(
        "judge_final_response", "higher", "unit", "final_response", "judge: the answer is right and complete"
    ),
    Metric("judge_grounding", "higher", "unit", "final_response", "judge: the answer rests on tool results"),
    Metric("judge_trajectory", "higher", "unit", "trajectory", "judge: the steps lead to the goal sensibly"),
    Metric("judge_questions", "higher", "unit", "trajectory", "judge: share of six questions answered yes"),
    Metric(
        "judge_tool_use", "higher", "unit", "step", "judge: apt tools, right arguments, results read rightly"
    ),
    Metric("judge_efficiency", "higher", "unit", "efficiency", "judge: no needless calls or detours"),
)

BUILTIN_RUBRICS = {
    name: f"judge_{name}"
    for name in ("trajectory", "final_response", "tool_use", "efficiency", "grounding", "questions")
}
"""Built-in rubric of the judge → the metric it makes."""

USER_JUDGE_PREFIX = "judge:"
_USER_JUDGE = re.compile(
    re.escape(USER_JUDGE_PREFIX) + SLUG_PATTERN.removeprefix("^").removesuffix("$"), re.ASCII
)


class MetricTable(Mapping[str, Metric]):
    """The table by name. A rubric of the user's own makes the metric `judge:<name>`, which is known when asked for.

    Iterating goes over the fixed metrics alone: which rubrics a suite has is the suite's business.
    """

    def __init__(self, fixed: Iterable[Metric]) -> None:
        self._fixed = {metric.name: metric for metric in fixed}

    def __getitem__(self, name: str) -> Metric:
        """The metric of that name. Raises KeyError for a name that no metric can have."""
        found = self._fixed.get(name)
        if found is None and _USER_JUDGE.fullmatch(name):
            asked = name.removeprefix(USER_JUDGE_PREFIX)
            return Metric(name, "higher", "unit", "final_response", f"judge: your rubric {asked}")
        if found is None:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        """The fixed metrics, in the order of the table."""
        return iter(self._fixed)

    def __len__(self) -> int:
        """How many metrics are fixed."""
        return len(self._fixed)


METRICS = MetricTable(_TABLE)


def in_table_order(names: Iterable[str]) -> list[str]:
    """The known ones of `names`: fixed metrics in the order of the table, then rubrics of the user's own by name."""
    wanted = set(names)
    fixed = [name for name in METRICS if name in wanted]
    return fixed + sorted(name for name in wanted.difference(fixed) if name in METRICS)


def is_judge_metric(name: str) -> bool:
    """Whether the judge makes this metric."""
    return name.startswith(USER_JUDGE_PREFIX) or name in _JUDGED


_JUDGED = frozenset(BUILTIN_RUBRICS.values())

PRIMARY_METRIC = "pass_rate"
MEASURED_METRICS = frozenset({"latency_s", "tool_latency_s", "cost_usd"})
"""Metrics whose values are measured by clocks or price tables: excluded from "same bytes"."""
