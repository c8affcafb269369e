"""`engine: agentevals`: the library decides trajectory_match, our matcher explains."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from gatebot.errors import ConfigError
from gatebot.graders.agentevals_engine import Engine, Message, golden_messages, render
from gatebot.graders.arguments import ArgumentRule
from gatebot.graders.steps import Steps
from gatebot.graders.trajectory import Fit
from gatebot.model.case import ArgsMode, MatchMode
from gatebot.model.json_value import JsonValue
from gatebot.model.suite import ExpectedCall

_HINT = "say it in a way the library knows, or grade with `trajectory: {engine: own}`"


@dataclass(frozen=True)
class LibraryMatch:
    """agentevals' matcher for one reference. `modes`: how arguments are compared, per tool where it differs."""

    golden: tuple[ExpectedCall, ...]
    match: MatchMode
    args: ArgsMode
    modes: dict[str, ArgsMode]

    @cached_property
    def _engine(self) -> Engine:
        return Engine("agentevals", self.match, self.args, self.modes)

    @cached_property
    def _reference(self) -> list[Message]:
        return golden_messages(self.golden)

    def verdict(self, steps: Steps, own: Fit) -> Fit:
        """Our `own` fit with the library's verdict.

        Ours stays where the library cannot judge: nothing to compare, unknown or malformed arguments (which do not
        match). Raises EngineError when the library fails.
        """
        if own.vacuous or steps.unknown or not steps.calls:
            return own
        broken = next((i for i, call in enumerate(steps.calls) if call.arguments is None), None)
        if broken is not None:
            shown = steps.show(broken)
            return replace(
                own, passed=False, reason=f"step {broken + 1}: `{shown}` cannot be read by agentevals"
            )
        turns: dict[int, list[tuple[str, dict[str, JsonValue]]]] = {}
        for turn, name, call in zip(steps.turn_of, steps.names, steps.calls, strict=True):
            turns.setdefault(turn, []).append((name, call.arguments or {}))
        passed = self._engine.verdict(self._reference, render(turns.values()))
        if passed == own.passed:
            return own
        told = "matches the golden" if own.passed else "does not match the golden"
        reason = (
            ""
            if passed
            else f"agentevals finds no match in mode {self.match}, though by gatebot's matcher it {told}"
        )
        return replace(own, passed=passed, reason=reason)


def library_match(
    calls: tuple[ExpectedCall, ...],
    match: MatchMode,
    named: dict[str, ArgumentRule],
    other: ArgumentRule,
) -> LibraryMatch:
    """The library's matcher for a reference. Raises ConfigError for what the library cannot say."""
    modes: dict[str, ArgsMode] = {}
    for tool, rule in named.items():
        if not rule.plain:
            raise ConfigError(f"agentevals cannot compare the arguments of '{tool}' field by field", _HINT)
        modes[tool] = rule.mode
    if not other.plain:
        raise ConfigError("agentevals cannot compare arguments field by field", _HINT)
    for call in calls:
        if call.optional or call.after or call.alternatives:
            raise ConfigError(
                f"agentevals knows no optional, alternative or ordered calls: the golden call '{call.name}'",
                _HINT,
            )
    for tool in sorted({call.name for call in calls if call.arguments is None}):
        if any(call.name == tool and call.arguments is not None for call in calls):
            raise ConfigError(f"agentevals compares the arguments of all calls of '{tool}' or of none", _HINT)
        modes[tool] = "ignore"
    return LibraryMatch(calls, match, other.mode, modes)
