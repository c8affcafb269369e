"""An evaluation from plan to report: check out, set up, run what is missing, conclude. The frame of gate, run and aa."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gatebot.commands.first_plan import plan_of
from gatebot.commands.preparing import Prepared, launchers_of, prepared
from gatebot.commands.request import EvaluationRequest
from gatebot.commands.reuse import ReusedTrials, reused_trials
from gatebot.commands.ruler import Ruler
from gatebot.commands.trials import Means, RunRounds, running
from gatebot.commands.views import Evaluation, examine_sides
from gatebot.core.rounds import first_rounds, next_rounds
from gatebot.model.config import Gate
from gatebot.model.plan import Plan
from gatebot.model.suite import Suite
from gatebot.model.trial import Side, Trial
from gatebot.process.launch import Launchers
from gatebot.results.store import REPORT_FILE, ResultsDirectory, open_results, start_over
from gatebot.runner.progress import ProgressView
from gatebot.runner.schedule import interleaved
from gatebot.runner.shard import Shard
from gatebot.workspace.cache_directory import cache_directory

if TYPE_CHECKING:
    from gatebot.commands.graded_trials import GradedTrials
    from gatebot.commands.recordings import BaseRecordings
    from gatebot.core.evidence import Evidence
    from gatebot.model.report import Report

_HEAD_START_S = 0.02


@dataclass(frozen=True, slots=True)
class Ran:
    """What running has come to: the plan with all its rounds, what was run, and where the trials are.

    `graded`: the trials as the looks have graded them; None when no look was taken.
    """

    plan: Plan
    suite: Suite
    results: ResultsDirectory
    graded: GradedTrials | None = None


def evaluate(evaluation: Evaluation, request: EvaluationRequest, watch: ProgressView) -> Report:
    """Run what has not been run yet and write the results. A finished evaluation is concluded again, for nothing.

    Raises GatebotError of every kind; Cancelled after Ctrl-C, with finished trials kept.
    """
    ran = run_trials(evaluation, request, watch)
    from gatebot.commands.graded_trials import GradedTrials

    trials = ran.graded or GradedTrials(ran.suite, ran.results.trial_file())
    if ran.suite.config.judge is None:
        from gatebot.commands.concluding import conclude_graded

        return conclude_graded(ran.plan, ran.suite, trials, ran.results)
    from gatebot.commands.changed_files import changed_files
    from gatebot.commands.judging import JudgeMeans, conclude_judged

    trees = [view.tree for view in evaluation.sides.values()]
    judge = JudgeMeans(
        request.environment, request.tell, changes=lambda: changed_files(*trees) if len(trees) == 2 else ()
    )
    return conclude_judged(ran.plan, ran.suite, trials, ran.results, judge)


def run_trials(evaluation: Evaluation, request: EvaluationRequest, watch: ProgressView) -> Ran:
    """Run what has not been run yet, and write plan and trials. Raises as `evaluate` does."""
    with launchers_of(evaluation, request) as launchers:
        return _run_trials(evaluation, request, watch, launchers)


def _run_trials(
    evaluation: Evaluation, request: EvaluationRequest, watch: ProgressView, launchers: Launchers
) -> Ran:
    examined = examine_sides(evaluation)
    plan = plan_of(evaluation, request, examined)
    results, found = open_results(
        request.out, plan, overwrite=True, unfinished=request.replace_unfinished, tell=request.tell
    )
    suite = evaluation.ruler.suite
    if found is not None and found.finished and nothing_shown(found, results.trials()):
        start_over(results)
        found = None
    again = found is not None and found.finished
    if found is not None:
        plan = replace(found, finished=False, stopped="")
    if again and not _goes_on(results):
        return Ran(replace(plan, finished=True), results.read_suite(), results)
    results.write_suite(suite)
    looks = _Looks(suite, results)
    if not plan.same_agent:
        cache = cache_directory(request.cache)
        if cache.note:
            request.tell(cache.note)
        kept = reused_trials(evaluation, examined, request, cache)
        recordings = _recordings(evaluation, kept, request)
        if recordings is not None and found is None:
            plan = recordings.with_history(recordings.planned(plan))
        places = _Places(results, watch, looks, kept, recordings, beyond_no_sign=again, shard=request.shard)
        with (
            prepared(evaluation, examined, plan, request, launchers, cache) as sides,
            _loading_what_follows(suite.config.gate, compared=len(evaluation.sides) == 2),
        ):
            plan = _run(sides, evaluation.ruler, request, places)
    plan = replace(plan, finished=not plan.stopped)
    results.write_plan(plan)
    return Ran(plan, suite, results, looks.graded)


def _recordings(
    evaluation: Evaluation, kept: ReusedTrials | None, request: EvaluationRequest
) -> BaseRecordings | None:
    if kept is None:
        return None
    from gatebot.commands.recordings import BaseRecordings

    return BaseRecordings(evaluation, kept, request.today)


@contextmanager
def _loading_what_follows(gate: Gate, *, compared: bool) -> Generator[None]:
    """Load what grades and decides while the agents are waited for: nobody waits for it afterwards.

    Neither while the sandbox is tried nor while the first trials are started: whoever waits for many short answers is
    held up by whoever computes.
    """
    over = threading.Event()

    def load() -> None:
        over.wait(_HEAD_START_S)
        from gatebot.commands.concluding import load_ahead

        load_ahead(gate, compared=compared)

    thread = threading.Thread(target=load, name="loading")
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


class _Looks:
    """The evidence at each look; trials are graded once, at the first look that comes after them."""

    def __init__(self, suite: Suite, results: ResultsDirectory) -> None:
        self._suite = suite
        self._results = results
        self.graded: GradedTrials | None = None

    def evidence(self, plan: Plan) -> Evidence:
        """What there is to look at after the rounds of the plan."""
        from gatebot.commands.concluding import gather_evidence
        from gatebot.commands.graded_trials import GradedTrials

        self.graded = self.graded or GradedTrials(self._suite, self._results.trial_file())
        return gather_evidence(plan, self._suite, self.graded)


@dataclass(frozen=True, slots=True)
class _Places:
    results: ResultsDirectory
    watch: ProgressView
    looks: _Looks
    kept: ReusedTrials | None = None
    recordings: BaseRecordings | None = None
    beyond_no_sign: bool = False
    shard: Shard | None = None


def _goes_on(results: ResultsDirectory) -> bool:
    """Whether running a finished evaluation again adds evidence: it was inconclusive, or lost to infrastructure."""
    if not results.has(REPORT_FILE):
        return False
    report = results.read_report()
    lost = report.conclusion == "not_evaluated" and report.trials.infra_error > 0
    return lost or report.conclusion == "inconclusive"


def nothing_shown(plan: Plan, trials: Iterable[Trial]) -> bool:
    """Whether a finished evaluation has shown nothing of a side: the base did not install, or no trial completed.

    A missing key, a broken machine: the cause may be gone. Such an evaluation is not concluded again, but run anew.
    """
    if plan.base is not None and plan.base.setup == "failed":
        return True
    seen: dict[Side, bool] = {}
    for trial in trials:
        seen[trial.side] = seen.get(trial.side, False) or trial.status == "completed"
        if len(seen) == 2 and all(seen.values()):
            return False
    return not all(seen.values())


def _run(sides: Prepared, ruler: Ruler, request: EvaluationRequest, places: _Places) -> Plan:
    """Run the planned trials, unless a side could not be set up; returns the plan with what came of it."""
    if any(info is not None and info.setup == "failed" for info in (sides.plan.base, sides.plan.head)):
        return replace(sides.plan, rounds=(), base_recorded=0)
    if places.recordings is not None and sides.plan.base_recorded:
        places.results.write_plan(sides.plan)
        places.recordings.take(sides.plan, places.results)
    means = Means(request, places.results, sides.launchers, places.watch, places.kept, ruler.graders)
    with running(_within_share(ruler.suite, places.shard), sides.ready, means) as run:
        return _rounds(sides.plan, ruler, places, run)


def _rounds(plan: Plan, ruler: Ruler, places: _Places, run: RunRounds) -> Plan:
    """Run round after round until a look says stop; plan.json is written before the trials it names are run."""
    gate = ruler.suite.config.gate
    cases = [case.id for case in ruler.suite.cases]
    more = () if plan.regular_rounds() else first_rounds(plan, cases, ruler.new)
    beyond = places.beyond_no_sign
    while True:
        ordered = tuple(interleaved(round_, plan.digests.run) for round_ in more)
        ordered = places.shard.of(ordered) if places.shard is not None else ordered
        plan = replace(plan, rounds=(*plan.rounds, *ordered))
        places.results.write_plan(plan)
        stopped = run(plan.to_run())
        if stopped:
            return replace(plan, stopped=stopped)
        if not (plan.sequential or plan.base_recorded):
            _leave(plan, places, "")
            return plan  # one look, and concluding takes it: grading every trial here would be for nothing
        evidence = places.looks.evidence(plan)
        more = next_rounds(plan, evidence, gate, ruler.new, beyond_no_sign=beyond)
        if not more and _ended_here_before(plan, evidence, gate):
            more = next_rounds(plan, evidence, gate, ruler.new, beyond_no_sign=True)
        beyond = False
        if not more:
            _leave(plan, places, evidence.void)
            return plan


def _ended_here_before(plan: Plan, evidence: Evidence, gate: Gate) -> bool:
    """Whether this evaluation was run to this look before, into another directory, and came out inconclusive.

    All its trials then come from the store. Running it again adds evidence, as it does in the same directory.
    """
    counts = evidence.status_counts()
    if not 0 < counts["cached"] == counts["planned"] - counts["missing"]:
        return False
    from gatebot.core.course import course_of
    from gatebot.core.decide import decide

    return decide(evidence, gate, course_of(plan, gate)).conclusion == "inconclusive"


def _leave(plan: Plan, places: _Places, void: str) -> None:
    if places.recordings is not None:
        places.recordings.leave(plan, void)


def _within_share(suite: Suite, shard: Shard | None) -> Suite:
    if shard is None:
        return suite
    return replace(suite, config=suite.config.model_copy(update={"budget": shard.share(suite.config.budget)}))
