"""Whose run has ended: pull request, head and who started it, from the event and the API alone. Nothing the run left behind
is asked.
"""

from __future__ import annotations

from dataclasses import dataclass

from gatebot.commands.accept.overriding import standing_override
from gatebot.commands.ci.context import CiContext
from gatebot.commands.ci.job import Job
from gatebot.commands.ci.live_run import Asked, asked_by_title
from gatebot.github_api.acceptances import our_check
from gatebot.github_api.commits import file_at
from gatebot.github_api.errors import ApiError
from gatebot.github_api.pull_requests import open_of_branch, pull_request
from gatebot.github_api.repository import default_branch
from gatebot.github_api.runs import Run, workflow_run
from gatebot.model.event import PullRequestState, WorkflowRunEvent
from gatebot.render.check import read_binding, run_of


@dataclass(frozen=True, slots=True)
class Ended:
    """A run that has ended and the pull request it is about; `asked`: what a live run was started for."""

    run: Run
    live: PullRequestState
    asked: Asked | None = None


@dataclass(frozen=True, slots=True)
class Unclear:
    """Why nothing is told of a run: one sentence of our own words, hashes and numbers."""

    why: str


def ended_run(ci: CiContext, event: WorkflowRunEvent) -> Ended | Unclear:
    """The run and its pull request, or why it is about none. Raises ApiError."""
    run = workflow_run(ci.client, event.run_id)
    told = (event.run_id, event.event, event.head_sha, event.head_branch, event.head_repository)
    if (run.id, run.event, run.head_sha, run.head_branch, run.head_repo) != told:
        return Unclear("the run is another than the event says")
    if run.attempt != event.attempt or run.status != "completed":
        return Unclear("the run has been started again: its new end is waited for")
    branch = default_branch(ci.client)
    if not _is_ours(ci, run.path, branch):
        return Unclear("the run's workflow is none of the default branch's")
    if run.event == "workflow_dispatch":
        return _of_live(ci, run, branch)
    return _of_pull_request(ci, run)


def stands_already(ci: CiContext, ended: Ended, job: Job) -> str:
    """Why what an ended run left is not told, or an empty string. Raises ApiError.

    A maintainer's override of the head stands. Beside a recording so does what a maintainer's live run said, as long as
    base and policy are the same; and a head of this repository that has its check was judged by a run that could write.
    """
    if standing_override(ci.client, ended.live, job.policy, job.digest, ci.app) is not None:
        return "this head is overridden by a maintainer: its check stays as it is"
    if ended.asked is not None:
        return ""
    check = our_check(ci.client, ended.live.head_sha, job.policy.suite, ci.app)
    number = None if check is None else run_of(check.external_id)
    if check is None or number is None:
        return ""
    if not ended.live.from_fork:
        return "this head of the repository has its check already"
    if number[0] == ended.run.id or not _is_live(ci, number[0]):
        return ""
    binding = read_binding(check.text)
    same = binding is not None and (binding.base_ref, binding.policy_digest) == (
        ended.live.base_ref,
        job.digest,
    )
    if check.status == "completed" and not same:
        return ""
    return "a maintainer's live run has this head's check: the fork's recording changes nothing"


def _is_live(ci: CiContext, run_id: int) -> bool:
    """Whether a run was started by hand; one that is gone was not."""
    try:
        return workflow_run(ci.client, run_id).event == "workflow_dispatch"
    except ApiError as error:
        if error.kind != "not_found":
            raise
        return False


def _is_ours(ci: CiContext, path: str, branch: str) -> bool:
    if not path.startswith(".github/workflows/") or ".." in path:
        return False
    try:
        file_at(ci.client, path, branch)
    except ApiError as error:
        if error.kind == "not_found":
            return False
        raise
    return True


def _of_live(ci: CiContext, run: Run, branch: str) -> Ended | Unclear:
    if run.head_branch != branch or (run.head_repo or "").casefold() != ci.environment.repo.casefold():
        return Unclear("the live run was started with a workflow of another branch than the default one")
    asked = asked_by_title(run.title)
    if asked is None:
        return Unclear("the live run's name does not say which pull request and head it is of")
    live = pull_request(ci.client, asked.number)
    if not live.open:
        return Unclear(f"the pull request {asked.number} is closed")
    if live.head_sha != asked.sha:
        return _stale(asked.number, asked.sha, live.head_sha)
    return Ended(run, live, asked)


def _of_pull_request(ci: CiContext, run: Run) -> Ended | Unclear:
    here = open_of_branch(ci.client, run.head_repo, run.head_branch)
    same = [one for one in here if one.head_sha == run.head_sha]
    if not same:
        if len(here) == 1:
            return _stale(here[0].number, run.head_sha, here[0].head_sha)
        return Unclear(f"no open pull request has the head {run.head_sha[:12]}")
    return Ended(run, same[0])


def _stale(number: int, ran: str, now: str) -> Unclear:
    return Unclear(
        f"stale: the run was of {ran[:12]}, the head of {number} is {now[:12]} now, which has a run of its own"
    )
