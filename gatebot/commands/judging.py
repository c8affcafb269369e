"""Judging the trials of a results directory: what is not judged yet, resumable, without any agent."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gatebot.commands.changed_files import FileDiff, relevant
from gatebot.commands.concluding import conclude_graded
from gatebot.commands.graded_trials import GradedTrials, TrialReader
from gatebot.commands.judged import JudgeRecord, read_record
from gatebot.errors import ResultsError, UsageError
from gatebot.judge.explain import Worsening, explain, subject_of_worsening
from gatebot.judge.opening import Surroundings, cannot_run, open_session
from gatebot.judge.waiting import Clock
from gatebot.model.judge import JudgeConfig
from gatebot.model.judgement import JudgeLine, Judgement, JudgeSession
from gatebot.model.plan import Plan
from gatebot.model.report import CaseResult, Report
from gatebot.model.suite import Case, Suite
from gatebot.model.trial import Trial, TrialKey
from gatebot.render.phrases import worse_cases
from gatebot.results.judgements import JUDGE_FILE, append_judge_lines
from gatebot.results.store import ResultsDirectory, existing_results

if TYPE_CHECKING:
    from gatebot.judge.session import JudgingSession

MAX_EXPLAINED = 5
_AT_ONCE = 32
"""Trials held in memory while they are judged."""


@dataclass(frozen=True, slots=True)
class JudgeMeans:
    """What judging needs beside plan and suite. `environment`: where the key is taken from. `say` is told the estimate.

    `changes` gives what the pull request changes, where that is known; it is asked for only when a case is explained.
    """

    environment: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    say: Callable[[str], None] = lambda _: None
    clock: Clock = field(default_factory=Clock)
    changes: Callable[[], Collection[FileDiff]] = tuple


def conclude_judged(
    plan: Plan, suite: Suite, trials: GradedTrials, results: ResultsDirectory, means: JudgeMeans
) -> Report:
    """Judge what is not judged yet, conclude, and explain the cases shown. Without a judge: conclude.

    Raises what concluding raises; nothing for a judge that cannot be asked, or answers nonsense.
    """
    config = suite.config.judge
    if config is None or plan.same_agent or not plan.keys():
        return conclude_graded(plan, suite, trials, results)
    read = results.trials
    session = _session(suite, results, config, means)
    try:
        trusted = session is not None and _judge(
            _Missing(plan, suite, read, session[1]), session[0], results, means
        )
        report = conclude_graded(plan, suite, trials, results)
        if session is None or not trusted or not config.explain:
            return report
        wanted = _worsenings(report, suite, read, read_record(results.path, config))
        found = [explain(worse, session[0].asker) for worse in _with_changes(wanted, means.changes)]
    finally:
        if session is not None:
            session[0].asker.api.close()
    lines = [JudgeLine(explanation=one) for one in found if one is not None]
    append_judge_lines(results.path / JUDGE_FILE, lines)
    return conclude_graded(plan, suite, trials, results) if lines else report


def _session(
    suite: Suite, results: ResultsDirectory, config: JudgeConfig, means: JudgeMeans
) -> tuple[JudgingSession, JudgeRecord] | None:
    """A session, and what is judged already; None, with the reason written down, where there can be none."""
    record = read_record(results.path, config)
    key = means.environment.get(config.key_env)
    why = cannot_run(config, key)
    if why or key is None:
        if not record.judgements:
            _note(results, record, JudgeSession("did_not_run", why))
        return None
    names = suite.config.agent.env
    around = Surroundings(
        key,
        tuple(means.environment[name] for name in names if name in means.environment),
        results.path.parent / config.cache if config.cache else None,
        means.clock,
        record.session.pending_batches,
    )
    return open_session(config, around), record


def _judge(todo: _Missing, session: JudgingSession, results: ResultsDirectory, means: JudgeMeans) -> bool:
    """Judge what is missing and write it down. Whether the judge is to be trusted, and goes on answering."""
    record = todo.record
    if next(iter(todo), None) is None and record.session.status == "healthy":
        return True
    _tell(session.estimate((case, trial) for case, trial, _ in todo), record.config, means.say)
    complaint = session.open()
    if not complaint:
        session.fetch((case, trial) for case, trial, _ in todo)
        _write_judgements(session, todo, results)
    _note(results, record, session.record(complaint))
    return not complaint and not session.asker.stopped


@dataclass(frozen=True, slots=True)
class _Missing:
    """The trials that want judging, each with the metrics that are missing; read anew each time."""

    plan: Plan
    suite: Suite
    read: TrialReader
    record: JudgeRecord

    def __iter__(self) -> Iterator[tuple[Case, Trial, frozenset[str]]]:
        cases = {case.id: case for case in self.suite.cases}
        planned = frozenset(self.plan.keys())
        for trial in self.read():
            case = cases.get(trial.case)
            if case is None or trial.key not in planned or trial.status != "completed":
                continue
            stands = self.record.stands(case, trial)
            have = {metric for metric, found in stands.items() if found.value is not None}
            missing = frozenset(self.record.config.metrics) - have
            if missing:
                yield case, trial, missing


def _write_judgements(session: JudgingSession, todo: _Missing, results: ResultsDirectory) -> None:
    """Judge in threads and write in the order of the trials; a stop keeps what is judged."""
    with ThreadPoolExecutor(todo.record.config.concurrency) as pool:
        for chunk in _chunks(iter(todo)):
            for found in session.judge_many(chunk, pool):
                append_judge_lines(
                    results.path / JUDGE_FILE, _kept(found, stopped=bool(session.asker.stopped))
                )
            if session.asker.stopped:
                return


def _kept(found: Mapping[str, Judgement], *, stopped: bool) -> Iterator[JudgeLine]:
    """Once the session is stopped, what has no value was not asked: it is no judge error."""
    for judgement in found.values():
        if judgement.value is not None or not stopped:
            yield JudgeLine(judgement=judgement)


def _chunks(
    tasks: Iterator[tuple[Case, Trial, frozenset[str]]],
) -> Iterator[list[tuple[Case, Trial, frozenset[str]]]]:
    chunk: list[tuple[Case, Trial, frozenset[str]]] = []
    for task in tasks:
        chunk.append(task)
        if len(chunk) == _AT_ONCE:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _tell(estimate: float | None, config: JudgeConfig, say: Callable[[str], None]) -> None:
    bound = "" if config.usd is None else f" (at most ${config.usd:g})"
    cost = "at a price nobody told us" if estimate is None else f"for about ${estimate:.2f}"
    say(f"judging with {', '.join(config.models)} {cost}{bound}")


def _note(results: ResultsDirectory, record: JudgeRecord, session: JudgeSession) -> None:
    if session != record.session:
        append_judge_lines(results.path / JUDGE_FILE, [JudgeLine(session=session)])


def _worsenings(report: Report, suite: Suite, read: TrialReader, record: JudgeRecord) -> Iterator[Worsening]:
    """The cases shown that have no explanation yet."""
    cases = {case.id: case for case in suite.cases}
    shown = [case for case in worse_cases(report) if case.shown_slot is not None and case.id in cases]
    shown = shown[:MAX_EXPLAINED]
    trials = _trials(shown, read)
    for case in shown:
        head = trials.get(TrialKey(case.id, "head", case.shown_slot or 0))
        if head is None:
            continue
        base = trials.get(TrialKey(case.id, "base", case.shown_base_slot or 0))
        worse = Worsening(
            case=cases[case.id],
            base=base,
            head=head,
            divergence=case.first_divergence.explanation if case.first_divergence is not None else "",
            suspicion=f"{case.failure.category}: {case.failure.reason}" if case.failure is not None else "",
        )
        known = record.explanations.get(case.id)
        if known is None or known.subject != subject_of_worsening(worse, record.config.model):
            yield worse


def _with_changes(
    worsenings: Iterator[Worsening], changes: Callable[[], Collection[FileDiff]]
) -> Iterator[Worsening]:
    """Each with the part of the change that names one of the tools in play, first."""
    known: Collection[FileDiff] | None = None
    for worse in worsenings:
        known = changes() if known is None else known
        tools = {
            call.name for trial in (worse.base, worse.head) if trial for call in trial.trajectory.calls()
        }
        tools.update(call.name for reference in worse.case.references for call in reference.calls or ())
        yield replace(worse, change=relevant(known, tools))


def _trials(shown: list[CaseResult], read: TrialReader) -> dict[TrialKey, Trial]:
    wanted = {TrialKey(case.id, "head", case.shown_slot or 0) for case in shown}
    wanted |= {TrialKey(case.id, "base", case.shown_base_slot or 0) for case in shown}
    return {trial.key: trial for trial in read() if trial.key in wanted} if wanted else {}


def judge_results(directory: Path, means: JudgeMeans) -> Report:
    """`gatebot judge run`: judge a finished run's results without its agents, and conclude anew.

    Raises InputFileError for what is no run, ResultsError for a comparison, UsageError when the suite has no judge.
    """
    results = existing_results(directory)
    plan, suite = results.read_plan(), results.read_suite()
    if plan.activity == "compare":
        raise ResultsError("a comparison keeps no trials of its own", "judge the recordings' own results")
    if suite.config.judge is None:
        raise UsageError(
            "the suite of these results configures no judge", "add `judge:` to gatebot.yaml and run again"
        )
    trials = GradedTrials(suite, results.trial_file())
    return conclude_judged(plan, suite, trials, results, means)
