"""One head to judge, and verdicts that need no run: a missing secret, nothing relevant changed, an override that stands."""

from __future__ import annotations

from dataclasses import dataclass

from gatebot.commands.changed_files import changed_paths, checked_glob, touched
from gatebot.commands.ci.context import CiContext, CiOutcome
from gatebot.commands.ci.telling import Telling
from gatebot.commands.remote_files import policy_in_force
from gatebot.errors import ConfigError, Location
from gatebot.github_api.pull_requests import merge_base, others_of_head
from gatebot.model.acceptance import Override
from gatebot.model.config import Config
from gatebot.model.event import PullRequestState
from gatebot.model.publication import CheckOutput, Publication
from gatebot.model.report import Conclusion
from gatebot.render.check import Binding, hidden_text
from gatebot.render.notice import plain_comment
from gatebot.render.state import CommentState
from gatebot.workspace.repository import open_repository


@dataclass(frozen=True, slots=True)
class Job:
    """One head to judge: the live pull request, the base's tip, the base side's commit, and the policy in force there.

    `policy` is the head's own configuration when the base has none: the first pull request. `digest` is the policy's,
    as an evaluation of today has it.
    """

    live: PullRequestState
    tip: str
    fork: str
    policy: Config
    first: bool
    digest: str


@dataclass(frozen=True, slots=True)
class ShortVerdict:
    """A verdict in words alone: what the check's title says, why, and what to do."""

    conclusion: Conclusion
    title: str
    why: str
    todo: str


def job_of(ci: CiContext, live: PullRequestState, tip: str, at_tip: Config | None, policy: Config) -> Job:
    """The job of a head, its base side's commit as the policy wants it. Raises ApiError."""
    whole = at_tip is not None and at_tip.base == "branch"
    fork = tip if whole else merge_base(ci.client, tip, live.head_sha)
    return Job(live, tip, fork, policy, first=at_tip is None, digest=policy_in_force(policy, ci.today))


def missing_secret(ci: CiContext, job: Job) -> ShortVerdict | None:
    """The verdict on a head whose agent lacks a variable it needs: nothing is run, and nothing is green."""
    missing = [name for name in job.policy.agent.env if not ci.variables.get(name)]
    if not missing:
        return None
    names = ", ".join(f"`{name}`" for name in missing)
    return ShortVerdict(
        "not_evaluated",
        "not evaluated: a secret is missing",
        f"The agent needs {names}, which {'is' if len(missing) == 1 else 'are'} not set in this workflow.",
        "Set the secret, and hand it to the step as an environment variable; nothing was run.",
    )


def nothing_relevant(ci: CiContext, job: Job) -> ShortVerdict | None:
    """The verdict on a head that changes none of the policy's `paths` and nothing of the suite; None where it does.

    Both commits are compared whole and here: GitHub's own list of changed files ends after 300. Globs of which none
    names a file of the base spare no run: they are a mistake. Raises ConfigError for a glob that is none here,
    RepositoryError.
    """
    if job.first or not job.policy.paths:
        return None
    repository = open_repository(ci.environment.workspace)
    before = repository.tree(repository.resolve(job.fork))
    changed = changed_paths(before, repository.tree(repository.resolve(job.live.head_sha)))
    prefix = f"{ci.folder}/" if ci.folder else ""
    suite = [ci.config, *(f"{prefix}{pattern}" for pattern in job.policy.cases)]
    try:
        globs = [checked_glob(one) for one in job.policy.paths]
        relevant = touched(changed, (*globs, *suite))
        known = touched([entry.path for entry in before.entries()], globs)
    except ValueError as error:
        hint = "`paths` are globs from the repository's root"
        raise ConfigError(str(error), hint, location=Location(ci.config)) from error
    if relevant:
        return None
    if not known:
        ci.say(f"no file of the base is named by `paths` in {ci.config}: every pull request is run")
        return None
    count = f"{len(changed)} file{'' if len(changed) == 1 else 's'}"
    return ShortVerdict(
        "pass",
        "passed: nothing relevant changed",
        f"This pull request changes {count}, none of them in the `paths` of the base's configuration.",
        "Nothing was run: the agent is the base's.",
    )


def two_bases(ci: CiContext, job: Job) -> ShortVerdict | None:
    """The verdict on a head that is also another pull request's, against another branch: its check is one for both.

    Otherwise a branch with an easier policy would make it green for this one. Raises ApiError.
    """
    if not job.live.head_ref:  # the merge queue's commits are nobody's head
        return None
    others = [one for one in others_of_head(ci.client, job.live) if one.base_ref != job.live.base_ref]
    if not others:
        return None
    named = ", ".join(f"`{one.number}` (against `{one.base_ref}`)" for one in others[:5])
    return ShortVerdict(
        "not_evaluated",
        "not evaluated: this commit is the head of two pull requests",
        f"It is the head of {named} too. A check belongs to a commit: one cannot be the verdict against two branches.",
        "Close one of them, or give one a commit of its own, and run the job again.",
    )


def overridden(record: Override) -> ShortVerdict:
    """The verdict on a tree that a maintainer lets pass as it is."""
    return ShortVerdict(
        "pass",
        f"overridden by {record.who}",
        f"Overridden by `{record.who}` ({record.role}) on {record.when} for `{record.head_sha[:7]}`, whose tree this is.",
        "The golden set is unchanged; nothing was run.",
    )


def tell_shortly(ci: CiContext, job: Job, one: Telling, verdict: ShortVerdict) -> CiOutcome:
    """Tell a verdict that is words alone; a comment is made for what did not pass."""
    environment = ci.environment
    state = CommentState(
        head_sha=job.live.head_sha,
        base_sha=job.fork,
        conclusion=verdict.conclusion,
        run_id=str(environment.run_id),
        attempt=environment.attempt,
    )
    body = plain_comment(job.policy.suite, state, verdict.title, verdict.why, verdict.todo)
    page = f"{verdict.why}\n\n{verdict.todo}"
    output = CheckOutput(
        verdict.title[:250], page, hidden_text(bare_binding(ci, job, verdict.conclusion)) or ""
    )
    passes = verdict.conclusion == "pass"
    publication = Publication(
        (body,),
        output,
        "success" if passes else "failure",
        page,
        (("conclusion", verdict.conclusion), ("regressed-cases", "0")),
    )
    wanted = {"always": True, "off": False}.get(job.policy.comment, not passes)
    one.finish(publication, comment=wanted)
    return outcome_of(job, verdict.conclusion, one)


def outcome_of(job: Job, conclusion: Conclusion, one: Telling, *, observed: bool = False) -> CiOutcome:
    """How the job ends. A verdict that stands in the check may be the check's alone, where the policy says so."""
    told = tuple(one.told)
    stored = job.policy.job_exit == "published" and "check" in told
    return CiOutcome(conclusion, observed, told, stored=stored)


def bare_binding(ci: CiContext, job: Job, conclusion: Conclusion) -> Binding:
    """What a check stands for that has no files behind it: nothing can be accepted from it."""
    return Binding(
        suite=job.policy.suite,
        head_sha=job.live.head_sha,
        base_sha=job.fork,
        base_ref=job.live.base_ref,
        run_id=ci.environment.run_id,
        attempt=ci.environment.attempt,
        conclusion=conclusion,
        result_digest="",
        policy_digest=job.digest,
        candidate_digest="",
        report_digest="",
    )
