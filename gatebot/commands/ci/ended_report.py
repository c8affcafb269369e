"""REPORT: a run beside no token has ended. Who it was of comes from GitHub; what it claims is graded anew, and told here."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from itertools import chain
from pathlib import Path

from gatebot.commands.ci.claims import Claims, NoClaims, claims_of
from gatebot.commands.ci.context import NOTHING_TO_DO, CiContext, CiOutcome
from gatebot.commands.ci.ended_run import Ended, Unclear, ended_run, stands_already
from gatebot.commands.ci.fork_base import NOTHING_RECORDED, fork_base
from gatebot.commands.ci.job import ShortVerdict, job_of, nothing_relevant, two_bases
from gatebot.commands.ci.live_claims import live_plan, started_by
from gatebot.commands.ci.reported import (
    ReportJob,
    Sides,
    decided,
    kept_trials,
    sides_of,
    tell_plainly,
    tell_report,
)
from gatebot.commands.ci.telling import Target, Telling, telling
from gatebot.commands.gate import head_alone
from gatebot.commands.remote_files import config_at
from gatebot.core.fork_verdict import told_of_fork
from gatebot.core.rounds import first_rounds
from gatebot.core.stats.spacing import look_rounds
from gatebot.errors import ConfigError, InputFileError, RepositoryError, ResultsError, UsageError
from gatebot.github_api.pull_requests import branch_tip
from gatebot.github_api.workflow_commands import annotation_line, write_summary
from gatebot.model.event import WorkflowRunEvent
from gatebot.model.plan import Plan
from gatebot.model.publication import Annotation
from gatebot.model.report import Report
from gatebot.model.trial import TrialKey
from gatebot.process.withheld import called_secret
from gatebot.render.markdown import prose, stack
from gatebot.results.store import ResultsDirectory

_NOT_USABLE = (ConfigError, InputFileError, RepositoryError, ResultsError, UsageError)
_REASON_LIMIT = 300


def report_ended(ci: CiContext, event: WorkflowRunEvent) -> CiOutcome:
    """Tell the pull request of an ended run what came of it; say here why when it is of none. Raises GatebotError."""
    ended = ended_run(ci, event)
    if isinstance(ended, Unclear):
        return _quiet(ci, ended.why)
    tip = branch_tip(ci.client, ended.live.base_ref)
    policy = config_at(ci.client, tip, ci.config)
    if policy is None:
        return _quiet(ci, "the base branch has no configuration: nothing is told")
    job = ReportJob(ended, job_of(ci, ended.live, tip, policy, policy))
    twice = two_bases(ci, job.job)
    stands = stands_already(ci, ended, job.job) if twice is None else ""
    if stands:
        return _quiet(ci, stands)
    try:
        starter = started_by(ci, job) if ended.asked is not None else ""
    except UsageError as error:  # whoever may not start one changes nothing, not even a check that is red
        return _quiet(ci, error.message)
    order = (ended.run.id, ended.run.attempt)
    with telling(ci, Target(policy.suite, ended.live.head_sha, ended.live.number, order=order)) as one:
        try:
            if twice is not None:
                return tell_plainly(ci, job, one, twice)
            return _live(ci, job, one, starter) if starter else _recording(ci, job, one)
        except _NOT_USABLE as error:
            hint = f" ({error.hint})" if error.hint else ""
            told = ShortVerdict("not_evaluated", "not evaluated", f"{error}{hint}", how_to_go_on(ended))
            return tell_plainly(ci, job, one, told)


def how_to_go_on(ended: Ended) -> str:
    """How a maintainer has a head judged that cannot be judged from here."""
    live = ended.live
    return (
        "A maintainer who has read the change starts the workflow `gatebot live` for the pull request "
        f"`{live.number}` and the head `{live.head_sha}`."
    )


def _quiet(ci: CiContext, why: str) -> CiOutcome:
    ci.say(annotation_line(Annotation("", f"Nothing is told: {why}.", "gatebot", level="notice")))
    write_summary(ci.environment.summary_file, stack(prose(f"Nothing is told: {why}.")))
    return NOTHING_TO_DO


def _recording(ci: CiContext, job: ReportJob, one: Telling) -> CiOutcome:
    """What a fork's run recorded of its head alone, held against the stored base."""
    with sides_of(ci, job) as sides, tempfile.TemporaryDirectory(prefix="gatebot-claims-") as folder:
        irrelevant = nothing_relevant(sides.read_by(ci), job.job)
        if irrelevant is not None:
            return tell_plainly(ci, job, one, irrelevant)
        whole = sides.plan(sides.evaluation)
        if whole.same_agent:
            plan = replace(whole, finished=True)
            return tell_report(ci, job, one, *_decided(sides, plan, kept_trials(ci, plan, ())))
        claims = claims_of(ci, job.ended.run, job.policy.suite, Path(folder))
        if isinstance(claims, NoClaims):
            return _nothing_left(ci, job, one, claims)
        plan = head_plan(sides, whole, claims, from_fork=job.ended.live.from_fork)
        head = frozenset(plan.keys())
        base = fork_base(ci, sides, plan) if head else NOTHING_RECORDED
        plan = base.planned(plan)
        results = kept_trials(ci, plan, chain(base.recordings(), claims.trials(head)))
        plan = with_claims(plan, claims, head, base.told)
        results, report = _decided(sides, plan, results)
        told = told_of_fork(report, job.policy.forks, how_to_go_on(job.ended))
        return tell_report(ci, job, one, results, told)


def head_plan(sides: Sides, whole: Plan, claims: Claims, *, from_fork: bool) -> Plan:
    """The plan of both sides in which only the head's trials are run, as many as a fork's run has of it.

    A head of this repository was run beside its base (Dependabot's, whose token only reads): as many rounds as its looks
    asked for. What a run says of its setup can only make the verdict red.
    """
    alone = sides.plan(head_alone(sides.evaluation))
    ruler = sides.evaluation.ruler
    head = whole.head
    try:
        said = claims.plan()
    except InputFileError:
        said = None
    if said is not None and not from_fork and said.regular_rounds() in look_rounds(whole.seeds):
        alone = replace(alone, seeds=said.regular_rounds())
    rounds = first_rounds(alone, (case.id for case in sides.suite.cases), ruler.new)
    if head is not None and said is not None and said.head is not None and said.head.setup == "failed":
        reason = f"its run says: {said.head.setup_reason[:_REASON_LIMIT]}"
        head, rounds = replace(head, setup="failed", setup_reason=reason), ()
    return replace(whole, head=head, seeds=alone.seeds, sequential=False, rounds=rounds)


def with_claims(plan: Plan, claims: Claims, head: frozenset[TrialKey], told: str) -> Plan:
    """The plan with what became of the claimed trials: one that is missing is never passed over."""
    notes: list[str] = [told] if told else []
    if claims.foreign:
        notes.append(f"{claims.foreign} trials that were not to be run were uploaded; none of them counts.")
    lost = len(head - claims.taken)
    stopped = plan.stopped
    if lost:
        missing = f"{lost} of {len(head)} planned trials of the head are not among what its run uploaded"
        stopped = f"{missing}; {stopped}" if stopped else missing
    return replace(plan, notes=(*plan.notes, *notes), stopped=stopped, finished=not stopped)


def _live(ci: CiContext, job: ReportJob, one: Telling, starter: str) -> CiOutcome:
    """What a maintainer's live run found on both sides."""
    with sides_of(ci, job) as sides, tempfile.TemporaryDirectory(prefix="gatebot-claims-") as folder:
        claims = claims_of(ci, job.ended.run, job.policy.suite, Path(folder))
        if isinstance(claims, NoClaims):
            return _nothing_left(ci, job, one, claims)
        plan = live_plan(sides, claims.plan())
        planned = frozenset(plan.keys())
        results = kept_trials(ci, plan, claims.trials(planned))
        lost = len(planned - claims.taken)
        if lost and not plan.stopped:
            plan = replace(
                plan, stopped=f"{lost} of {len(planned)} planned trials are missing", finished=False
            )
        plan = replace(plan, notes=(starter, *plan.notes))
        return tell_report(ci, job, one, *_decided(sides, plan, results))


def _decided(sides: Sides, plan: Plan, results: ResultsDirectory) -> tuple[ResultsDirectory, Report]:
    return results, decided(sides, plan, results)


def _nothing_left(ci: CiContext, job: ReportJob, one: Telling, claims: NoClaims) -> CiOutcome:
    secrets = [f"`{name}`" for name in job.policy.agent.env if called_secret(name)]
    lacking = f"The agent needs {', '.join(secrets)}, which may be why." if secrets else ""
    why = f"Not evaluated: {claims.why}{f' ({claims.todo})' if claims.todo else ''}."
    told = ShortVerdict(
        "not_evaluated",
        "not evaluated: there are no trials to judge",
        f"{why} {lacking}".strip(),
        how_to_go_on(job.ended),
    )
    return tell_plainly(ci, job, one, told)
