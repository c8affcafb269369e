"""What the head's trials of a case agree on: the behaviour most of them showed becomes the golden candidate."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from gatebot.model.acceptance import Agreement
from gatebot.model.case import Expect, SimilarExpectation
from gatebot.model.config import ArgsMode
from gatebot.model.json_value import JsonValue
from gatebot.model.suite import Case
from gatebot.model.trajectory import Message, ToolCall
from gatebot.model.trial import Trial

Golden = dict[str, JsonValue]
_UNTOLD = "completed, without telling the calls that the golden holds"


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What one trial did, as a golden would say it. Trials of equal `signature` behaved alike.

    `golden` None: the trial ended in a way no golden can ask for (crash, time-out), told in `ended`. `slot` orders.
    """

    slot: int
    signature: str
    golden: Golden | None
    ended: str = ""


@dataclass(frozen=True, slots=True)
class Consensus:
    """The behaviour that most trials showed: `took` of `of`. `golden` None where no golden can say it.

    unanimous: all trials · majority: more than half · split: no behaviour has more than half · none: no trial.
    `reason` says why there is nothing to accept without asking; empty otherwise.
    `spread`: how many trials each behaviour has, largest first. `slots`: the trials that took it.
    """

    agreement: Agreement
    golden: Golden | None
    took: int
    of: int
    spread: tuple[int, ...] = ()
    slots: tuple[int, ...] = ()
    reason: str = ""


def consensus(behaviours: Sequence[Behaviour]) -> Consensus:
    """What the trials of one case agree on; infrastructure errors are no behaviour and must be left out before.

    Of equally frequent behaviours the one with the lowest slot is named, but is no majority.
    """
    if not behaviours:
        return Consensus("none", None, 0, 0, reason="no trial of the head ended")
    ordered = sorted(behaviours, key=lambda one: one.slot)
    counts = Counter(one.signature for one in ordered)
    signature, took = max(counts.items(), key=lambda item: item[1])
    winners = [one for one in ordered if one.signature == signature]
    of = len(ordered)
    spread = tuple(sorted(counts.values(), reverse=True))
    slots = tuple(one.slot for one in winners)
    agreement: Agreement = "unanimous" if took == of else "majority" if 2 * took > of else "split"
    golden = _answered(winners)
    reason = "" if golden is not None else f"{took} of {of} trials ended as {winners[0].ended}"
    if agreement == "split":
        reason = f"the head's trials disagree: the most frequent behaviour was shown by {took} of {of}"
    return Consensus(agreement, golden, took, of, spread, slots, reason)


def _answered(winners: Sequence[Behaviour]) -> Golden | None:
    """The first winner's golden with the answer most winners gave: wording that is not judged may differ."""
    first = winners[0].golden
    if first is None or "answer" not in first:
        return first
    answers = Counter(str(one.golden["answer"]) for one in winners if one.golden and "answer" in one.golden)
    return {**first, "answer": max(answers.items(), key=lambda item: item[1])[0]}


def behaviour_of(case: Case, default_args: ArgsMode, trial: Trial) -> Behaviour:
    """What a trial did, in as much as the case looks at it: calls, final state, answer. Never raises.

    A golden says no more than the one it replaces: calls only where calls are graded, a node path or a state only
    where one is expected. Calls that were not told are not no calls: nothing is said of them, and a golden that
    has some cannot be replaced. Arguments the case ignores are left out: they are where ids and times are.
    """
    if trial.status != "completed":
        return Behaviour(trial.slot, f"ended:{trial.status}", None, trial.status)
    golden: Golden = {}
    compared: Golden = {}
    known = bool(trial.trajectory.calls()) or trial.trajectory.format != "none"
    if not known and _holds_calls(case):
        return Behaviour(trial.slot, "ended:untold", None, _UNTOLD)
    if known and _wants_calls(case):
        calls = _calls(case.expect, default_args, trial)
        golden["calls"] = calls
        compared["calls"] = [sorted(_canonical(one) for one in _group(item)) for item in calls]
    if any(one.graph is not None for one in case.references) and trial.trajectory.graph:
        golden["graph"] = compared["graph"] = [list(turn) for turn in trial.trajectory.graph if turn]
    if _wants_state(case) and trial.state is not None:
        golden["state"] = compared["state"] = trial.state
    answer = trial.answer if trial.answer is not None else trial.trajectory.final_text()
    if answer and _wants_answer(case):
        golden["answer"] = answer
        if case.expect.answer is not None and case.expect.answer.exact is True:
            compared["answer"] = " ".join(answer.casefold().split())
    return Behaviour(trial.slot, _canonical(compared), golden)


def _wants_calls(case: Case) -> bool:
    known = any(reference.calls is not None for reference in case.references)
    return known or not case.references or case.expect.trajectory is not None


def _holds_calls(case: Case) -> bool:
    """Whether its golden asks for calls, or for none."""
    asked = case.expect.trajectory is not None
    return any(one.calls or (asked and one.calls is not None) for one in case.references)


def _wants_state(case: Case) -> bool:
    return case.expect.state is not None or any(one.state is not None for one in case.references)


def _wants_answer(case: Case) -> bool:
    expected = case.expect.answer
    compared = expected is not None and (
        expected.exact is True
        or expected.similar is True
        or (isinstance(expected.similar, SimilarExpectation) and expected.similar.text is None)
    )
    return compared or not case.references or any(one.answer is not None for one in case.references)


def _calls(expect: Expect, default_args: ArgsMode, trial: Trial) -> list[JsonValue]:
    """Golden calls: one item a turn; calls of one turn are parallel and share an item."""
    items: list[JsonValue] = []
    for turn in trial.trajectory.turns():
        calls = _turn(expect, default_args, turn)
        items += [calls] if len(calls) > 1 else calls
    return items


def _turn(expect: Expect, default_args: ArgsMode, turn: Message) -> list[JsonValue]:
    return [_call(expect, default_args, call) for call in turn.calls]


def _call(expect: Expect, default_args: ArgsMode, call: ToolCall) -> JsonValue:
    """`tool: {arguments}` without ignored arguments; the name alone where arguments are not compared or not known."""
    rules = expect.trajectory.args if expect.trajectory is not None else {}
    rule = rules if isinstance(rules, str) else rules.get(call.name, rules.get("*", default_args))
    if rule == "ignore" or call.arguments is None:
        return call.name
    if isinstance(rule, str):
        return {call.name: dict(call.arguments)}
    return {call.name: {key: value for key, value in call.arguments.items() if rule.get(key) != "ignore"}}


def _group(item: JsonValue) -> list[JsonValue]:
    return list(item) if isinstance(item, list) else [item]


def _canonical(value: JsonValue) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=True)
