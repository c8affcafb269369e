"""Accepting a head: one commit of its golden candidate, then the check with the record, the comment, the label."""

from __future__ import annotations

from dataclasses import replace

from gatebot.commands.accept.authority import Authority
from gatebot.commands.accept.changes import chosen, golden_changes
from gatebot.commands.accept.evidence import Evidence, RefusedError, bound_check, evidence
from gatebot.commands.accept.label_run import LabelOutcome, LabelRun
from gatebot.commands.accept.wording import (
    EVALUATED_TRAILER,
    accepted_comment,
    accepted_output,
    commit_message,
)
from gatebot.commands.remote_files import CommitFiles
from gatebot.errors import GatebotError, UsageError
from gatebot.github_api.acceptances import our_check
from gatebot.github_api.checks import CheckSpec, finish_check, start_check
from gatebot.github_api.comments import publish_comment
from gatebot.github_api.commits import CommitMessage, create_commit, differs_by_exactly, parent_of
from gatebot.github_api.errors import ApiError
from gatebot.github_api.labels import remove_label
from gatebot.model.acceptance import Acceptance, AcceptedCase, CaseCandidate
from gatebot.model.config import Config
from gatebot.model.event import PullRequestState
from gatebot.model.publication import FileChange
from gatebot.model.secret_form import BLOT, looks_secret
from gatebot.render.check import check_name, external_id, hidden_text
from gatebot.render.numbers import count


def accept_head(run: LabelRun, live: PullRequestState, policy: Config, who: Authority) -> LabelOutcome:
    """Commit exactly what the evaluated head's candidate says, and tell it. Raises RefusedError, ApiError."""
    resumed = resumed_from(run, live, policy)
    evaluated = resumed or live.head_sha
    check, binding = bound_check(
        run.client, replace(live, head_sha=evaluated), policy, run.app, run.now.date()
    )
    found = evidence(run.client, check, binding)
    cases = _acceptable(found)
    source = CommitFiles(run.client, evaluated)
    try:
        changes = golden_changes(cases, run.folder, source.read)
    except (GatebotError, FileNotFoundError) as error:
        raise RefusedError(f"the golden set cannot be written: {error}") from error
    if not changes:
        raise RefusedError(
            f"the golden set says so already; `{policy.accept.override_label}` lets this head pass as it is"
        )
    if live.from_fork:
        raise RefusedError("the head is in another repository: run `gatebot accept` there and push", changes)
    record = _record(found, cases, live, who)
    if _hidden(found, record) is None:
        raise RefusedError("these are too many cases at once for the record to hold")
    message = commit_message(found.binding, found.candidate, who)
    commit = _committed(run, live, message, changes, resumed=resumed)
    _told(run, live, policy, found, replace(record, accepted_sha=commit))
    remove_label(run.client, live.number, policy.accept.label)
    return LabelOutcome(f"accepted {count(len(cases), 'case')} as {commit[:7]}", commit=commit)


def _acceptable(found: Evidence) -> tuple[CaseCandidate, ...]:
    """All the candidate's cases, or a refusal: what is accepted is accepted whole, and nothing silently left out."""
    if looks_secret(found.candidate_bytes) or BLOT in found.candidate_bytes:
        raise RefusedError("the golden set would hold what looks like a secret: the agent must not say it")
    if found.candidate.undecided:
        told = "; ".join(f"`{case.case}`: {case.reason}" for case in found.candidate.undecided[:5])
        raise RefusedError(f"some cases have no golden to accept: {told}")
    try:
        cases = chosen(found.candidate, ())
    except UsageError as error:
        raise RefusedError(error.message) from error
    failing = [case for case in cases if case.still_fails]
    if failing:
        told = "; ".join(f"`{case.case}`: {case.still_fails}" for case in failing[:5])
        raise RefusedError(
            f"a new golden would not make these cases pass, their `expect` must change: {told}"
        )
    return cases


def _committed(
    run: LabelRun,
    live: PullRequestState,
    message: CommitMessage,
    changes: tuple[FileChange, ...],
    *,
    resumed: str,
) -> str:
    """The accept commit: the one an earlier run made upon `resumed` and did not finish telling, or a new one."""
    if resumed:
        if differs_by_exactly(run.client, resumed, live.head_sha, changes):
            return live.head_sha
        raise RefusedError("the head holds something else than the evaluated head and its golden set")
    try:
        return create_commit(run.client, live.head_ref, live.head_sha, message, changes)
    except ApiError as error:
        if error.kind == "conflict":
            raise RefusedError("the branch has moved in the meantime: wait for the new run") from error
        if error.kind in ("permission", "invalid", "not_found", "locked"):
            told = f"the commit was refused ({error.message}); run `gatebot accept` and push"
            raise RefusedError(told, changes) from error
        raise


def resumed_from(run: LabelRun, live: PullRequestState, policy: Config) -> str:
    """The evaluated commit when the head is an accept commit of ours that was not told yet; else "".

    Message and author can be forged: the content is compared with the evaluated run's candidate before it counts.
    """
    if our_check(run.client, live.head_sha, policy.suite, run.app) is not None:
        return ""
    parent, message, changed = parent_of(run.client, live.head_sha)
    only_golden = all(path.endswith((".yaml", ".yml")) and path != run.config for path in changed)
    return parent if f"\n{EVALUATED_TRAILER}: {parent}" in message and only_golden else ""


def _record(
    found: Evidence, cases: tuple[CaseCandidate, ...], live: PullRequestState, who: Authority
) -> Acceptance:
    return Acceptance(
        suite=found.binding.suite,
        evaluated_sha=found.binding.head_sha,
        accepted_sha=live.head_sha,
        result_digest=found.binding.result_digest,
        policy_digest=found.binding.policy_digest,
        who=who.login,
        role=who.role,
        when=who.when,
        why=f"label set on run {found.binding.run_id}",
        cases=tuple(AcceptedCase(case.case, case.golden_digest, case.grading_digest) for case in cases),
        metrics=found.candidate.metrics,
        pull_request=live.number,
    )


def _hidden(found: Evidence, record: Acceptance) -> str | None:
    return hidden_text(replace(found.binding, head_sha=record.accepted_sha, conclusion="pass"), record)


def _told(run: LabelRun, live: PullRequestState, policy: Config, found: Evidence, record: Acceptance) -> None:
    """The check with the record on the new commit, then the comment."""
    spec = CheckSpec(
        check_name(policy.suite),
        record.accepted_sha,
        external_id(run.run_id, run.attempt),
        run.run_url,
        run.app,
    )
    check = start_check(run.client, spec)
    if check is not None:
        finish_check(run.client, check, "success", accepted_output(record, _hidden(found, record) or ""))
    body = accepted_comment(found.report, record, (run.run_id, run.attempt, run.run_url), policy.accept)
    publish_comment(run.client, live.number, policy.suite, [body])
