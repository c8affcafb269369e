"""What every report of an ended run does: read both sides as files, judge, and tell it on the head."""

from __future__ import annotations

import tempfile
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from gatebot.commands.ci.context import CiContext, CiOutcome
from gatebot.commands.ci.ended_run import Ended
from gatebot.commands.ci.job import Job, ShortVerdict, bare_binding
from gatebot.commands.ci.telling import Telling
from gatebot.commands.concluding import conclude
from gatebot.commands.first_plan import plan_of
from gatebot.commands.gate import comparison
from gatebot.commands.publish import Told, diffs_of, file_digest, publication, worth_a_comment
from gatebot.commands.request import EvaluationRequest
from gatebot.commands.views import Evaluation, examine_sides
from gatebot.github_api.artifacts import artifact_name
from gatebot.model.config import Config
from gatebot.model.plan import Plan
from gatebot.model.publication import CheckOutput, Publication
from gatebot.model.report import Report
from gatebot.model.suite import Suite
from gatebot.model.trial import Side, Trial
from gatebot.render.check import Binding, hidden_text
from gatebot.render.comment import CommentContext
from gatebot.render.markdown import prose, stack
from gatebot.render.notice import plain_comment
from gatebot.render.state import CommentState
from gatebot.results.candidate import CANDIDATE_FILE, CANDIDATE_FOLDER
from gatebot.results.store import REPORT_FILE, ResultsDirectory, open_results, start_over
from gatebot.workspace.checkout import Examined
from gatebot.workspace.fetch import empty_repository, make_available


@dataclass(frozen=True, slots=True)
class ReportJob:
    """What is reported: the ended run with its pull request, and the head to judge."""

    ended: Ended
    job: Job

    @property
    def policy(self) -> Config:
        """The base's configuration."""
        return self.job.policy


@dataclass(frozen=True, slots=True)
class Sides:
    """Base and head as files of their commits, the digests of what their agents see, and how they are read."""

    evaluation: Evaluation
    examined: dict[Side, Examined]
    request: EvaluationRequest

    @property
    def suite(self) -> Suite:
        """The suite that both are measured by."""
        return self.evaluation.ruler.suite

    def read_by(self, ci: CiContext) -> CiContext:
        """The same context in the repository that holds these commits."""
        return replace(ci, environment=replace(ci.environment, workspace=self.request.repo))

    def plan(self, evaluation: Evaluation) -> Plan:
        """The plan of an evaluation of these sides before its first round; it says nothing of variables."""
        named = dict.fromkeys(self.suite.config.agent.env, "")
        plan = plan_of(evaluation, replace(self.request, environment=named), self.examined)
        return replace(plan, env_names=())


@contextmanager
def sides_of(ci: CiContext, job: ReportJob) -> Generator[Sides]:
    """Both sides, fetched into a repository of our own: nothing is checked out, nothing of them is run.

    Raises GatebotError of every kind, ConfigError for a head whose configuration cannot be used above all.
    """
    sha, at = job.ended.live.head_sha, job.job
    with tempfile.TemporaryDirectory(prefix="gatebot-report-") as folder:
        place = Path(folder)
        empty_repository(place)
        make_available(place, (at.tip, at.fork, sha), ci.remote)
        request = EvaluationRequest(place, ci.config, ci.out_path, ci.today)
        evaluation = comparison(request, base=at.tip, head=sha, fork_point=at.fork)
        yield Sides(evaluation, examine_sides(evaluation), request)


def kept_trials(ci: CiContext, plan: Plan, trials: Iterable[Trial]) -> ResultsDirectory:
    """The trials in this run's own results directory. Raises GatebotError."""
    results, found = open_results(ci.out_path, plan, unfinished=True)
    if found is not None:
        start_over(results)  # another report's of the same head, on a machine that is not cleaned
    results.write_plan(plan)  # a journal without a plan would be nobody's
    with results.journal() as journal:
        for trial in trials:
            journal.append(trial)
    return results


def decided(sides: Sides, plan: Plan, results: ResultsDirectory) -> Report:
    """Grade the kept trials anew by the base's suite, and decide. Raises GatebotError."""
    results.write_suite(sides.suite)
    results.write_plan(plan)
    return conclude(plan, sides.suite, results.trials, results)


def tell_report(
    ci: CiContext, job: ReportJob, one: Telling, results: ResultsDirectory, report: Report
) -> CiOutcome:
    """Publish a report on the head of its pull request, and hand on what may be accepted."""
    results.write_report(report)
    environment = ci.environment
    context = CommentContext(
        report_place=f"{ci.out}/{REPORT_FILE}",
        run_url=environment.run_url,
        run_id=str(job.ended.run.id),
        attempt=job.ended.run.attempt,
        rendered_at=ci.now().strftime("%Y-%m-%d %H:%M UTC"),
        accept=None if report.conclusion == "not_evaluated" else job.policy.accept,
    )
    made = publication(report, diffs_of(results, report), Told(context, _binding(ci, job, report, results)))
    held = (("artifact-name", artifact_name(report.suite, environment.attempt)), ("results", ci.out))
    wanted = worth_a_comment(report, job.policy.comment)
    one.finish(replace(made, outputs=(*made.outputs, *held)), comment=wanted)
    return _told(one)


def tell_plainly(ci: CiContext, job: ReportJob, one: Telling, verdict: ShortVerdict) -> CiOutcome:
    """Publish a verdict that is words alone, every one of them through the one Markdown sink."""
    run = job.ended.run
    passes = verdict.conclusion == "pass"
    state = CommentState(
        job.ended.live.head_sha, job.job.fork, verdict.conclusion, "", str(run.id), run.attempt
    )
    binding = bare_binding(ci, job.job, verdict.conclusion)
    page = stack(prose(verdict.why), prose(verdict.todo))
    output = CheckOutput(verdict.title, page, hidden_text(binding) or "")
    body = plain_comment(job.policy.suite, state, verdict.title, verdict.why, verdict.todo)
    publication = Publication(
        (body,),
        output,
        "success" if passes else "failure",
        page,
        (("conclusion", verdict.conclusion),),
    )
    wanted = {"always": True, "off": False}.get(job.policy.comment, not passes)
    one.finish(publication, comment=wanted)
    return _told(one)


def _told(one: Telling) -> CiOutcome:
    """This job is no verdict: it passes when the verdict stands where it is required, on the head."""
    return CiOutcome("pass" if {"check", "status"} & set(one.told) else "not_evaluated", told=tuple(one.told))


def _binding(ci: CiContext, job: ReportJob, report: Report, results: ResultsDirectory) -> Binding:
    return replace(
        bare_binding(ci, job.job, report.conclusion),
        result_digest=report.result_digest,
        candidate_digest=file_digest(results, f"{CANDIDATE_FOLDER}/{CANDIDATE_FILE}"),
        report_digest=file_digest(results, REPORT_FILE),
    )
