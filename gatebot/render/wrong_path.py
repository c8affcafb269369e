"""What must stand first in a case's line: a forbidden call, and a right answer that was reached on a wrong path."""

from __future__ import annotations

from gatebot.model.report import CaseResult, Failure

_CALLED = "forbidden tool called: "
_OF_THE_PATH = frozenset({"forbidden_tool", "tool_selection", "wrong_arguments", "wrong_order"})
OF_THE_GOAL = frozenset({"wrong_answer", "wrong_state"})


def forbidden_call(failure: Failure) -> tuple[str, str] | None:
    """Name of the forbidden tool that the shown trial called (untrusted), and where; None where it called none."""
    told = (failure, *failure.others)
    found = next((one for one in told if one.category == "forbidden_tool"), None)
    if found is None:
        return None
    name = found.reason.partition(_CALLED)[2].strip("`").partition("(")[0]
    return name, f"called at step {found.steps[0]}" if found.steps else "called"


def right_answer(case: CaseResult) -> bool:
    """Whether the shown trial met its goal and failed by its calls alone: a corrupt success."""
    failure, corrupt = case.failure, case.metrics.get("corrupt_success")
    if failure is None or corrupt is None or not corrupt.head:
        return False
    others = {other.category for other in failure.others}
    return failure.category in _OF_THE_PATH and not others & OF_THE_GOAL
