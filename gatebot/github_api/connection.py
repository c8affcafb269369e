"""The one way PyGithub is set up here: nothing is retried or slowed down behind our back."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from github.Auth import Auth
    from github.Requester import Requester


def requester_of(auth: Auth, api_url: str) -> Requester:
    """What carries requests to `api_url` as who `auth` is. Opens no connection yet."""
    import github

    hub = github.Github(
        auth=auth,
        base_url=api_url.rstrip("/"),
        retry=None,
        timeout=20,
        seconds_between_requests=0,
        seconds_between_writes=0,
        user_agent="gatebot",
    )
    return hub.requester
