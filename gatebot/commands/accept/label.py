"""ACCEPT: a maintainer's label makes exactly the evaluated head's behaviour the golden set. One commit, one record.

Labels, head and labeller are read live; the payload only says that something happened. Every refusal takes the label
off and is explained in the comment that is there.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass, replace

from gatebot.commands.accept.authority import Authority, authorised
from gatebot.commands.accept.changes import chosen, golden_changes
from gatebot.commands.accept.evidence import Evidence, RefusedError, bound_check, evidence
from gatebot.commands.accept.wording import (
    EVALUATED_TRAILER,
    accepted_comment,
    accepted_output,
    commit_message,
    overridden_output,
    retargeted_output,
    withdrawn_output,
)
from gatebot.commands.remote_files import CommitFiles, config_at
from gatebot.errors import GatebotError, UsageError
from gatebot.github_api.acceptances import our_check
from gatebot.github_api.checks import CheckSpec, finish_check, start_check
from gatebot.github_api.client import Client
from gatebot.github_api.comments import our_comments, publish_comment
from gatebot.github_api.commits import CommitMessage, create_commit, parent_of
from gatebot.github_api.errors import ApiError
from gatebot.github_api.labels import last_labelling, remove_label
from gatebot.github_api.pull_requests import branch_tip, pull_request
from gatebot.model.acceptance import Acceptance, AcceptedCase, CaseCandidate
from gatebot.model.config import Config
from gatebot.model.event import PullRequestEvent, PullRequestState
from gatebot.model.publication import FileChange
from gatebot.render.check import check_name, external_id, hidden_text, read_binding
from gatebot.render.notice import with_notice


@dataclass(frozen=True, slots=True)
class LabelRun:
    """This run: its client, the configuration's path, our App's slug, the day, and the run's number, attempt and page."""

    client: Client
    config: str
    app: str
    now: datetime.datetime
    run_id: int
    attempt: int
    run_url: str

    @property
    def folder(self) -> str:
        """The suite's folder in the repository; "" at its root."""
        return self.config.rpartition("/")[0]


@dataclass(frozen=True, slots=True)
class LabelOutcome:
    """What came of a label: `done` in one sentence; `patch` = the changes that could not be pushed; `refused`."""

    done: str
    refused: bool = False
    patch: tuple[FileChange, ...] = ()
    commit: str = ""


def on_label(run: LabelRun, event: PullRequestEvent) -> LabelOutcome:
    """Act on a label that was set or removed. Raises GatebotError when GitHub cannot be read."""
    live = pull_request(run.client, event.pull_request.number)
    policy = config_at(run.client, branch_tip(run.client, live.base_ref), run.config)
    if policy is None:
        return LabelOutcome("the base branch has no configuration: nothing can be accepted")
    label = event.label or ""
    ours = {name.casefold(): name for name in (policy.accept.label, policy.accept.override_label)}
    name = ours.get(label.casefold())
    if name is None or not live.open:
        return LabelOutcome("the label is none of gatebot's, or the pull request is closed")
    if name.casefold() not in {one.casefold() for one in live.labels}:
        if name == policy.accept.override_label:
            return _withdrawn(run, live, policy)
        return LabelOutcome("the label is gone already")
    try:
        authority = authorised(run.client, live, policy.accept, name)
        if name == policy.accept.override_label:
            return _override(run, live, policy, authority)
        return _accept(run, live, policy, authority)
    except RefusedError as refusal:
        remove_label(run.client, live.number, name)
        _note(run, live, policy, f"`{name}` was not honoured: {refusal.message}.")
        return LabelOutcome(refusal.message, refused=True, patch=refusal.patch)


def _note(run: LabelRun, live: PullRequestState, policy: Config, sentence: str) -> None:
    """Explain in the comment that is there; where there is none, one with nothing else would be noise."""
    found = our_comments(run.client, live.number, policy.suite)
    if found:
        publish_comment(run.client, live.number, policy.suite, [with_notice(found[-1].body, sentence)])


def _accept(run: LabelRun, live: PullRequestState, policy: Config, who: Authority) -> LabelOutcome:
    resumed = _resumed(run, live, policy)
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
    record = _record(found, cases, live.head_sha, who)
    if _hidden(found, record) is None:
        raise RefusedError("these are too many cases at once for the record to hold")
    message = commit_message(found.binding, found.candidate, who)
    commit = _committed(run, live, message, changes, resumed=bool(resumed))
    _told(run, live, policy, found, replace(record, accepted_sha=commit))
    remove_label(run.client, live.number, policy.accept.label)
    return LabelOutcome(f"accepted {len(cases)} cases as {commit[:7]}", commit=commit)


def _acceptable(found: Evidence) -> tuple[CaseCandidate, ...]:
    """All the candidate's cases, or a refusal: what is accepted is accepted whole, and nothing silently left out."""
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
    resumed: bool,
) -> str:
    """The accept commit: the one an earlier run made and did not finish telling, or a new one."""
    if resumed:
        head = CommitFiles(run.client, live.head_sha)
        if all(head.read(change.path) == change.after for change in changes):
            return live.head_sha
        raise RefusedError("the head holds another golden set than the one evaluated")
    try:
        return create_commit(run.client, live.head_ref, live.head_sha, message, changes)
    except ApiError as error:
        if error.kind == "conflict":
            raise RefusedError("the branch has moved in the meantime: wait for the new run") from error
        if error.kind in ("permission", "invalid", "not_found", "locked"):
            told = f"the commit was refused ({error.message}); run `gatebot accept` and push"
            raise RefusedError(told, changes) from error
        raise


def _resumed(run: LabelRun, live: PullRequestState, policy: Config) -> str:
    """The evaluated commit when the head is an accept commit of ours that was not told yet; else "".

    Message and author can be forged: the content is compared with the evaluated run's candidate before it counts.
    """
    if our_check(run.client, live.head_sha, policy.suite, run.app) is not None:
        return ""
    parent, message, changed = parent_of(run.client, live.head_sha)
    only_golden = all(path.endswith((".yaml", ".yml")) and path != run.config for path in changed)
    return parent if f"\n{EVALUATED_TRAILER}: {parent}" in message and only_golden else ""


def _record(found: Evidence, cases: tuple[CaseCandidate, ...], commit: str, who: Authority) -> Acceptance:
    return Acceptance(
        suite=found.binding.suite,
        evaluated_sha=found.binding.head_sha,
        accepted_sha=commit,
        result_digest=found.binding.result_digest,
        policy_digest=found.binding.policy_digest,
        who=who.login,
        role=who.role,
        when=who.when,
        why=f"label set on run {found.binding.run_id}",
        cases=tuple(AcceptedCase(case.case, case.golden_digest, case.grading_digest) for case in cases),
        metrics=found.candidate.metrics,
    )


def _hidden(found: Evidence, record: Acceptance) -> str | None:
    return hidden_text(replace(found.binding, head_sha=record.accepted_sha, conclusion="pass"), record)


def _told(run: LabelRun, live: PullRequestState, policy: Config, found: Evidence, record: Acceptance) -> None:
    """The check with the record on the new commit, then the comment."""
    spec = CheckSpec(
        check_name(policy.suite), record.accepted_sha, external_id(run.run_id, run.attempt), run.run_url
    )
    check = start_check(run.client, spec)
    if check is not None:
        finish_check(run.client, check, "success", accepted_output(record, _hidden(found, record) or ""))
    body = accepted_comment(found.report, record, (run.run_id, run.attempt, run.run_url), policy.accept)
    publish_comment(run.client, live.number, policy.suite, [body])


def _override(run: LabelRun, live: PullRequestState, policy: Config, who: Authority) -> LabelOutcome:
    """Let this head pass as it is; the golden set stays."""
    check, binding = bound_check(run.client, live, policy, run.app, run.now.date())
    finish_check(run.client, check, "success", overridden_output(binding, who, check.text))
    told = f"Overridden by `{who.login}` for `{live.head_sha[:7]}`: the golden set is unchanged."
    _note(run, live, policy, told)
    return LabelOutcome(told)


def _withdrawn(run: LabelRun, live: PullRequestState, policy: Config) -> LabelOutcome:
    """The override label was removed: the check says again what the evaluation said."""
    check = our_check(run.client, live.head_sha, policy.suite, run.app)
    binding = None if check is None else read_binding(check.text)
    if check is None or binding is None or binding.conclusion not in ("fail", "not_evaluated"):
        return LabelOutcome("there was no override to withdraw")
    finish_check(run.client, check, "failure", withdrawn_output(binding, check.text))
    _note(run, live, policy, f"The override for `{live.head_sha[:7]}` was withdrawn.")
    return LabelOutcome("the override was withdrawn")


def _retargeted(run: LabelRun, live: PullRequestState, policy: Config) -> None:
    """Another base branch: a verdict against the old one must not stay green, though the commit is the same."""
    check = our_check(run.client, live.head_sha, policy.suite, run.app)
    binding = None if check is None else read_binding(check.text)
    if check is None or binding is None or binding.base_ref == live.base_ref or check.status != "completed":
        return
    finish_check(run.client, check, "failure", retargeted_output(binding, live.base_ref, check.text))
    _note(run, live, policy, f"The base branch is `{live.base_ref}` now: run the gate's job again.")


def void_labels(run: LabelRun, event: PullRequestEvent) -> LabelOutcome:
    """A new head or base: labels set before it say nothing of it, and are taken off; later ones are left."""
    live = pull_request(run.client, event.pull_request.number)
    policy = config_at(run.client, branch_tip(run.client, live.base_ref), run.config)
    if policy is None:
        return LabelOutcome("the base branch has no configuration")
    if event.base_changed:
        _retargeted(run, live, policy)
    removed: list[str] = []
    for label in (policy.accept.label, policy.accept.override_label):
        if label.casefold() not in {one.casefold() for one in live.labels}:
            continue
        set_at = last_labelling(run.client, live.number, label)
        if set_at is not None and set_at.when <= event.pull_request.updated_at:
            remove_label(run.client, live.number, label)
            removed.append(label)
    if not removed:
        return LabelOutcome("no label to take off")
    named = " and ".join(f"`{label}`" for label in removed)
    _note(
        run,
        live,
        policy,
        f"{named} taken off: the head is `{live.head_sha[:7]}` now; label again when it is judged.",
    )
    return LabelOutcome(f"took off {named}")
