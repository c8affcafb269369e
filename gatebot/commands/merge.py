"""`gatebot merge`: the shards of one evaluation checked, joined and concluded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gatebot.commands.graded_trials import GradedTrials
from gatebot.commands.judging import JudgeMeans, conclude_judged
from gatebot.core.rounds import first_rounds
from gatebot.errors import ResultsError, UsageError
from gatebot.model.plan import Plan, Round, SideInfo
from gatebot.model.report import Report
from gatebot.model.suite import Suite
from gatebot.model.trial import Side, Trial, TrialKey
from gatebot.results.store import ResultsDirectory, differences_between, existing_results, open_results
from gatebot.runner.schedule import interleaved
from gatebot.runner.shard import Shard
from gatebot.suite.snapshot import digests

_AGAIN = "run that shard again, and merge all shards of one evaluation"


@dataclass(frozen=True, slots=True)
class _Part:
    """One shard as it was found."""

    shard: Shard
    plan: Plan
    results: ResultsDirectory

    @property
    def name(self) -> str:
        return f"shard {self.shard} in {self.results.path.name}"


def merge(
    directories: Sequence[Path],
    out: Path,
    environment: Mapping[str, str],
    tell: Callable[[str], None] = lambda _: None,
) -> Report:
    """Join the shards in `directories` into `out` and conclude, as if one machine had run them all.

    A shard whose setup failed, or that stopped at its budget, is joined for what it is. Raises ResultsError that
    names the shard which is missing, there twice, unfinished, of another evaluation, or holds trials that are not its.
    """
    parts = _complete([_part(path) for path in directories])
    suite = _suite(parts)
    whole = _whole_plan(parts, suite)
    for part in parts:
        _check(part, whole.rounds)
    plan = _joined(parts, whole)
    results, _ = open_results(out, plan, overwrite=True, tell=tell)
    results.write_suite(suite)
    results.write_plan(replace(plan, finished=False))
    with results.journal() as journal:
        for part in parts:
            for trial in part.results.trials():
                journal.append(trial)
    results.write_plan(plan)
    trials = GradedTrials(suite, results.trial_file())
    return conclude_judged(plan, suite, trials, results, JudgeMeans(environment, tell))


def _part(path: Path) -> _Part:
    results = existing_results(path)
    plan = results.read_plan()
    if not plan.shard:
        message = f"{path.name} holds a whole evaluation, not a shard"
        raise ResultsError(message, "give the directories that `--shard` runs wrote with --out")
    try:
        return _Part(Shard.parse(plan.shard), plan, results)
    except UsageError as error:
        raise ResultsError(f"{path.name} holds a shard of no number", _AGAIN) from error


def _complete(parts: Sequence[_Part]) -> list[_Part]:
    """The parts in order, when they are all parts of one evaluation, each there once."""
    if not parts:
        raise UsageError("nothing to merge", "give the directories of the shards")
    first = parts[0]
    found: dict[int, _Part] = {}
    for part in parts:
        differences = differences_between(
            replace(first.plan, shard=""), replace(part.plan, shard="")
        ) or _unlike(first.plan, part.plan)
        if part.shard.count != first.shard.count:
            differences = (f"one of {part.shard.count} parts, not of {first.shard.count}",)
        if differences:
            message = f"{part.name} is foreign to {first.name}: {', '.join(differences)}"
            raise ResultsError(message, _AGAIN)
        twin = found.setdefault(part.shard.index, part)
        if twin is not part:
            message = f"shard {part.shard} is there twice: in {twin.results.path} and {part.results.path}"
            raise ResultsError(message, "give each shard once")
    missing = [str(Shard(n, first.shard.count)) for n in range(1, first.shard.count + 1) if n not in found]
    if missing:
        message = f"shard{'s' if len(missing) > 1 else ''} {', '.join(missing)} missing"
        raise ResultsError(message, "give all shards; one whose job failed can be run again alone")
    return [found[index] for index in sorted(found)]


def _unlike(one: Plan, other: Plan) -> tuple[str, ...]:
    compared = {
        "cases on one side": (one.case_notices, other.case_notices),
        "slots": (
            (one.base_first_slot, one.head_first_slot, one.sequential),
            (other.base_first_slot, other.head_first_slot, other.sequential),
        ),
        "remainder of the suite": (one.emptied, other.emptied),
        "agents": (one.same_agent, other.same_agent),
    }
    return tuple(f"another {name}" for name, (a, b) in compared.items() if a != b)


def _suite(parts: Sequence[_Part]) -> Suite:
    """The suite all shards were run with."""
    suites = [(part, part.results.read_suite()) for part in parts]
    for part, suite in suites:
        if digests(suite) != part.plan.digests:
            message = f"{part.name} is foreign: its suite is not the one its plan names"
            raise ResultsError(message, _AGAIN)
    return suites[0][1]


def _whole_plan(parts: Sequence[_Part], suite: Suite) -> Plan:
    """The plan of the whole evaluation, worked out anew from what all parts agree on."""
    plan = replace(parts[0].plan, shard="", rounds=())
    if plan.sequential:
        message = f"{parts[0].name} looks in between, which no shard can"
        raise ResultsError(message, _AGAIN)
    if plan.same_agent:
        return plan
    new = frozenset(notice.case for notice in plan.case_notices if notice.kind == "new")
    rounds = first_rounds(plan, (case.id for case in suite.cases), new)
    return replace(plan, rounds=tuple(interleaved(round_, plan.digests.run) for round_ in rounds))


def _check(part: _Part, rounds: Sequence[Round]) -> None:
    """Whether a part holds its own trials, all of them and no others."""
    mine = part.shard.of(rounds)
    failed = bool(_failed(part.plan))
    if part.plan.rounds != (() if failed else mine):
        message = f"{part.name} was planned for other trials than that shard has"
        raise ResultsError(message, _AGAIN)
    planned: set[TrialKey] = set() if failed else {key for round_ in mine for key in round_.trials}
    found: set[TrialKey] = set()
    for trial in part.results.trials():
        if trial.key not in planned:
            message = f"{part.name} holds a foreign trial: {_shown(trial)}"
            raise ResultsError(message, _AGAIN)
        found.add(trial.key)
    if len(found) < len(planned) and not part.plan.stopped:
        message = f"{part.name} is unfinished: {len(found)} of {len(planned)} trials"
        raise ResultsError(message, "run the same command again for that shard: it goes on where it was")


def _joined(parts: Sequence[_Part], whole: Plan) -> Plan:
    """The whole plan with what came of every part."""
    stopped = "; ".join(f"shard {part.shard}: {part.plan.stopped}" for part in parts if part.plan.stopped)
    notes = tuple(dict.fromkeys(note for part in parts for note in part.plan.notes))
    isolation = "; ".join(dict.fromkeys(part.plan.isolation for part in parts if part.plan.isolation))
    plan = replace(whole, notes=notes, isolation=isolation, stopped=stopped, finished=not stopped)
    failures = [(part, _failed(part.plan)) for part in parts]
    agreed = {sides for _, sides in failures}
    if len(agreed) > 1:  # the same setup of the same tree: what differs is the machines
        failing = [f"shard {part.shard}" for part, sides in failures if sides]
        why = f"the setup failed on {', '.join(failing)} and not on the others"
        ok = {side: _without_failure(info) for side, info in (("base", plan.base), ("head", plan.head))}
        return replace(plan, base=ok["base"], head=ok["head"], stopped=stopped or why, finished=False)
    return replace(plan, rounds=()) if failures[0][1] else plan


def _failed(plan: Plan) -> tuple[Side, ...]:
    sides: tuple[tuple[Side, SideInfo | None], ...] = (("base", plan.base), ("head", plan.head))
    return tuple(side for side, info in sides if info is not None and info.setup == "failed")


def _without_failure(info: SideInfo | None) -> SideInfo | None:
    return None if info is None else replace(info, setup="ok", setup_reason="")


def _shown(trial: Trial) -> str:
    return f"case {trial.case}, {trial.side}, slot {trial.slot}"
