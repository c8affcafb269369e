"""GATE on GitHub: evaluate a pull request's head, tell the verdict where reviewers look, and hand on what may be accepted."""

from __future__ import annotations

from dataclasses import replace

from gatebot.commands.accept.overriding import standing_override
from gatebot.commands.ci.base_lending import lend_stored_results
from gatebot.commands.ci.context import CiContext, CiOutcome
from gatebot.commands.ci.job import (
    Job,
    bare_binding,
    job_of,
    missing_secret,
    nothing_relevant,
    outcome_of,
    overridden,
    tell_shortly,
    two_bases,
)
from gatebot.commands.ci.runner import GateOrder, run_gate
from gatebot.commands.ci.telling import Target, Telling, telling
from gatebot.commands.publish import Told, diffs_of, file_digest, publication, worth_a_comment
from gatebot.commands.remote_files import config_at
from gatebot.commands.report import report as regrade
from gatebot.commands.suite_at import case_ids, grading_digests
from gatebot.core.accepted import acceptance_note, alpha_shares, covered_cases, joined
from gatebot.errors import ConfigError
from gatebot.github_api.acceptances import acceptances_of
from gatebot.github_api.artifacts import artifact_name
from gatebot.github_api.commits import tree_of
from gatebot.github_api.errors import ApiError
from gatebot.github_api.pull_requests import branch_tip, changed_files, pull_request
from gatebot.github_api.workflow_commands import write_outputs
from gatebot.model.acceptance import Acceptance, GoldenCandidate, Override
from gatebot.model.event import MergeGroupEvent, PullRequestState
from gatebot.model.report import Report
from gatebot.render.check import Binding
from gatebot.render.comment import CommentContext
from gatebot.render.diff import CaseDiff
from gatebot.render.visible import visible
from gatebot.results.candidate import CANDIDATE_FILE, CANDIDATE_FOLDER, read_candidate, write_candidate
from gatebot.results.store import REPORT_FILE, ResultsDirectory
from gatebot.workspace.fetch import make_available
from gatebot.workspace.repository import open_repository


def gate_pull_request(ci: CiContext, number: int, head_sha: str, before: str = "") -> CiOutcome:
    """Judge the head the event names; `before` is the head until then. Raises GatebotError; the check is completed
    whatever happens.
    """
    live = pull_request(ci.client, number)
    if live.head_sha != head_sha or not live.open:
        moved = "the head has moved on" if live.open else "the pull request was closed"
        ci.say(f"{moved} since this run was started: nothing is evaluated here")
        return CiOutcome("not_evaluated")
    job = _job(ci, live, branch_tip(ci.client, live.base_ref))
    record = None if job.first else standing_override(ci.client, live, job.policy, job.digest, ci.app)
    if record is not None:
        ci.say(f"this head is overridden by {visible(record.who, 100)}: its check stays as it is")
        write_outputs(ci.environment.output_file, (("conclusion", "pass"),), ci.random_word)
        return CiOutcome("pass")
    return _judge(ci, job, Target(job.policy.suite, live.head_sha, number, before=before))


def gate_merge_group(ci: CiContext, group: MergeGroupEvent) -> CiOutcome:
    """Judge what the merge queue wants to merge against what it would be merged into. Raises GatebotError.

    What was accepted in the pull request the queue names holds here too; there is no comment, only the check.
    """
    queued = PullRequestState(
        number=group.pull_request or 0,
        head_sha=group.head_sha,
        head_ref="",
        head_repo=ci.environment.repo,
        base_ref=group.base_ref,
        base_sha=group.base_sha,
        repo=ci.environment.repo,
    )
    job = _job(ci, queued, group.base_sha)
    record = _queued_override(ci, job)
    target = Target(job.policy.suite, queued.head_sha, None)
    if record is None:
        return _judge(ci, job, target)
    with telling(ci, target) as one:
        return tell_shortly(ci, job, one, overridden(record))


def _queued_override(ci: CiContext, job: Job) -> Override | None:
    """The override of the queue's pull request, if the queue would merge exactly the tree that it was given for.

    What cannot be read overrides nothing: that can only make a verdict stricter.
    """
    if not job.live.number or job.first:
        return None
    try:
        live = pull_request(ci.client, job.live.number)
        record = standing_override(ci.client, live, job.policy, job.digest, ci.app)
        if record is None or live.base_ref != job.live.base_ref:
            return None
        same = tree_of(ci.client, live.head_sha) == tree_of(ci.client, job.live.head_sha)
    except ApiError as error:
        ci.say(f"overrides could not be read ({error.message}): none is taken into account")
        return None
    return record if same else None


def _job(ci: CiContext, live: PullRequestState, tip: str) -> Job:
    at_tip = config_at(ci.client, tip, ci.config)
    policy = at_tip or config_at(ci.client, live.head_sha, ci.config)
    if policy is None:
        raise ConfigError(
            f"there is no {ci.config} on the base branch, and none at the head",
            "`gatebot init` writes one; the input `config` names another",
        )
    return job_of(ci, live, tip, at_tip, policy)


def _judge(ci: CiContext, job: Job, target: Target) -> CiOutcome:
    with telling(ci, target) as one:
        commits = (job.tip, job.fork, job.live.head_sha)
        make_available(ci.environment.workspace, commits, ci.remote)
        shortly = two_bases(ci, job) or nothing_relevant(ci, job) or missing_secret(ci, job)
        return _evaluate(ci, job, one) if shortly is None else tell_shortly(ci, job, one, shortly)


def _evaluate(ci: CiContext, job: Job, one: Telling) -> CiOutcome:
    if not job.first:
        lend_stored_results(ci, job.policy.suite)
    records = _records(ci, job)
    orders, note = _orders(ci, job, records)
    finished = [run_gate(ci, order) for order in orders]
    reports = [regrade(results.path, ci.config, ci.today) for results in finished]
    report = joined(reports, note)
    diffs: dict[str, CaseDiff] = {}
    for results, part in zip(finished, reports, strict=True):
        diffs.update(diffs_of(results, part))
    first = finished[0]
    first.write_report(report)
    write_candidate(first.path, _joined_candidate([read_candidate(results.path) for results in finished]))
    told = Told(_context(ci, job), _binding(ci, job, report, first), _changed(ci, job))
    made = publication(report, diffs, told)
    held = (("artifact-name", artifact_name(report.suite, ci.environment.attempt)), ("results", ci.out))
    one.finish(
        replace(made, outputs=(*made.outputs, *held)), comment=worth_a_comment(report, job.policy.comment)
    )
    return outcome_of(job, report.conclusion, one, observed=report.mode == "observe")


def _orders(ci: CiContext, job: Job, records: tuple[Acceptance, ...]) -> tuple[list[GateOrder], str]:
    """One evaluation against the merge base; accepted cases in one of their own, against the accepted commit.

    Together they make one decision at one alpha, of which each has a share.
    """
    whole = GateOrder(job.tip, job.fork, job.live.head_sha, ci.out_path)
    if not records or job.first:
        return [whole], ""
    repository = open_repository(ci.environment.workspace)
    head = repository.tree(repository.resolve(job.live.head_sha))
    grading = grading_digests(head, repository.tree(repository.resolve(job.tip)), ci.config)
    covered = covered_cases(records, grading, job.digest)
    note = acceptance_note(records, covered)
    if not covered:
        return [whole], note
    make_available(ci.environment.workspace, tuple(sorted(set(covered.values()))), ci.remote)
    base = case_ids(
        repository.tree(repository.resolve(job.fork)), repository.tree(repository.resolve(job.tip)), ci.config
    )
    rest = tuple(sorted((set(grading) | base) - set(covered)))
    orders = [replace(whole, cases=rest)] if rest else []
    for index, sha in enumerate(sorted(set(covered.values()))):
        place = (
            ci.out_path if not orders else ci.out_path.with_name(f"{ci.out_path.name}-accepted-{index + 1}")
        )
        cases = tuple(sorted(case for case, at in covered.items() if at == sha))
        orders.append(replace(whole, fork=sha, out=place, cases=cases))
    shares = alpha_shares([len(order.cases) for order in orders])
    return [replace(order, alpha_share=share) for order, share in zip(orders, shares, strict=True)], note


def _records(ci: CiContext, job: Job) -> tuple[Acceptance, ...]:
    """What was accepted in this pull request; when it cannot be read, nothing was: that can only make a verdict stricter."""
    if not job.live.number:
        return ()
    try:
        return acceptances_of(ci.client, job.live.number, job.policy.suite, ci.app)
    except ApiError as error:
        ci.say(f"acceptances could not be read ({error.message}): none is taken into account")
        return ()


def _joined_candidate(candidates: list[GoldenCandidate]) -> GoldenCandidate:
    return replace(
        candidates[0],
        cases=tuple(case for one in candidates for case in one.cases),
        undecided=tuple(case for one in candidates for case in one.undecided),
        metrics=tuple(dict.fromkeys(name for one in candidates for name in one.metrics)),
    )


def _binding(ci: CiContext, job: Job, report: Report, results: ResultsDirectory) -> Binding:
    return replace(
        bare_binding(ci, job, report.conclusion),
        result_digest=report.result_digest,
        candidate_digest=file_digest(results, f"{CANDIDATE_FOLDER}/{CANDIDATE_FILE}"),
        report_digest=file_digest(results, REPORT_FILE),
    )


def _context(ci: CiContext, job: Job) -> CommentContext:
    environment = ci.environment
    return CommentContext(
        report_place=f"{ci.out}/{REPORT_FILE}",
        run_url=environment.run_url,
        run_id=str(environment.run_id),
        attempt=environment.attempt,
        rendered_at=ci.now().strftime("%Y-%m-%d %H:%M UTC"),
        accept=job.policy.accept,
    )


def _changed(ci: CiContext, job: Job) -> tuple[str, ...]:
    """Files the head changed, without the suite's own; none when they cannot be read."""
    try:
        found = changed_files(ci.client, job.fork, job.live.head_sha)
    except ApiError:
        return ()
    prefix = f"{ci.folder}/golden/" if ci.folder else "golden/"
    return tuple(path for path in found if path != ci.config and not path.startswith(prefix))
