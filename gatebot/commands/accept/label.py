"""ACCEPT: a maintainer's label makes exactly the evaluated head's behaviour the golden set. One commit, one record.

Labels, head and labeller are read live; the payload only says that something happened, and which head was there then.
Every refusal takes the label off and is explained in the comment that is there.
"""

from __future__ import annotations

from gatebot.commands.accept.applying import accept_head, resumed_from
from gatebot.commands.accept.authority import authorised
from gatebot.commands.accept.evidence import RefusedError
from gatebot.commands.accept.label_run import LabelOutcome, LabelRun, note
from gatebot.commands.accept.overriding import override_head, withdraw
from gatebot.commands.remote_files import config_at
from gatebot.github_api.labels import last_labelling, remove_label
from gatebot.github_api.pull_requests import branch_tip, pull_request
from gatebot.model.config import Config
from gatebot.model.event import PullRequestEvent, PullRequestState


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
            return withdraw(run, live, policy)
        return LabelOutcome("the label is gone already")
    try:
        if not _seen(run, event, live, policy):
            return LabelOutcome("the label was set anew since: the run of that event acts on it")
        authority = authorised(run.client, live, policy.accept, name)
        if name == policy.accept.override_label:
            return override_head(run, live, policy, authority)
        return accept_head(run, live, policy, authority)
    except RefusedError as refusal:
        remove_label(run.client, live.number, name)
        note(run, live, policy, f"`{name}` was not honoured: {refusal.message}.")
        return LabelOutcome(refusal.message, refused=True, patch=refusal.patch)


def _seen(run: LabelRun, event: PullRequestEvent, live: PullRequestState, policy: Config) -> bool:
    """Whether the label was set for the head that is there now; False: it was set anew, and that event decides.

    The payload's head is the one the person saw. A later push may have been judged by the time this run starts, so a
    result for the head of now is not enough. Raises RefusedError when the head has moved on under the label.
    """
    shown = event.pull_request.head_sha
    if shown == live.head_sha or shown == resumed_from(run, live, policy):
        return True
    set_at = last_labelling(run.client, live.number, event.label or "")
    if set_at is not None and set_at.when > event.pull_request.updated_at:
        return False
    raise RefusedError(
        f"it was set when the head was `{shown[:7]}`, and the head is `{live.head_sha[:7]}` now: "
        "look at the new head's result, then label again"
    )
