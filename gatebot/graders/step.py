"""Single steps: argument keys right over all keys seen, in the pairing of calls that is best for the agent."""

from __future__ import annotations

from dataclasses import dataclass

from gatebot.graders.canonical import canonical, same
from gatebot.graders.matching import UNMATCHED, heaviest_assignment
from gatebot.graders.reference import ExpectedStep, Option, ReferenceCalls
from gatebot.graders.steps import Steps
from gatebot.model.score import FULL, Score

MANY_CALLS = 100
PAIRS_LIMIT = 600_000
BY_RULES = 6


@dataclass(frozen=True, slots=True)
class ArgumentPair:
    """A golden call and the call paired with it, with the share of argument keys that are right."""

    golden: int
    call: int
    accuracy: float


def param_accuracy(reference: ReferenceCalls, steps: Steps, partner: tuple[int, ...]) -> Score:
    """Mean over pairs of calls of one tool of (right keys / union of keys), in [0, 1].

    Pairs are chosen per tool to maximise the total. `partner` is a largest matching: where it already pairs as many
    calls as can be paired, all with equal arguments, nothing can be better. Edges: golden calls and no pair 0; `{}`
    against `{}` 1; malformed arguments 0; golden calls without arguments, tools in mode `ignore` and calls with
    unknown arguments take no part; nothing left to compare = ungraded.
    """
    if reference.simple and reference.lookups and UNMATCHED not in partner:
        return FULL
    compared = [index for index, step in enumerate(reference.steps) if step.options[0].arguments is not None]
    if not compared:
        return Score(None, "no golden call has arguments to compare", by_design=True)
    if not steps.calls:
        needed = [index for index in compared if not reference.steps[index].optional]
        if not needed:
            return Score(None, "no golden call is required, and none was made", by_design=True)
        return Score(0.0, f"no tool was called, expected {reference.steps[needed[0]].shown}")
    exact = all(
        partner[index] >= 0 and reference.steps[index].options[0].lookup is not None for index in compared
    )
    if exact and reference.simple:
        return FULL
    pairs = (
        _beside(reference, steps, partner) if reference.lookups else best_pairs(reference, steps, compared)
    )
    if not pairs:
        unknown = [
            i for index in compared for i in reference.steps[index].namesakes(steps) if steps.keys[i] is None
        ]
        if unknown:
            return Score(None, f"the arguments of step {unknown[0] + 1} were not recorded")
        first = reference.steps[compared[0]]
        return Score(0.0, f"none of the expected tools was called, expected {first.shown}")
    value = sum(pair.accuracy for pair in pairs) / len(pairs)
    if value == 1.0:
        return FULL
    worst = min(pairs, key=lambda pair: pair.call if pair.accuracy < 1.0 else len(steps.calls))
    return Score(value, explain_pair(reference.steps[worst.golden], steps, worst.call))


def _beside(reference: ReferenceCalls, steps: Steps, partner: tuple[int, ...]) -> list[ArgumentPair]:
    """The best pairing where only equal calls match: `partner` has all equal pairs, so the rest alone is assigned."""
    pairs = [ArgumentPair(index, call, 1.0) for index, call in enumerate(partner) if call != UNMATCHED]
    open_calls: dict[str, list[int]] = {}
    for index, call in enumerate(partner):
        if call == UNMATCHED and reference.steps[index].name in steps.by_name:
            open_calls.setdefault(reference.steps[index].name, []).append(index)
    if open_calls:
        taken = set(partner)
        rest = [
            (indexes, [call for call in steps.by_name[name] if call not in taken])
            for name, indexes in open_calls.items()
        ]
        pairs.extend(_assigned(reference, steps, rest))
    return sorted(pairs, key=lambda pair: pair.call)


def best_pairs(reference: ReferenceCalls, steps: Steps, golden: list[int]) -> list[ArgumentPair]:
    """The pairing of these golden calls with calls of their tool that has the greatest total accuracy."""
    if any(len(reference.steps[index].options) > 1 for index in golden):
        calls = {call for index in golden for call in reference.steps[index].namesakes(steps)}
        return sorted(_assigned(reference, steps, [(golden, sorted(calls))]), key=lambda pair: pair.call)
    by_tool: dict[str, list[int]] = {}
    for index in golden:
        by_tool.setdefault(reference.steps[index].name, []).append(index)
    pairs: list[ArgumentPair] = []
    left: list[tuple[list[int], list[int]]] = []
    for name, indexes in by_tool.items():
        if name in steps.by_name:
            equal, rest, calls = _equal_pairs(reference, steps, indexes, steps.by_name[name])
            pairs.extend(equal)
            left.append((rest, calls))
    pairs.extend(_assigned(reference, steps, left))
    return sorted(pairs, key=lambda pair: pair.call)


def _equal_pairs(
    reference: ReferenceCalls, steps: Steps, golden: list[int], calls: list[int]
) -> tuple[list[ArgumentPair], list[int], list[int]]:
    """Pairs with equal arguments, and what is left on both sides.

    Pairing these first costs nothing where the tool has no field rules. 1 − accuracy is then a metric: let D count
    the differing keys of two calls, U the union of their keys, W that of three, and u the keys of the middle call
    alone. Then D(x,z)/U(x,z) ≤ (D(x,z) + u)/W ≤ (D(x,y) + D(y,z))/W ≤ d(x,y) + d(y,z). By the triangle inequality
    an assignment that parts two equal calls can be exchanged for one that pairs them and is no worse.
    """
    places: dict[bytes | None, list[int]] = {}
    for call in reversed(calls):
        places.setdefault(steps.keys[call], []).append(call)
    pairs: list[ArgumentPair] = []
    rest: list[int] = []
    for index in golden:
        option = reference.steps[index].options[0]
        equal = places.get(option.key) if option.rule.plain else None
        if equal:
            pairs.append(ArgumentPair(index, equal.pop(), 1.0))
        else:
            rest.append(index)
    return pairs, rest, sorted(call for left in places.values() for call in left)


def _assigned(
    reference: ReferenceCalls, steps: Steps, rest: list[tuple[list[int], list[int]]]
) -> list[ArgumentPair]:
    """The heaviest assignment of golden calls to calls, for each tool's: as many pairs as possible come first.

    A pair weighs more than all accuracies. Raises ValueError when too many pairs would have to be weighed.
    """
    thin: list[tuple[list[int], list[int]]] = []
    for golden, calls in rest:
        known = [call for call in calls if steps.keys[call] is not None]
        if len(known) > MANY_CALLS:
            known = _thinned(reference, steps, golden, known)
        thin.append((golden, known))
    plain = all(o.rule.plain for golden, _ in thin for i in golden for o in reference.steps[i].options)
    if sum(len(golden) * len(calls) for golden, calls in thin) * (1 if plain else BY_RULES) > PAIRS_LIMIT:
        golden, calls = (sum(len(both[side]) for both in thin) for side in (0, 1))
        message = f"{golden} golden calls against {calls} different calls of their tools are too many pairs"
        raise ValueError(message)
    found: list[ArgumentPair] = []
    for golden, calls in thin:
        pair_weight = len(golden) + 1.0
        weights = [
            [_weight(reference.steps[index], steps, call, pair_weight) for call in calls] for index in golden
        ]
        found.extend(
            ArgumentPair(golden[row], calls[column], weights[row][column] - pair_weight)
            for row, column in heaviest_assignment(weights)
            if weights[row][column]
        )
    return found


def _thinned(reference: ReferenceCalls, steps: Steps, golden: list[int], calls: list[int]) -> list[int]:
    """The calls without those that are worth the same to every golden call as enough others are.

    Where no field has a rule, a call's worth is told by its golden keys, their values where a golden call has them,
    and the number of all its keys. Elsewhere only equal calls are worth the same.
    """
    options = [option for index in golden for option in reference.steps[index].options]
    plain = all(option.rule.plain for option in options)
    wanted = {
        (key, canonical(value)) for option in options for key, value in (option.arguments or {}).items()
    }
    golden_keys = {key for key, _ in wanted}
    kinds: dict[object, list[int]] = {}
    for call in calls:
        got = steps.calls[call].arguments
        kind: object = steps.keys[call]
        if plain and got is not None:
            # Union and agreement with a golden call follow from: keys it has with a golden value, other golden keys.
            told = frozenset(
                pair if (pair := (key, canonical(value))) in wanted else (key, b"")
                for key, value in got.items()
                if key in golden_keys
            )
            kind = (told, len(got))
        kinds.setdefault((steps.names[call], kind), []).append(call)
    return sorted(call for equals in kinds.values() for call in equals[: len(golden)])


def _weight(step: ExpectedStep, steps: Steps, call: int, pair_weight: float) -> float:
    """0 when the tools differ, else the weight of a pair plus its accuracy."""
    option = option_for(step, steps.names[call])
    return 0.0 if option is None else pair_weight + accuracy(option, steps, call)


def option_for(step: ExpectedStep, name: str) -> Option | None:
    """The golden call's option for that tool."""
    return next((option for option in step.options if option.name == name), None)


def accuracy(option: Option, steps: Steps, call: int) -> float:
    """Right keys over the union of keys, in [0, 1]; ignored fields are in neither. Malformed arguments 0, `{}` both 1."""
    if option.arguments is None:
        return 1.0
    if option.lookup is not None and steps.keys[call] == option.lookup[1]:
        return 1.0
    got = steps.calls[call].arguments
    if got is None:
        return 0.0
    if option.rule.plain:
        expected = option.arguments
        right = sum(key in got and same(value, got[key]) for key, value in expected.items())
        total = len(expected) + sum(key not in expected for key in got)
        return right / total if total else 1.0
    faults = [verdict.fault for verdict in option.rule.verdicts(option.arguments, got)]
    return faults.count(None) / len(faults) if faults else 1.0


def explain_pair(step: ExpectedStep, steps: Steps, call: int) -> str:
    """What is wrong with the call's arguments: step, tool, every key at fault (three at most), expected and got."""
    return f"step {call + 1}: expected {step.shown}, got `{steps.show(call)}`: {faults_of(step, steps, call)}"


def faults_of(step: ExpectedStep, steps: Steps, call: int) -> str:
    """The argument faults of a call against a golden call of its tool, as a clause."""
    actual = steps.calls[call]
    if actual.arguments_error is not None and actual.arguments is None:
        return "malformed_args: the arguments could not be parsed"
    if actual.arguments is None:
        return "its arguments were not recorded"
    option = option_for(step, actual.name)
    if option is None or option.arguments is None:
        return "its arguments differ"
    faults = list(option.rule.faults(option.arguments, actual.arguments))
    if not faults:
        faults = [v for v in option.rule.verdicts(option.arguments, actual.arguments) if v.fault is not None]
    reasons = [fault.reason for fault in faults]
    if len(reasons) > 3:
        reasons = [*reasons[:3], f"{len(reasons) - 3} more keys differ"]
    return "; ".join(reasons) or "its arguments differ"
