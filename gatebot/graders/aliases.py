"""Other names of tools: what goldens and checks call `search`, an agent may call `mcp__web__search`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from gatebot.model.case import Expect
from gatebot.model.suite import Case, ExpectedCall, Reference
from gatebot.model.trajectory import Message, ToolCall
from gatebot.model.trial import Trial

_MOST_REMEMBERED: Final = 10_000


class Aliases:
    """Turns the names of a trial, and of a case, into the ones of `trajectory.aliases`.

    An exact name wins over a pattern; of several patterns the one that stands first in the file.
    """

    def __init__(self, aliases: Mapping[str, tuple[str, ...]]) -> None:
        self._exact = {
            other: name for name, others in aliases.items() for other in others if "*" not in other
        }
        self._exact.update({name: name for name in aliases})
        self._patterns = [
            (other.split("*"), name) for name, others in aliases.items() for other in others if "*" in other
        ]
        self._seen: dict[str, str] = {}
        self._any = bool(aliases)

    def name(self, raw: str) -> str:
        """The name that `raw` goes by in goldens and checks."""
        known = self._seen.get(raw)
        if known is None:
            found = (name for parts, name in self._patterns if _matches(raw, parts))
            known = self._exact.get(raw) or next(found, raw)
            if len(self._seen) < _MOST_REMEMBERED:
                self._seen[raw] = known
        return known

    def trial(self, trial: Trial) -> Trial:
        """The trial as graders see it; a renamed call keeps what the agent called it as its raw name."""
        if not self._any:
            return trial
        messages = tuple(self._message(message) for message in trial.trajectory.messages)
        return replace(trial, trajectory=replace(trial.trajectory, messages=messages))

    def case(self, case: Case) -> Case:
        """The case with one name per tool, wherever it names one."""
        if not self._any:
            return case
        references = tuple(self._reference(reference) for reference in case.references)
        return replace(case, expect=self._expect(case.expect), references=references)

    def _message(self, message: Message) -> Message:
        if not message.calls:
            return message
        return replace(message, calls=tuple(self._call(call) for call in message.calls))

    def _call(self, call: ToolCall) -> ToolCall:
        name = self.name(call.name)
        return call if name == call.name else replace(call, name=name, raw_name=call.raw_name or call.name)

    def _reference(self, reference: Reference) -> Reference:
        if reference.calls is None:
            return reference
        return replace(reference, calls=tuple(self._expected(call) for call in reference.calls))

    def _expected(self, call: ExpectedCall) -> ExpectedCall:
        alternatives = tuple((self.name(name), arguments) for name, arguments in call.alternatives)
        return replace(call, name=self.name(call.name), alternatives=alternatives)

    def _expect(self, expect: Expect) -> Expect:
        changed: dict[str, object] = {
            key: tuple(dict.fromkeys(self.name(tool) for tool in getattr(expect, key)))
            for key in ("require", "forbid", "poll")
        }
        if expect.trajectory is not None and isinstance(expect.trajectory.args, dict):
            rules = {self.name(tool): rule for tool, rule in expect.trajectory.args.items()}
            changed["trajectory"] = expect.trajectory.model_copy(update={"args": rules})
        return expect.model_copy(update=changed)


def _matches(text: str, parts: list[str]) -> bool:
    """Whether `text` is the parts in order with anything between them; in one pass, whatever the text."""
    first, *middle, last = parts
    if len(text) < len(first) + len(last) or not text.startswith(first) or not text.endswith(last):
        return False
    place, end = len(first), len(text) - len(last)
    for part in middle:
        found = text.find(part, place, end)
        if found < 0:
            return False
        place = found + len(part)
    return True
