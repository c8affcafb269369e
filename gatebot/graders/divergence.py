"""The first place where the calls leave the golden, in a sentence."""

from __future__ import annotations

from collections.abc import Iterator

from gatebot.graders.efficiency import may_change
from gatebot.graders.matching import UNMATCHED, heaviest_assignment, maximum_matching
from gatebot.graders.reference import ReferenceCalls
from gatebot.graders.step import accuracy, faults_of, option_for
from gatebot.graders.steps import Steps
from gatebot.graders.trajectory import Fit, Walk, pair
from gatebot.graders.wording import REASON_LIMIT, clip
from gatebot.model.case import MatchMode
from gatebot.model.score import Divergence, DivergenceKind

PAIRINGS_LIMIT = 40
NOTHING = "nothing"


def first_divergence(reference: ReferenceCalls, steps: Steps, mode: MatchMode, fit: Fit) -> Divergence | None:
    """The first divergence under the case's mode; where the mode is satisfied, the first one a strict reader sees.

    None only when the calls are exactly the golden ones in the golden's order.
    """
    if mode != "strict" and fit.passed is not True:
        found = list(_unpaired(reference, steps, mode, fit.partner))
        if found:
            return min(found, key=lambda divergence: divergence.step)
    return _strict(reference, steps)


def _strict(reference: ReferenceCalls, steps: Steps) -> Divergence | None:
    """Where laying the golden along the calls stops."""
    walk = Walk(reference, steps)
    if walk.complete:
        return _violated_after(reference, steps)
    at = walk.position
    if walk.laid == len(reference.groups):
        return _extra(reference, steps, at)
    group = reference.groups[walk.laid]
    if at and at < len(steps.calls) and steps.same_turn(at - 1, at) and walk.fits(group, at, at + 1):
        shown = reference.steps[group[0]].shown
        return _make(
            at,
            "out_of_order",
            shown,
            steps.show(at),
            f"was made in one turn with step {at}; expected a turn of its own",
        )
    end = at
    while (
        end < len(steps.calls)
        and walk.fits(group, at, end + 1)
        and not (end and end == at and _joined(steps, end))
    ):
        end += 1
    remaining = _remaining(reference, steps, group, range(at, end))
    if not remaining:
        return _extra(reference, steps, end)
    return _explain_step(reference, steps, remaining, end, _later(reference, walk.laid))


def _joined(steps: Steps, index: int) -> bool:
    return steps.same_turn(index - 1, index)


def _remaining(reference: ReferenceCalls, steps: Steps, group: tuple[int, ...], used: range) -> list[int]:
    """Golden calls of the group that the calls in `used` leave open, required ones first."""
    members = sorted(group, key=lambda index: reference.steps[index].optional)
    edges = [[i for i in used if reference.steps[index].admits(steps, i)] for index in members]
    partner = maximum_matching(edges)
    left = [index for index, call in zip(members, partner, strict=True) if call == UNMATCHED]
    required = [index for index in left if not reference.steps[index].optional]
    return required or left


def _later(reference: ReferenceCalls, laid: int) -> list[int]:
    return [index for group in reference.groups[laid + 1 :] for index in group]


def _explain_step(
    reference: ReferenceCalls, steps: Steps, wanted: list[int], at: int, later: list[int]
) -> Divergence:
    """Why call `at` is none of the golden calls wanted next."""
    first = reference.steps[wanted[0]]
    if at >= len(steps.calls):
        return _missing(first.shown, steps)
    actual = steps.show(at)
    for index in wanted:
        if reference.steps[index].names(steps.names[at]):
            shown = reference.steps[index].shown
            return _make(at, "wrong_args", shown, actual, faults_of(reference.steps[index], steps, at))
    comes_later = any(
        reference.steps[index].admits(steps, i) for index in wanted for i in range(at + 1, len(steps.calls))
    )
    if any(reference.steps[index].admits(steps, at) for index in later):
        if comes_later:
            return _make(at, "out_of_order", first.shown, actual, "the golden has this call later")
        return _make(
            at,
            "missing",
            first.shown,
            actual,
            f"{clip(first.name, 60)} is never called; the golden has it first",
        )
    if comes_later:
        return _make(at, "extra", first.shown, actual, "the golden has no such call here")
    return _make(at, "wrong_tool", first.shown, actual, "the golden has no such call here")


def _unpaired(
    reference: ReferenceCalls, steps: Steps, mode: MatchMode, partner: tuple[int, ...]
) -> Iterator[Divergence]:
    """Divergences of a mode without order: golden calls nobody made, and calls the golden does not have."""
    taken = {index for index in partner if index != UNMATCHED}
    spare = [index for index in range(len(steps.calls)) if index not in taken]
    open_calls = [index for index in reference.required if partner[index] == UNMATCHED]
    if mode == "subset":
        # Only what was called counts; a golden call left open is the likeliest one that was meant.
        open_calls = [index for index in reference.required_first if partner[index] == UNMATCHED]
    namesakes = _namesakes(reference, steps, open_calls, spare)
    for golden, call in namesakes:
        step = reference.steps[golden]
        yield _make(call, "wrong_args", step.shown, steps.show(call), faults_of(step, steps, call))
    open_calls = [index for index in open_calls if index not in {golden for golden, _ in namesakes}]
    spare = [index for index in spare if index not in {call for _, call in namesakes}]
    instead = (
        _instead(reference, steps, open_calls[0], spare, partner)
        if mode == "superset" and open_calls
        else spare
    )
    if open_calls and instead:
        first = reference.steps[open_calls[0]]
        yield _make(
            instead[0], "wrong_tool", first.shown, steps.show(instead[0]), "the golden has no such call"
        )
    elif open_calls and mode != "subset":
        yield _left_out(reference, steps, open_calls[0], partner)
    elif spare and mode != "superset":
        yield _extra(reference, steps, spare[0])
    elif open_calls and not steps.calls:
        yield _missing(reference.steps[open_calls[0]].shown, steps)


def _namesakes(
    reference: ReferenceCalls, steps: Steps, open_calls: list[int], spare: list[int]
) -> list[tuple[int, int]]:
    """(golden call, call of the same tool): the pairing whose arguments are closest, of the first forty each."""
    rows, columns = open_calls[:PAIRINGS_LIMIT], spare[:PAIRINGS_LIMIT]
    if not rows or not columns:
        return []
    weights: list[list[float]] = []
    for golden in rows:
        options = [option_for(reference.steps[golden], steps.names[call]) for call in columns]
        weights.append(
            [
                0.0 if option is None else PAIRINGS_LIMIT + 1 + accuracy(option, steps, call)
                for option, call in zip(options, columns, strict=True)
            ]
        )
    return [
        (rows[row], columns[column]) for row, column in heaviest_assignment(weights) if weights[row][column]
    ]


def _violated_after(reference: ReferenceCalls, steps: Steps) -> Divergence | None:
    """The first golden call made before one that its `after:` names."""
    ids = {step.id: index for index, step in enumerate(reference.steps) if step.id is not None}
    partner = pair(reference, steps)
    for index, step in enumerate(reference.steps):
        for name in step.after:
            earlier = ids.get(name)
            if earlier is None or UNMATCHED in (partner[index], partner[earlier]):
                continue
            if steps.turn_of[partner[earlier]] >= steps.turn_of[partner[index]]:
                at = partner[index]
                detail = f"it must come after {reference.steps[earlier].shown}, which is step {partner[earlier] + 1}"
                return _make(at, "out_of_order", step.shown, steps.show(at), detail)
    return None


def _instead(
    reference: ReferenceCalls, steps: Steps, golden: int, spare: list[int], partner: tuple[int, ...]
) -> list[int]:
    """Spare calls that may have been made in place of a golden one, where other spare calls are allowed.

    Between its neighbours in the golden, and changing something if it does: looking something up replaces no refund.
    """
    begin = 1 + max(partner[:golden], default=UNMATCHED)
    end = _next_golden(steps, golden, partner)
    changes = may_change(reference.steps[golden].name)
    return [
        index for index in spare if begin <= index < end and (not changes or may_change(steps.names[index]))
    ]


def _next_golden(steps: Steps, golden: int, partner: tuple[int, ...]) -> int:
    """The first call matched with a later golden call, or one past the end."""
    return min((index for index in partner[golden + 1 :] if index != UNMATCHED), default=len(steps.calls))


def _left_out(reference: ReferenceCalls, steps: Steps, golden: int, partner: tuple[int, ...]) -> Divergence:
    """A golden call nobody made, shown where it belonged: before the first call that the golden has later."""
    at = _next_golden(steps, golden, partner)
    step = reference.steps[golden]
    if at >= len(steps.calls):
        return _missing(step.shown, steps)
    name, count = clip(step.name, 60), len(step.candidates(steps))
    if count:
        detail = f"{name} is called like this only {count} time{'s' if count > 1 else ''}"
    else:
        detail = f"{name} is never called{' like this' if step.namesakes(steps) else ''}"
    return _make(at, "missing", step.shown, steps.show(at), detail)


def _missing(shown: str, steps: Steps) -> Divergence:
    count = len(steps.calls)
    ended = (
        "no tool was called" if not count else f"the run ended after {count} call{'s' if count > 1 else ''}"
    )
    explanation = f"step {count + 1}: expected {shown}, got {NOTHING}: {ended}"
    return Divergence(count + 1, "missing", shown, NOTHING, explanation[:REASON_LIMIT], ended[:REASON_LIMIT])


def _extra(reference: ReferenceCalls, steps: Steps, at: int) -> Divergence:
    count = len(reference.steps)
    detail = f"the golden has {count} call{'' if count == 1 else 's'}, and this is none of them"
    return _make(at, "extra", NOTHING, steps.show(at), detail)


def _make(at: int, kind: DivergenceKind, expected: str, actual: str, detail: str) -> Divergence:
    explanation = f"step {at + 1}: expected {expected}, got `{actual}`: {detail}"
    return Divergence(
        at + 1, kind, expected, f"`{actual}`", explanation[:REASON_LIMIT], detail[:REASON_LIMIT]
    )
