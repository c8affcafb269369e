"""Checks of golden calls: ids are given once, `after` names calls that exist, and no call waits for itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gatebot.model.suite import ExpectedCall
from gatebot.suite.explain import nearest
from gatebot.suite.finding import Finding
from gatebot.suite.yaml_places import Path
from gatebot.suite.yaml_reader import YamlDocument

_CALL = re.compile(r"(?P<tool>[\w./:-]{1,100})\s?\((?P<inside>.{0,2000})\)", re.DOTALL)
_ARGUMENT = re.compile(r"(\w{1,60})\s{0,3}=\s{0,3}(\"[^\"]{0,200}\"|'[^']{0,200}'|[^,\"']{1,200})")


def lint_calls(document: YamlDocument, path: Path, calls: Sequence[ExpectedCall]) -> Iterator[Finding]:
    """What is wrong with the order of one reference's golden calls; `path` leads to the reference."""
    ids: dict[str, ExpectedCall] = {}
    for call in calls:
        for name in (call.name, *(name for name, _ in call.alternatives)):
            if fault := call_for_a_name(name):
                yield Finding("error", document.locate((*path, "calls", call.group)), *fault)
        if call.id is None:
            continue
        if call.id in ids:
            place = document.locate((*path, "calls", call.group))
            yield Finding(
                "error", place, f"two golden calls have the id '{call.id}'", "give each an id of its own"
            )
        ids[call.id] = call
    for call in calls:
        for name in call.after:
            place = document.locate((*path, "calls", call.group))
            if name not in ids:
                near = nearest(name, list(ids))
                hint = f"did you mean '{near}'?" if near else "give the call that comes before an `id:`"
                yield Finding(
                    "error",
                    place,
                    f"'{call.name}' comes after '{name}', which no golden call has as id",
                    hint,
                )
            elif ids[name].group > call.group:
                message = f"'{call.name}' comes after '{name}', which stands further down"
                yield Finding("error", place, message, "put the calls in the order they are made")
    if circle := _circle(ids):
        place = document.locate((*path, "calls", ids[circle[0]].group))
        yield Finding(
            "error", place, f"golden calls wait for each other: {' after '.join(circle)}", "cut the circle"
        )


def call_for_a_name(name: str) -> tuple[str, str] | None:
    """Message and hint where a whole call, `search(query="x")`, was written as a tool's name."""
    written = _CALL.fullmatch(name)
    if written is None:
        return None
    tool, inside = written["tool"], written["inside"].strip()
    pairs = _ARGUMENT.findall(inside)
    shown = ", ".join(f"{key}: {value.strip()}" for key, value in pairs) if pairs else "key: value"
    message = f"a tool's name has no arguments in brackets: {name[:80]}"
    return message, f"write `{tool}: {{{shown}}}`" if inside else f"write `{tool}`"


def _circle(calls: dict[str, ExpectedCall]) -> list[str]:
    """Ids of calls that come after one another in a circle, the first one again at the end; empty when there is none."""
    settled: set[str] = set()
    for start, call in calls.items():
        trail: list[str] = []
        waiting = [(start, iter(call.after))]
        while waiting:
            name, rest = waiting[-1]
            if name not in trail:
                trail.append(name)
            follower = next((after for after in rest if after in calls and after not in settled), None)
            if follower is None:
                settled.add(name)
                trail.pop()
                waiting.pop()
            elif follower in trail:
                return [*trail[trail.index(follower) :], follower]
            else:
                waiting.append((follower, iter(calls[follower].after)))
    return []
