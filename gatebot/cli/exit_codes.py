"""Exit codes: what a script may rely on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gatebot.model.report import Conclusion

PASS = 0
FAIL = 1
USAGE = 2
NOT_EVALUATED = 3
INTERNAL = 70
CANCELLED = 130

_OF: dict[Conclusion, int] = {
    "pass": PASS,
    "inconclusive": PASS,
    "fail": FAIL,
    "not_evaluated": NOT_EVALUATED,
}


def exit_code(conclusion: Conclusion) -> int:
    """The exit code of a conclusion; `inconclusive` is 0 with a loud warning."""
    return _OF[conclusion]
