"""Whose label counts: read from the events API, with the role as GitHub tells it now."""

from __future__ import annotations

from dataclasses import dataclass

from gatebot.commands.accept.evidence import RefusedError
from gatebot.github_api.client import Client
from gatebot.github_api.labels import last_labelling, role_of
from gatebot.github_api.pull_requests import commit_authors
from gatebot.model.config import Accept
from gatebot.model.event import PullRequestState


@dataclass(frozen=True, slots=True)
class Authority:
    """Who set the label, in which role, and when (UTC, as GitHub says it)."""

    login: str
    role: str
    when: str


def authorised(client: Client, live: PullRequestState, accept: Accept, label: str) -> Authority:
    """The person whose label this is, if it counts. Raises RefusedError with the reason, ApiError."""
    labelling = last_labelling(client, live.number, label)
    if labelling is None or not labelling.actor:
        raise RefusedError("nobody can be found who set it")
    role = role_of(client, labelling.actor)
    if role not in accept.roles:
        roles = ", ".join(accept.roles)
        raise RefusedError(f"`{labelling.actor}` has the role `{role}` here, and one of {roles} is needed")
    if labelling.is_bot:
        raise RefusedError(f"`{labelling.actor}` is a bot: a person must decide")
    if not accept.by_author:
        own = {live.author.casefold(), *commit_authors(client, live.number)}
        if labelling.actor.casefold() in own:
            raise RefusedError("`accept.by_author` is false: somebody else than the author must decide")
    return Authority(labelling.actor, role, labelling.when)
