"""What a trial cost and wasted: steps against the optimum, duplicates, loops, time, tokens, money."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from gatebot.graders.steps import NOT_REPORTED, Lookup, Steps
from gatebot.graders.wording import clip, listed
from gatebot.model.score import FULL, ZERO, Score, plain_score
from gatebot.model.trial import Trial

LONGEST_CYCLE = 8
CYCLE_ROUNDS = 3
WASTED_CALLS_OF_A_LOOP = 3

# Tools say in their names what they do: the first word decides whether a call between two equal ones may have
# changed what the second one sees.
CHANGING_WORDS = frozenset((
    "add", "append", "apply", "approve", "assign", "book", "buy", "cancel", "change", "clear", "close",
    "commit", "confirm", "create", "decline", "delete", "deploy", "disable", "drop", "edit", "enable",
    "exchange", "execute", "insert", "install", "kill", "make", "merge", "modify", "move", "open", "order",
    "patch", "pay", "post", "push", "put", "refund", "register", "release", "remove", "rename", "replace",
    "reply", "reserve", "reset", "restart", "return", "revoke", "run", "save", "schedule", "send", "set",
    "start", "stop", "store", "submit", "transfer", "transition", "unassign", "uninstall", "update",
    "upgrade", "upload", "write",
))  # fmt: skip


def convergence(optimal: int | None, steps: Steps, *, passed: bool) -> Score:
    """Optimal over actual steps, capped at 1.

    Edges: steps that were not reported are ungraded; fewer steps than the optimum are ungraded, unless the trial passed (then 1, the optimum was overstated);
    optimum 0: 1 if no step was taken, else 0.
    """
    if optimal is None:
        return Score(None, "no golden calls and no optimal_steps to compare with")
    if not steps.reported:
        return Score(None, NOT_REPORTED)
    actual = len(steps.calls)
    if optimal == 0:
        return FULL if actual == 0 else Score(0.0, f"expected no step, got {actual}")
    if actual < optimal:
        if passed:
            return Score(1.0, f"optimal overstated: passed in {actual} steps, expected {optimal}")
        return Score(
            None,
            f"expected {optimal} steps, got {actual}, fewer than the optimum, and the trial did not pass",
        )
    return Score(optimal / actual, "" if actual == optimal else f"expected {optimal} steps, got {actual}")


def quantities(trial: Trial, steps: Steps) -> dict[str, Score]:
    """tool_calls, turns, unique_tools, latency_s, tool_latency_s, tokens, cost_usd: quantities, unknown = ungraded."""
    scores: dict[str, Score] = dict.fromkeys(
        ("tool_calls", "turns", "unique_tools"), Score(None, NOT_REPORTED)
    )
    if steps.reported:
        scores = {
            "tool_calls": plain_score(float(len(steps.calls))),
            "turns": plain_score(float(steps.turns)),
            "unique_tools": plain_score(float(len(steps.by_name))),
        }
    scores["latency_s"] = _quantity(trial.timing.wall_s, "the wall time is unknown")
    scores["tool_latency_s"] = tool_latency(steps)
    scores["tokens"] = _tokens(trial)
    scores["cost_usd"] = _quantity(trial.usage.cost_usd, "the cost is unknown")
    return scores


def tool_latency(steps: Steps) -> Score:
    """Mean seconds of the calls whose begin and end the source tells; the reason has mean and number per tool.

    No such call = ungraded. An end before its begin (clocks of two machines) tells nothing.
    """
    if not steps.reported:
        return Score(None, NOT_REPORTED)
    took: dict[str, list[float]] = {}
    limit = math.inf
    for name, call in zip(steps.names, steps.calls, strict=True):
        start, end = call.started_at, call.ended_at
        if start is None or end is None:
            continue
        seconds = end - start
        if not 0 <= seconds < limit:
            continue
        if name in took:
            known = took[name]
            known[0] += 1
            known[1] += seconds
        else:
            took[name] = [1, seconds]
    if not took:
        return Score(None, "no tool call tells when it began and ended", by_design=True)
    slowest = sorted((-total / count, name, count) for name, (count, total) in took.items())
    each = [
        f"{name if len(name) <= 40 else clip(name, 40)} {-mean:.3g} s × {n:.0f}" for mean, name, n in slowest
    ]
    calls = sum(count for count, _ in took.values())
    return Score(sum(total for _, total in took.values()) / calls, listed(each))


def _quantity(value: float | None, unknown: str) -> Score:
    if value is None:
        return plain_score(None, unknown)
    if not math.isfinite(value) or value < 0:
        return Score(None, f"not a quantity: {value}")
    return plain_score(float(value))


def _tokens(trial: Trial) -> Score:
    """Tokens of the whole trial, else the sum over its responses if every one of them says its own."""
    total = trial.usage.total_tokens
    if total is not None:
        return _quantity(total, "")
    known = [message.usage.total_tokens if message.usage else None for message in trial.trajectory.turns()]
    counted = [tokens for tokens in known if tokens is not None]
    if not counted:
        return Score(None, "token usage is unknown")
    if len(counted) < len(known):
        return Score(None, f"token usage is known for {len(counted)} of {len(known)} responses")
    return _quantity(sum(counted), "")


def wasted_calls(steps: Steps, failed: list[bool | None], poll: Iterable[str]) -> list[int]:
    """Calls that repeat an earlier one and brought nothing new.

    Same tool, same arguments, same result, and no call between them that may have changed something, by its name.
    A retry after an error is none; tools in `poll` may be asked again. Where neither result is known, only an
    immediate repetition counts.
    """
    if len(steps.by_key) + len(steps.unknown) == len(steps.calls):
        return []
    allowed = frozenset(poll)
    last: dict[Lookup, int] = {}
    last_change: tuple[int, int] = (-1, -1)
    wasted: list[int] = []
    for index, (name, key) in enumerate(zip(steps.names, steps.keys, strict=True)):
        if key is not None and name not in allowed:
            earlier = last.get((name, key))
            changed = (
                -1 if earlier is None else last_change[1] if last_change[0] == earlier else last_change[0]
            )
            if earlier is not None and changed <= earlier and _brought_nothing(steps, failed, earlier, index):
                wasted.append(index)
            last[name, key] = index
        if failed[index] is not True and may_change(name):
            last_change = (index, last_change[0])
    return wasted


def _brought_nothing(steps: Steps, failed: list[bool | None], earlier: int, later: int) -> bool:
    if failed[earlier] is True:
        return False
    before, after = steps.calls[earlier].result, steps.calls[later].result
    if before is None and after is None:
        return later == earlier + 1
    return before == after


@lru_cache(maxsize=4096)
def may_change(name: str) -> bool:
    """Whether the tool's name says that it changes something: `update_order`, `sendMail`, `db.insert`."""
    words: list[str] = []
    word = ""
    for char in name[:100]:
        if char.isupper() and word and not word[-1].isupper():
            words.append(word)
            word = char
        elif char.isalnum():
            word += char
        else:
            words.append(word)
            word = ""
    words.append(word)
    return any(part.lower() in CHANGING_WORDS for part in words)


def duplicate_score(steps: Steps, wasted: list[int]) -> Score:
    """Number of wasted calls."""
    if not steps.reported:
        return Score(None, NOT_REPORTED)
    if not wasted:
        return ZERO
    first = wasted[0]
    return Score(
        float(len(wasted)),
        f"step {first + 1}: `{steps.show(first)}` repeats an equal call and brought nothing new",
    )


@dataclass(frozen=True, slots=True)
class Loop:
    """Where the agent went in circles: why we say so, and the 1-based steps that show it."""

    reason: str
    steps: tuple[int, ...]


def find_loop(steps: Steps, wasted: list[int], poll: Iterable[str], turn_limit: str = "") -> Loop | None:
    """The first loop: three identical wasted calls, a cycle of calls with unchanged results, a stop by a turn limit.

    A cycle of 2 to 8 calls counts when it occurs three times in a row, a single call when it is made four times in a
    row (three repetitions), successful or not.
    """
    repeats: dict[Lookup, list[int]] = {}
    for index in wasted:
        same = repeats.setdefault((steps.names[index], steps.keys[index] or b""), [])
        same.append(index + 1)
        if len(same) == WASTED_CALLS_OF_A_LOOP:
            return Loop(f"step {index + 1}: `{steps.show(index)}` is wasted for the third time", tuple(same))
    cycle = _cycle(steps, frozenset(poll))
    if cycle is None:
        return _stopped(turn_limit, steps)
    kept, length = cycle
    start = kept[0]
    what = (
        f"`{steps.show(start)}`" if length == 1 else f"a cycle of {length} calls from `{steps.show(start)}`"
    )
    rounds = CYCLE_ROUNDS + (length == 1)
    reason = f"step {start + 1}: {what} occurs {rounds} times in a row with unchanged results"
    return Loop(reason, tuple(index + 1 for index in kept))


def _stopped(turn_limit: str, steps: Steps) -> Loop | None:
    """The loop of a run that its own limit of turns has stopped, shown by its last call; None where none has."""
    if not turn_limit:
        return None
    count = len(steps.calls)
    where = f"after step {count}" if count else "without a call"
    return Loop(f"{where}: stopped by a turn limit: {clip(turn_limit, 200)}", (count,) if count else ())


def loop_score(steps: Steps, loop: Loop | None) -> Score:
    """1 when the agent went in circles, else 0."""
    if not steps.reported:
        return Score(None, NOT_REPORTED)
    return ZERO if loop is None else Score(1.0, loop.reason)


def _cycle(steps: Steps, poll: frozenset[str]) -> tuple[list[int], int] | None:
    """(its calls, length of one round) of the first cycle, or None. Calls with unknown arguments or results end a cycle."""
    if len(steps.by_key) + len(steps.unknown) == len(steps.calls):
        return None
    kept = [index for index, name in enumerate(steps.names) if name not in poll]
    numbers: dict[tuple[str, bytes, str], int] = {}
    tokens: list[int] = []
    for position, index in enumerate(kept):
        key, result = steps.keys[index], steps.calls[index].result
        if key is None or result is None:
            tokens.append(-1 - position)
        else:
            tokens.append(numbers.setdefault((steps.names[index], key, result), len(numbers)))
    if len(set(tokens)) == len(tokens):
        return None
    for length in range(1, min(LONGEST_CYCLE, len(tokens) // 2) + 1):
        needed = length * (CYCLE_ROUNDS - 1 + (length == 1))
        run = 0
        for position in range(length, len(tokens)):
            run = run + 1 if tokens[position] == tokens[position - length] else 0
            if run == needed:
                return kept[position - needed - length + 1 : position + 1], length
    return None
