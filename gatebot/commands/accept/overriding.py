"""Letting one head pass as it is, taking that back, and what a new head or base makes of labels that were set before it."""

from __future__ import annotations

from gatebot.commands.accept.authority import Authority
from gatebot.commands.accept.evidence import RefusedError, bound_check
from gatebot.commands.accept.label_run import LabelOutcome, LabelRun, note
from gatebot.commands.accept.wording import overridden_output, retargeted_output, withdrawn_output
from gatebot.commands.remote_files import config_at
from gatebot.github_api.acceptances import our_check
from gatebot.github_api.checks import finish_check
from gatebot.github_api.client import Client
from gatebot.github_api.labels import last_labelling, remove_label
from gatebot.github_api.pull_requests import branch_tip, pull_request
from gatebot.model.acceptance import Override
from gatebot.model.config import Config
from gatebot.model.event import PullRequestEvent, PullRequestState
from gatebot.render.check import hidden_text, read_acceptance, read_binding, read_override


def override_head(run: LabelRun, live: PullRequestState, policy: Config, who: Authority) -> LabelOutcome:
    """Let this head pass as it is; the golden set stays. Raises RefusedError, ApiError."""
    check, binding = bound_check(run.client, live, policy, run.app, run.now.date())
    record = Override(
        suite=policy.suite,
        head_sha=live.head_sha,
        result_digest=binding.result_digest,
        policy_digest=binding.policy_digest,
        who=who.login,
        role=who.role,
        when=who.when,
        pull_request=live.number,
    )
    hidden = hidden_text(binding, read_acceptance(check.text), record)
    if hidden is None:
        raise RefusedError("the record of what was accepted here leaves no room for an override")
    finish_check(run.client, check, "success", overridden_output(record, hidden))
    told = f"Overridden by `{who.login}` for `{live.head_sha[:7]}`: the golden set is unchanged."
    note(run, live, policy, told)
    return LabelOutcome(told)


def standing_override(
    client: Client, live: PullRequestState, policy: Config, digest: str, app: str
) -> Override | None:
    """The override of exactly this head that still stands: label, record and policy agree. Raises ApiError."""
    labels = {name.casefold() for name in live.labels}
    if not live.number or policy.accept.override_label.casefold() not in labels:
        return None
    check = our_check(client, live.head_sha, policy.suite, app)
    record = read_override(check.text) if check is not None and check.conclusion == "success" else None
    wanted = (policy.suite, live.head_sha, live.number, digest)
    if record is None or (record.suite, record.head_sha, record.pull_request, record.policy_digest) != wanted:
        return None
    return record


def withdraw(run: LabelRun, live: PullRequestState, policy: Config) -> LabelOutcome:
    """The override label was removed: the check says again what the evaluation said."""
    check = our_check(run.client, live.head_sha, policy.suite, run.app)
    binding = None if check is None else read_binding(check.text)
    if check is None or binding is None or binding.conclusion not in ("fail", "not_evaluated"):
        return LabelOutcome("there was no override to withdraw")
    finish_check(run.client, check, "failure", withdrawn_output(binding, check.text))
    note(run, live, policy, f"The override for `{live.head_sha[:7]}` was withdrawn.")
    return LabelOutcome("the override was withdrawn")


def _retargeted(run: LabelRun, live: PullRequestState, policy: Config) -> None:
    """Another base branch: a verdict against the old one must not stay green, though the commit is the same."""
    check = our_check(run.client, live.head_sha, policy.suite, run.app)
    binding = None if check is None else read_binding(check.text)
    if check is None or binding is None or binding.base_ref == live.base_ref or check.status != "completed":
        return
    finish_check(run.client, check, "failure", retargeted_output(binding, live.base_ref, check.text))
    note(run, live, policy, f"The base branch is `{live.base_ref}` now: run the gate's job again.")


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
    note(
        run,
        live,
        policy,
        f"{named} taken off: the head is `{live.head_sha[:7]}` now; label again when it is judged.",
    )
    return LabelOutcome(f"took off {named}")
