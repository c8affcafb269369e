"""Tool calls that failed, and whether the agent recovered from them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from gatebot.graders.steps import NOT_REPORTED, Steps
from gatebot.graders.wording import clip
from gatebot.model.score import ZERO, Score

RecoveryKind = Literal["fixed_args", "same_retry", "switched_tool", "blind_repeat", "abandoned"]

NO_INCIDENT = Score(None, "no tool call is known to have failed", by_design=True)

# The declared text patterns, second to the source's own flag: a result that begins by naming an error, a traceback,
# or a JSON object whose first key is a non-empty error.
_ERROR_TEXT = re.compile(
    r"\s{0,20}(?:(?:fatal |tool )?(?:error|exception)\b\s{0,5}[:!\]-]|traceback \(most recent call last\)"
    r'|\{\s{0,20}"error"\s{0,5}:(?!\s{0,5}(?:null|false|""|\{\}|\[\]|0)))',
    re.IGNORECASE,
)
_ERROR_TEXT_STARTS = frozenset("eEfFtT{ \n\r\t")


def failures(steps: Steps) -> list[bool | None]:
    """Per call whether it failed: the source's flag first, then the text of its result; None = nobody knows."""
    return [
        call.is_error
        if call.is_error is not None
        else (True if call.result and error_text(call.result) else None)
        for call in steps.calls
    ]


def error_text(result: str) -> bool:
    """Whether the result's text begins like an error."""
    return result[0] in _ERROR_TEXT_STARTS and _ERROR_TEXT.match(result) is not None


def failed_calls(steps: Steps, failed: list[bool | None]) -> Score:
    """Number of failed calls. Ungraded when no call says whether it failed: unknown is not success."""
    if not steps.reported:
        return Score(None, NOT_REPORTED)
    count = failed.count(True)
    if count:
        first = failed.index(True)
        result = clip(steps.calls[first].result or "no text")
        return Score(float(count), f"step {first + 1}: `{steps.show(first)}` failed: {result}")
    unknown = failed.count(None)
    if unknown and unknown == len(failed):
        return Score(None, "no call says whether it failed")
    return (
        ZERO
        if not unknown
        else Score(0.0, f"{unknown} of {len(failed)} calls do not say whether they failed")
    )


@dataclass(frozen=True, slots=True)
class Incident:
    """A run of failed calls of one tool, and how it ended."""

    tool: str
    steps: tuple[int, ...]
    kind: RecoveryKind

    @property
    def recovered(self) -> bool:
        """Whether the agent got over it."""
        return self.kind not in ("blind_repeat", "abandoned")


def incidents(steps: Steps, failed: list[bool | None], *, passed: bool) -> list[Incident]:
    """Every incident in the order of its first step.

    Recovered when the tool later succeeds (with other arguments: fixed_args, with the same: same_retry) or the trial
    passes and another tool was called after it (switched_tool). Else blind_repeat when the last two failures were
    equal calls, or abandoned. A call that does not say whether it failed is a success only where failures are known
    by their text alone.
    """
    if True not in failed:
        return []
    by_text = not any(call.is_error for call in steps.calls)
    open_runs: dict[str, list[int]] = {}
    found: list[Incident] = []
    for index, failure in enumerate(failed):
        name = steps.names[index]
        if failure is True:
            open_runs.setdefault(name, []).append(index)
        elif name in open_runs and (failure is False or by_text):
            run = open_runs.pop(name)
            kind = "same_retry" if steps.keys[index] == steps.keys[run[-1]] else "fixed_args"
            found.append(Incident(name, tuple(run), kind))
    for name, run in open_runs.items():
        switched = passed and any(
            steps.names[index] != name for index in range(run[-1] + 1, len(steps.calls))
        )
        blind = len(run) > 1 and steps.keys[run[-1]] == steps.keys[run[-2]]
        kind = "switched_tool" if switched else "blind_repeat" if blind else "abandoned"
        found.append(Incident(name, tuple(run), kind))
    return sorted(found, key=lambda incident: incident.steps)


def recovery(steps: Steps, found: list[Incident]) -> Score:
    """Share of incidents recovered from, in [0, 1]; no incident = ungraded."""
    if not steps.reported:
        return Score(None, NOT_REPORTED)
    if not found:
        return NO_INCIDENT
    lost = [incident for incident in found if not incident.recovered]
    value = 1.0 - len(lost) / len(found)
    if not lost:
        return Score(value)
    return Score(value, f"step {lost[0].steps[-1] + 1}: {unrecovered(steps, lost[0])}")


def unrecovered(steps: Steps, incident: Incident) -> str:
    """An incident that was not recovered from, as a clause."""
    last = incident.steps[-1]
    how = "repeated unchanged" if incident.kind == "blind_repeat" else "given up"
    text = clip(steps.calls[last].result or "no text")
    return f"`{steps.show(last)}` failed and was {how}: {text}"
