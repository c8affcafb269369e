"""Where a failing trial leaves what was expected although its calls leave no golden: a divergence for every failure."""

from __future__ import annotations

from collections.abc import Sequence

from gatebot.graders.divergence import NOTHING
from gatebot.graders.steps import Steps
from gatebot.graders.tools import forbidden_steps, names_made
from gatebot.graders.wording import REASON_LIMIT, clip
from gatebot.model.case import Expect
from gatebot.model.score import Check, Divergence


def unmet(checks: Sequence[Check], steps: Steps, expect: Expect) -> Divergence:
    """The divergence of a failing trial whose calls show none: the first check that it does not meet.

    A forbidden call is `extra` at its step, a required tool that was not called is `missing`; whatever no single call
    shows, or could not be checked, is `unmet` after the last call. `checks` has one that is not passed.
    """
    failed = next(check for check in checks if check.passed is not True)
    count = len(steps.calls)
    if failed.passed is None:
        return unmet_after(count, failed.name, failed.reason)
    if failed.group == "forbid":
        at = next(forbidden_steps(expect.forbid, steps))
        return _found(at, f"`{steps.show(at)}`", failed.reason)
    if failed.group == "require":
        told = clip(failed.reason, REASON_LIMIT)
        made = names_made(steps)
        shown = f"`{clip(next(name for name in expect.require if name not in made), 60)}`"
        said = clip(f"step {count + 1}: expected {shown}, got {NOTHING}: {told}", REASON_LIMIT)
        return Divergence(count + 1, "missing", shown, NOTHING, said, told)
    return unmet_after(count, failed.name, failed.reason)


def unmet_after(count: int, name: str, reason: str) -> Divergence:
    """What `name` asks is not met, and no call of the `count` calls shows it."""
    shown, told = clip(name, 60), clip(f"{name}: {reason}" if reason else name, REASON_LIMIT)
    where = f"after step {count}" if count else "without a call"
    return Divergence(count + 1, "unmet", shown, "not met", clip(f"{where}: {told}", REASON_LIMIT), told)


def _found(at: int, actual: str, reason: str) -> Divergence:
    said = clip(f"step {at + 1}: expected {NOTHING}, got {actual}: {reason}", REASON_LIMIT)
    return Divergence(at + 1, "extra", NOTHING, actual, said, clip(reason, REASON_LIMIT))
